package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// Beginning is the state before a task's first event, for Diff.
const Beginning int64 = eventstore.NoRevision

// Setter is the event that gave a field its value.
type Setter struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Revision int64  `json:"revision"`
	// Default: no event has set the field. It has been as it is since the first event,
	// which is the one named.
	Default bool `json:"default,omitempty"`
}

// Change is a field in which two states differ. Path is a JSON pointer (RFC 6901)
// into task.State; From or To is missing if the field is. By is the last event between
// the two states that changed the field or anything in it.
type Change struct {
	Path string          `json:"path"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
	By   *Setter         `json:"by,omitempty"`
}

// Diff is how the states after two events differ. Changes are ordered by path.
type Diff struct {
	TaskID  string   `json:"taskId"`
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Head    int64    `json:"head"`
	Changes []Change `json:"changes"`
}

// Field is a field of a state that holds a value of its own (a text, a number, an
// empty list), with the event that set it.
type Field struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
	By    Setter          `json:"by"`
}

// Fields are all fields of the state at a revision, ordered by path.
type Fields struct {
	TaskID   string  `json:"taskId"`
	Revision int64   `json:"revision"`
	Head     int64   `json:"head"`
	Fields   []Field `json:"fields"`
}

// Diff returns the changes from the state at one revision to that at another, which
// may be the earlier one. Latest is the newest revision for to, and Beginning the state
// before the first event for from. The errors are those of StateAt.
func (r Reader) Diff(ctx context.Context, tenant, id string, from, to int64) (Diff, error) {
	d, err := r.diff(ctx, tenant, id, from, to)
	if err != nil {
		return Diff{}, fmt.Errorf("diff of task %s from %d to %d: %w", id, from, to, projections.Unavailable(err))
	}
	return d, nil
}

// FieldsAt returns every field of the state at a revision with the event that set it.
// The errors are those of StateAt.
func (r Reader) FieldsAt(ctx context.Context, tenant, id string, revision int64) (Fields, error) {
	f, err := r.fieldsAt(ctx, tenant, id, revision)
	if err != nil {
		return Fields{}, fmt.Errorf("fields of task %s at %d: %w", id, revision, projections.Unavailable(err))
	}
	return f, nil
}

func (r Reader) diff(ctx context.Context, tenant, id string, from, to int64) (Diff, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return Diff{}, err
	}
	if to == Latest {
		to = h.head
	}
	if err := h.has(to); err != nil {
		return Diff{}, err
	}
	if err := h.has(from); err != nil && from != Beginning {
		return Diff{}, err
	}
	between, err := h.statesBetween(min(from, to), max(from, to))
	if err != nil {
		return Diff{}, err
	}
	first, last := between.first, between.last
	if from > to {
		first, last = last, first
	}
	changes, err := Changes(first, last)
	if err != nil {
		return Diff{}, err
	}
	set := between.writers.above()
	for i := range changes {
		if by, ok := set[changes[i].Path]; ok {
			changes[i].By = &by
		}
	}
	return Diff{h.id, from, to, h.head, changes}, nil
}

func (r Reader) fieldsAt(ctx context.Context, tenant, id string, revision int64) (Fields, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return Fields{}, err
	}
	if revision == Latest {
		revision = h.head
	}
	if err := h.has(revision); err != nil {
		return Fields{}, err
	}
	whole, err := h.statesBetween(Beginning, revision)
	if err != nil {
		return Fields{}, err
	}
	out := Fields{h.id, revision, h.head, []Field{}}
	begun := h.events[0]
	err = leaves("", whole.last, func(path string, value json.RawMessage) {
		by, ok := whole.writers[path]
		if !ok {
			by = Setter{begun.ID, begun.Type, begun.Revision, true}
		}
		out.Fields = append(out.Fields, Field{path, value, by})
	})
	slices.SortFunc(out.Fields, func(a, b Field) int { return cmp.Compare(a.Path, b.Path) })
	return out, err
}

// span is what happened between two states.
type span struct {
	first, last json.RawMessage
	writers     writers
}

func (h stream) statesBetween(from, to int64) (s span, err error) {
	s.writers = writers{}
	state := task.Initial()
	if s.first, err = json.Marshal(state); err != nil {
		return s, err
	}
	err = h.fold(to, func(at Event, before, after task.State) error {
		if state = after; at.Revision <= from {
			if at.Revision == from {
				s.first, err = json.Marshal(after)
			}
			return err
		}
		return s.writers.note(at, before, after)
	})
	if err != nil {
		return s, err
	}
	s.last, err = json.Marshal(state)
	return s, err
}

// writers are the events that changed each field last, by the path of the field. A
// field that is gone has the event that removed it.
type writers map[string]Setter

// note takes in what an event changed. A path in whose place there is now a list or an
// object keeps its entry, which nobody asks for.
func (w writers) note(at Event, before, after task.State) error {
	changed, err := changedBy(before, after)
	if err != nil {
		return err
	}
	by := Setter{ID: at.ID, Type: at.Type, Revision: at.Revision}
	set := func(path string, _ json.RawMessage) { w[path] = by }
	for _, c := range changed {
		for _, side := range []json.RawMessage{c.From, c.To} {
			if err := leaves(c.Path, side, set); err != nil {
				return err
			}
		}
	}
	return nil
}

// above adds what contains a field: it was changed when the last field in it was.
func (w writers) above() writers {
	all := make(writers, 2*len(w))
	for path, by := range w {
		for {
			if known, ok := all[path]; !ok || known.Revision < by.Revision {
				all[path] = by
			}
			end := strings.LastIndexByte(path, '/')
			if end < 0 {
				break
			}
			path = path[:end]
		}
	}
	return all
}

// Changes returns the changes that lead from one JSON value to another, ordered by path.
// It descends while both sides are objects, or both arrays.
func Changes(from, to json.RawMessage) ([]Change, error) {
	changes := []Change{}
	if err := diff("", from, to, &changes); err != nil {
		return nil, err
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes, nil
}

func diff(path string, from, to json.RawMessage, out *[]Change) error {
	if bytes.Equal(from, to) {
		return nil
	}
	a, err := children(from)
	if err != nil {
		return err
	}
	b, err := children(to)
	if err != nil {
		return err
	}
	if a == nil || b == nil || from[0] != to[0] {
		*out = append(*out, Change{Path: path, From: from, To: to})
		return nil
	}
	for name := range a {
		if err := diff(path+"/"+escaped(name), a[name], b[name], out); err != nil {
			return err
		}
	}
	for name := range b {
		if _, both := a[name]; !both {
			*out = append(*out, Change{Path: path + "/" + escaped(name), To: b[name]})
		}
	}
	return nil
}

// leaves calls f for every value in a value that contains no other: texts, numbers,
// empty lists. A value that is missing has none.
func leaves(path string, value json.RawMessage, f func(path string, value json.RawMessage)) error {
	inner, err := children(value)
	if err != nil {
		return err
	}
	if len(inner) == 0 {
		if len(value) > 0 {
			f(path, value)
		}
		return nil
	}
	for name, v := range inner {
		if err := leaves(path+"/"+escaped(name), v, f); err != nil {
			return err
		}
	}
	return nil
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escaped is a name as a JSON pointer has it.
func escaped(name string) string { return pointerEscapes.Replace(name) }

// children returns the members of an object or the items of an array, nil for
// anything else.
func children(j json.RawMessage) (map[string]json.RawMessage, error) {
	if len(j) == 0 {
		return nil, nil
	}
	switch j[0] {
	case '{':
		var members map[string]json.RawMessage
		err := json.Unmarshal(j, &members)
		return members, err
	case '[':
		var items []json.RawMessage
		err := json.Unmarshal(j, &items)
		members := make(map[string]json.RawMessage, len(items))
		for i, item := range items {
			members[strconv.Itoa(i)] = item
		}
		return members, err
	}
	return nil, nil
}

package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

func (r Reader) events(ctx context.Context, tenant, id string, f Filter) (Events, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return Events{}, err
	}
	costly, err := r.turnsThatCost(ctx, h.id, f.MinCost)
	if err != nil {
		return Events{}, err
	}
	out := Events{TaskID: h.id, Events: []Event{}, Head: h.head, Log: h.log}
	candidates, err := h.candidates(f, costly)
	if err != nil {
		return Events{}, err
	}
	for size := f.Limit + 1; len(candidates) > 0; size = min(2*size, maxChosen) {
		part := candidates[:min(size, len(candidates))]
		candidates = candidates[len(part):]
		chosen, err := h.choose(part, f)
		if err != nil {
			return Events{}, err
		}
		for _, e := range chosen {
			if len(out.Events) == f.Limit {
				out.More = true
				return out, nil
			}
			out.Events = append(out.Events, e)
		}
	}
	return out, nil
}

// maxChosen bounds how many events are decoded at a time.
const maxChosen = 2048

// candidate is an event that a filter may choose, with its turn.
type candidate struct {
	eventstore.Recorded
	turn int
}

// candidates are the events a filter may choose by what is known before they are opened.
func (h stream) candidates(f Filter, costly map[int]bool) (out []candidate, err error) {
	turn := 0
	for _, recorded := range h.events {
		if turn, err = turnAt(recorded, turn); err != nil {
			return nil, err
		}
		if f.mayMatch(recorded, turn, costly) {
			out = append(out, candidate{recorded, turn})
		}
	}
	return out, nil
}

// choose decodes the candidates a filter chooses, in order.
func (h stream) choose(all []candidate, f Filter) (chosen []Event, err error) {
	decoded, wanted := make([]Event, len(all)), make([]bool, len(all))
	looked := f.textBytes()
	err = inParallel(len(all), func(i int) error {
		may, err := h.mayHave(all[i].Recorded, looked)
		if err != nil || !may {
			return err
		}
		if decoded[i], err = h.decode(all[i].Recorded); err != nil {
			return err
		}
		decoded[i].Turn = all[i].turn
		wanted[i], err = f.matches(decoded[i])
		return err
	})
	for i, e := range decoded {
		if wanted[i] {
			chosen = append(chosen, e)
		}
	}
	return chosen, err
}

// mayHave reports whether an event has a text in its payload. Most do not, and need not be
// read: that takes ten times as long.
func (h stream) mayHave(r eventstore.Recorded, text []byte) (bool, error) {
	if text == nil {
		return true, nil
	}
	parts, err := task.Codec.Plain(r.Type, r.Data, r.ID, h.key)
	if domain.IsNewer(err) {
		parts, err = [][]byte{[]byte(r.Type)}, nil
	}
	for _, p := range parts {
		if bytes.Contains(bytes.ToLower(p), text) {
			return true, err
		}
	}
	return false, err
}

func (r Reader) at(ctx context.Context, tenant, id string, revisions []int64) (map[int64]Event, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	all, err := h.candidates(Filter{}, nil)
	if err != nil {
		return nil, err
	}
	wanted, out := map[int64]bool{}, map[int64]Event{}
	for _, revision := range revisions {
		wanted[revision] = true
	}
	for _, c := range all {
		if !wanted[c.Revision] {
			continue
		}
		e, err := h.decode(c.Recorded)
		if err != nil {
			return nil, err
		}
		e.Turn = c.turn
		out[c.Revision] = e
	}
	return out, nil
}

func (r Reader) stateAt(ctx context.Context, tenant, id string, revision int64) (State, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return State{}, err
	}
	if revision == Latest {
		revision = h.head
	}
	return h.stateAt(revision)
}

func (r Reader) stateAtTime(ctx context.Context, tenant, id string, at time.Time) (State, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return State{}, err
	}
	for _, e := range slices.Backward(h.events) {
		if !e.RecordedAt.After(at) {
			return h.stateAt(e.Revision)
		}
	}
	return State{}, domain.Errorf(domain.NotFound, domain.CodeTaskNotFound,
		"the task began later, at %s", h.events[0].RecordedAt.UTC().Format(time.RFC3339Nano)).At("at")
}

func (h stream) stateAt(revision int64) (State, error) {
	if err := h.has(revision); err != nil {
		return State{}, err
	}
	at, err := h.folded(revision)
	if err != nil {
		return State{}, err
	}
	last := h.events[at.event]
	b, err := json.Marshal(at.state)
	return State{h.id, last.Revision, last.Position, last.Type, last.RecordedAt, h.head, b, h.log}, err
}

// foldedState is the state after an event, which is that of an index.
type foldedState struct {
	state task.State
	event int
}

// folded folds the events up to a revision. What is stored apart, the page before an
// action, is opened only where the state still holds it in the end: until then its place
// is held by the index of its event.
func (h stream) folded(revision int64) (out foldedState, err error) {
	n, _ := slices.BinarySearchFunc(h.events, revision+1, func(e eventstore.Recorded, r int64) int { return cmp.Compare(e.Revision, r) })
	folds := h.folds
	if folds == nil {
		folds = func() ([]task.Event, error) { return h.foldables(n) }
	}
	events, err := folds()
	if err != nil {
		return out, err
	}
	out = foldedState{task.Decider.Fold(task.Initial(), events[:n]...), n - 1}
	for _, step := range out.state.Steps {
		for k, a := range step.Attempts {
			if a.Before == nil {
				continue
			}
			if step.Attempts[k].Before, err = h.before(a.Before.DOMHash); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// foldables are the first n events as states that are shown are folded of them.
func (h stream) foldables(n int) ([]task.Event, error) {
	events := make([]task.Event, n)
	return events, inParallel(n, func(i int) (err error) {
		events[i], err = h.foldable(i)
		return err
	})
}

// foldable is an event as a state that is shown is folded of it. The answer of a turn is
// no part of that.
func (h stream) foldable(i int) (task.Event, error) {
	r := h.events[i]
	if r.Type == task.NameTurnEnded {
		return task.Codec.Clear(r.Type, r.Data)
	}
	e, err := h.data(r, task.Codec.Glance)
	if err != nil {
		return nil, err
	}
	held := page.Before{DOMHash: strconv.Itoa(i)}
	switch decided := task.RedactForReaders(e, h.secrets).(type) {
	case task.ActionGenerated:
		decided.Before = held
		return decided, nil
	case task.CorrectionIssued:
		decided.Before = held
		return decided, nil
	default:
		return decided, nil
	}
}

// before opens the page before the action that was decided by the event of an index.
func (h stream) before(index string) (*page.Before, error) {
	i, err := strconv.Atoi(index)
	if err != nil {
		return nil, err
	}
	e, err := h.data(h.events[i], task.Codec.Decode)
	if err != nil {
		return nil, err
	}
	switch decided := task.RedactForReaders(e, h.secrets).(type) {
	case task.ActionGenerated:
		return &decided.Before, nil
	case task.CorrectionIssued:
		return &decided.Before, nil
	}
	return nil, fmt.Errorf("event %d decided no action", h.events[i].Revision)
}

// stream is a task's stream with its secrets.
type stream struct {
	id      string
	log     string // which it was read from
	events  []eventstore.Recorded
	head    int64
	key     domain.Sealer
	secrets *secret.Set
	// opened are events that are decoded already, by revision.
	opened map[int64]task.Event
	// folds are all events as states are folded of them; nil for a stream that is not
	// held.
	folds func() ([]task.Event, error)
}

// read reads a task's stream if it is the tenant's, which its first event says: of
// another's no more than that page is read, and no key is asked for.
func (r Reader) read(ctx context.Context, tenant, id string) (h stream, err error) {
	if !domain.ValidUUID(id) {
		return h, NotFound().At("taskId")
	}
	h.id = domain.NormalUUID(id)
	if held, err := r.held(ctx, tenant, h.id); err != nil || held != nil {
		if held != nil {
			h = held.stream
		}
		return h, err
	}
	first, err := r.Log.ReadStream(ctx, task.Stream(h.id), eventstore.ReadOptions{Limit: firstPage})
	if err != nil {
		return h, err
	}
	if len(first.Events) == 0 || first.Events[0].Metadata().Tenant != tenant {
		return h, NotFound()
	}
	if h.key, err = r.Keys.Key(ctx, tenant, h.id); err != nil {
		return h, err
	}
	h.log = first.Log
	if h.events, h.head, err = r.readOn(ctx, task.Stream(h.id), first); err != nil {
		return h, err
	}
	values, opened, err := secretsIn(h.events, h.key)
	h.secrets, h.opened = secret.New(values...), map[int64]task.Event{}
	for i, e := range opened {
		if e != nil {
			h.opened[h.events[i].Revision] = e
		}
	}
	if err == nil {
		r.Opened.put(tenant, h)
	}
	return h, err
}

// held returns the tenant's stream as it is held, nil where it is not, or not any more as
// the log has it.
func (r Reader) held(ctx context.Context, tenant, id string) (*openedStream, error) {
	head := r.Opened.head(tenant, id)
	if head < 0 {
		return nil, nil
	}
	news, err := r.Log.ReadStream(ctx, task.Stream(id), eventstore.ReadOptions{From: head, Limit: 2})
	if err != nil || len(news.Events) != 1 {
		return nil, err
	}
	key, err := r.Keys.Key(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	return r.Opened.get(tenant, id, news.Log, news.Head, key), nil
}

// firstPage holds the whole stream of nearly every task.
const firstPage = 1000

// readAll reads a whole stream.
func (r Reader) readAll(ctx context.Context, name string) (events []eventstore.Recorded, head int64, err error) {
	first, err := r.Log.ReadStream(ctx, name, eventstore.ReadOptions{})
	if err != nil {
		return nil, 0, err
	}
	return r.readOn(ctx, name, first)
}

// readOn reads what follows the first page of a stream.
func (r Reader) readOn(ctx context.Context, name string, slice eventstore.Slice) (events []eventstore.Recorded, head int64, err error) {
	events = slice.Events
	for slice.More && len(slice.Events) > 0 {
		if slice, err = r.Log.ReadStream(ctx, name, eventstore.ReadOptions{From: events[len(events)-1].Revision + 1}); err != nil {
			return nil, 0, err
		}
		events = append(events, slice.Events...)
	}
	return events, slice.Head, nil
}

// has returns the error for a revision the task does not have, or not any more.
func (h stream) has(revision int64) error {
	if revision < h.events[0].Revision || revision > h.head {
		return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound,
			"the task has no revision %d; its newest is %d", revision, h.head).At("revision")
	}
	return nil
}

// fold calls each for every event up to a revision, decoded and without secrets, with
// the states before and after it.
func (h stream) fold(to int64, each func(at Event, before, after task.State) error) error {
	state := task.Initial()
	for _, recorded := range h.events {
		if recorded.Revision > to {
			break
		}
		at, err := h.decode(recorded)
		if err != nil {
			return err
		}
		after := task.Evolve(state, at.Data)
		if err := each(at, state, after); err != nil {
			return err
		}
		state = after
	}
	return nil
}

// decode opens an event and removes secrets from it. Glance is the same without what is
// large and stored apart.
func (h stream) decode(r eventstore.Recorded) (Event, error) { return h.open(r, task.Codec.Decode) }

func (h stream) glance(r eventstore.Recorded) (Event, error) { return h.open(r, task.Codec.Glance) }

type decoder func(name string, data []byte, eventID string, s domain.Sealer) (task.Event, error)

func (h stream) open(r eventstore.Recorded, decode decoder) (Event, error) {
	data, err := h.data(r, decode)
	if err != nil {
		return Event{}, err
	}
	m := r.Metadata()
	return Event{
		ID: r.ID, Type: r.Type, Revision: r.Revision, Position: r.Position, RecordedAt: r.RecordedAt,
		Tenant: m.Tenant, Actor: m.Actor, Correlation: m.Correlation, Causation: m.Causation, Schema: m.Schema,
		Importance: ImportanceOf(data), Data: task.RedactForReaders(data, h.secrets),
	}, nil
}

// data is what an event says, secrets included.
func (h stream) data(r eventstore.Recorded, decode decoder) (task.Event, error) {
	if e, opened := h.opened[r.Revision]; opened {
		return e, nil
	}
	e, err := decode(r.Type, r.Data, r.ID, h.key)
	if domain.IsNewer(err) {
		return task.Unknown{Name: r.Type}, nil
	}
	return e, err
}

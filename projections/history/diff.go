package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Change is a field in which two states differ. Path is a JSON pointer into
// task.State; From or To is missing if the field is.
type Change struct {
	Path string          `json:"path"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// Diff returns the changes between the states at two revisions, ordered by path. The
// errors are those of StateAt.
func (r Reader) Diff(ctx context.Context, tenant, id string, from, to int64) ([]Change, error) {
	before, err := r.StateAt(ctx, tenant, id, from)
	if err != nil {
		return nil, err
	}
	after, err := r.StateAt(ctx, tenant, id, to)
	if err != nil {
		return nil, err
	}
	changes := []Change{}
	if err := diff("", before.State, after.State, &changes); err != nil {
		return nil, fmt.Errorf("diff of task %s from %d to %d: %w", id, from, to, err)
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes, nil
}

// diff descends while both sides are objects, or arrays.
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
		*out = append(*out, Change{path, from, to})
		return nil
	}
	for name := range a {
		if err := diff(path+"/"+name, a[name], b[name], out); err != nil {
			return err
		}
	}
	for name := range b {
		if _, both := a[name]; !both {
			*out = append(*out, Change{path + "/" + name, nil, b[name]})
		}
	}
	return nil
}

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

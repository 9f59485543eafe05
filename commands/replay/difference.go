package replay

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/stepledger/stepledger/domain/task"
)

// Difference is the first place in which the events of a turn differ: the event, by its
// index in the turn and its name, and the field, as a JSON pointer. Was or Now is missing
// where the event or the field is.
type Difference struct {
	Index int             `json:"index"`
	Event string          `json:"event"`
	Field string          `json:"field,omitempty"`
	Was   json.RawMessage `json:"was,omitempty"`
	Now   json.RawMessage `json:"now,omitempty"`
}

// compare returns the first difference, nil if there is none.
func compare(was, now []task.Event) (*Difference, error) {
	for i := range max(len(was), len(now)) {
		switch {
		case i >= len(now):
			return &Difference{Index: i, Event: task.Codec.Name(was[i]), Was: text(task.Codec.Name(was[i]))}, nil
		case i >= len(was):
			return &Difference{Index: i, Event: task.Codec.Name(now[i]), Now: text(task.Codec.Name(now[i]))}, nil
		}
		a, b := task.Codec.Name(was[i]), task.Codec.Name(now[i])
		if a != b {
			return &Difference{Index: i, Event: a, Was: text(a), Now: text(b)}, nil
		}
		d, err := compareEvent(was[i], now[i])
		if d != nil || err != nil {
			if d != nil {
				d.Index, d.Event = i, a
			}
			return d, err
		}
	}
	return nil, nil //nolint:nilnil // no difference
}

func compareEvent(was, now task.Event) (*Difference, error) {
	a, err := json.Marshal(withoutUndecided(was))
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(withoutUndecided(now))
	if err != nil {
		return nil, err
	}
	return firstField("", a, b), nil
}

// undecided are the fields of an answer that nothing was decided by: how long it took, and
// the action in another form. Answers from before they were given have none.
var undecided = []string{"metrics", "toolAction"}

// withoutUndecided returns an event without them.
func withoutUndecided(e task.Event) task.Event {
	ended, ok := e.(task.TurnEnded)
	var answer map[string]json.RawMessage
	if !ok || json.Unmarshal(ended.Answer, &answer) != nil || answer == nil {
		return e
	}
	for _, name := range undecided {
		delete(answer, name)
	}
	if text, err := json.Marshal(answer); err == nil {
		ended.Answer = text
	}
	return ended
}

// firstField descends to the first field, in the order of their names, that differs.
func firstField(path string, was, now json.RawMessage) *Difference {
	if bytes.Equal(was, now) {
		return nil
	}
	a, b := members(was), members(now)
	if a == nil || b == nil || was[0] != now[0] {
		return &Difference{Field: path, Was: was, Now: now}
	}
	names := slices.Sorted(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if d := firstField(path+"/"+name, a[name], b[name]); d != nil {
			return d
		}
	}
	return nil
}

// members are those of an object, or the items of an array by their index; nil for
// anything else.
func members(j json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(j, &object) == nil && object != nil {
		return object
	}
	var list []json.RawMessage
	if json.Unmarshal(j, &list) != nil || list == nil {
		return nil
	}
	object = make(map[string]json.RawMessage, len(list))
	for i, item := range list {
		object[strconv.Itoa(i)] = item
	}
	return object
}

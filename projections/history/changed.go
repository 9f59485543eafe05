package history

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/task"
)

// stateFields are the fields of task.State that are shown, by their index.
var stateFields = func() map[int]string {
	fields := map[int]string{}
	t := reflect.TypeFor[task.State]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			fields[i] = name
		}
	}
	return fields
}()

// changedBy returns what one event changed. It gives what Changes gives for the states
// as JSON, in any order, and costs what changed and not what there is: an event leaves
// nearly all of a state as it was, and states share what they have in common.
func changedBy(before, after task.State) (out []Change, err error) {
	a, b := reflect.ValueOf(before), reflect.ValueOf(after)
	for i, name := range stateFields {
		if reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			continue
		}
		if name == "steps" && before.Steps != nil && after.Steps != nil {
			err = changedSteps(before.Steps, after.Steps, &out)
		} else {
			err = changedField(i, name, a, b, &out)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func changedSteps(before, after []task.Step, out *[]Change) error {
	for i := range max(len(before), len(after)) {
		var sides [2]json.RawMessage
		if i < len(before) && i < len(after) && reflect.DeepEqual(before[i], after[i]) {
			continue
		}
		for side, steps := range [][]task.Step{before, after} {
			if i >= len(steps) {
				continue
			}
			var err error
			if sides[side], err = json.Marshal(steps[i]); err != nil {
				return err
			}
		}
		if err := diff("/steps/"+strconv.Itoa(i), sides[0], sides[1], out); err != nil {
			return err
		}
	}
	return nil
}

// changedField encodes a field by itself, in a state that is otherwise empty: so its
// tag decides whether it is there.
func changedField(i int, name string, before, after reflect.Value, out *[]Change) error {
	var sides [2]json.RawMessage
	for side, state := range []reflect.Value{before, after} {
		var alone task.State
		reflect.ValueOf(&alone).Elem().Field(i).Set(state.Field(i))
		whole, err := json.Marshal(alone)
		if err != nil {
			return err
		}
		members, err := children(whole)
		if err != nil {
			return err
		}
		sides[side] = members[name]
	}
	return diff("/"+name, sides[0], sides[1], out)
}

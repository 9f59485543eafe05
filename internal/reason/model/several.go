package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// written is one action of an answer.
type written struct {
	Action      json.RawMessage `json:"action"`
	Description string          `json:"description"`
	CanFail     bool            `json:"canFail"`
}

// errTwoActions refuses an answer whose one action is not the first of its several.
var errTwoActions = errors.New(`"action" is another than the first of "actions": leave one of them empty`)

// readWritten returns the actions of an answer in order, none if it has none. Items of
// "actions" may be objects or plain actions.
func readWritten(o map[string]json.RawMessage) ([]written, error) {
	var several []written
	var raw []json.RawMessage
	if o["actions"] != nil && json.Unmarshal(o["actions"], &raw) != nil {
		return nil, errors.New(`"actions" has to be a list`)
	}
	for _, r := range raw {
		var w written
		if err := json.Unmarshal(r, &w); err != nil || w.Action == nil {
			w = written{Action: r}
		}
		if !isEmpty(w.Action) {
			several = append(several, w)
		}
	}
	if isEmpty(o["action"]) {
		return several, nil
	}
	alone := written{Action: o["action"]}
	if len(several) == 0 {
		return []written{alone}, nil
	}
	one, err := readAction(alone.Action)
	first, bad := readAction(several[0].Action)
	if err != nil || bad != nil || one != first {
		return nil, errTwoActions
	}
	return several, nil
}

// readFurther returns the actions after the first, as far as each is possible on the
// page as it is. whole is false if some were left out; nothing is asked again for them,
// since they come in a later turn.
func readFurther(list []written, q reasoning.ActQuestion) (out []reasoning.ActStep, whole bool) {
	for _, w := range list[:min(len(list), reasoning.MaxActions-1)] {
		a, err := readAction(w.Action)
		a = unmaskSecrets(q.On, a)
		if err != nil || a.EndsTask() || a.OnServer() || checkAction(a, q) != nil {
			return out, false
		}
		out = append(out, reasoning.ActStep{Action: a, Description: describeWritten(w, q.On), CanFail: w.CanFail})
	}
	return out, len(out) == len(list)
}

func describeWritten(w written, on reasoning.On) string {
	return prompt.Clip(blankSecrets(on, w.Description), maxName)
}

// checkClient refuses actions that the client cannot do.
func checkClient(a action.Action, q reasoning.ActQuestion) error {
	switch {
	case a.Name == action.GoogleSearch && !q.MaySearch:
		return errors.New("the web cannot be searched now: go on without")
	case !a.OnServer() && !q.Client.Can(a):
		return errors.New("the browser cannot do " + a.String() + "; use one of the ACTIONS")
	}
	return nil
}

// checkDrop refuses to drag to where there is nothing.
func checkDrop(a action.Action, q reasoning.ActQuestion) error {
	if e, ok := q.Page.ByID(a.To); a.To != "" && (!ok || e.State.Hidden) {
		return fmt.Errorf("there is no element %q on the page to drag to", a.To)
	}
	return nil
}

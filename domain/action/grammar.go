package action

import (
	"fmt"
	"slices"
)

// param is the kind of an argument.
type param int

const (
	idParam param = iota
	toParam
	textParam
	secondsParam
)

// form is the shape of an action: its parameters in order, of which the first min are
// required.
type form struct {
	name   Name
	params []param
	min    int
}

// grammar is the whole language. String, Parse and Validate all use it.
var grammar = []form{
	{Click, []param{idParam}, 1},
	{SetValue, []param{idParam, textParam}, 2},
	{Type, []param{textParam}, 1},
	{Press, []param{textParam}, 1},
	{Hover, []param{idParam}, 1},
	{Scroll, []param{idParam, textParam}, 0}, // scroll("up") has a direction and no id
	{Drag, []param{idParam, toParam}, 2},
	{Upload, []param{idParam, textParam}, 2},
	{Wait, []param{secondsParam}, 1},
	{Navigate, []param{textParam}, 1},
	{GoBack, nil, 0},
	{GoogleSearch, []param{textParam}, 1},
	{VerifySuccess, []param{textParam}, 1},
	{Find, []param{textParam}, 1},
	{More, nil, 0},
	{Finish, []param{textParam}, 0},
	{Fail, []param{textParam}, 1}, // a failure without a reason helps nobody: fail() is refused
}

func formOf(n Name) form {
	for _, f := range grammar {
		if f.name == n {
			return f
		}
	}
	return form{}
}

func (f form) has(k param) bool { return slices.Contains(f.params, k) }

func (f form) arity() string {
	switch {
	case len(f.params) == 0:
		return "no argument"
	case f.min < len(f.params):
		return fmt.Sprintf("%d to %d arguments", f.min, len(f.params))
	case f.min == 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", f.min)
	}
}

package rules

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// move is what the rules would do next.
type move struct {
	kind       moveKind
	action     action.Action
	on         page.Element
	thought    string
	expected   string
	confidence float64
	skills     []string
	// question and missing are for the user; reason says why there is no move.
	question string
	missing  []string
	reason   string
	// seeks is what is not on the page as the client sent it.
	seeks string
	// lacks is the value of the task that has no place, and lacksOption says that
	// its place does not offer it.
	lacks       field
	lacksOption bool
	// evidence is what shows that a part is done, quote the words of the page that
	// do, if any.
	evidence, quote string
}

type moveKind int

const (
	isUnknown moveKind = iota
	isAction
	isQuestion
	isDone
)

// How sure a move is: by an exact name, by a name with other words around it,
// by the kind of control alone.
const (
	sure     = 0.95
	likely   = 0.85
	possible = 0.75
)

func act(a action.Action, on page.Element, confidence float64, thought, expected string) move {
	return move{kind: isAction, action: a, on: on, confidence: confidence, thought: thought, expected: expected}
}

func clickOn(e page.Element, confidence float64, thought, expected string) move {
	return act(action.Action{Name: action.Click, Target: e.ID}, e, confidence, thought, expected)
}

func done(format string, args ...any) move {
	return move{kind: isDone, evidence: fmt.Sprintf(format, args...)}
}

func ask(missing []string, format string, args ...any) move {
	return move{kind: isQuestion, question: fmt.Sprintf(format, args...), missing: missing}
}

func unknown(format string, args ...any) move {
	return move{reason: "I need a language model or more detail to " + fmt.Sprintf(format, args...) + "."}
}

// unseen is an unknown for want of an element.
func unseen(what, format string, args ...any) move {
	m := unknown(format, args...)
	m.seeks = what
	return m
}

func unclear(pieces []string) move {
	return unknown("understand this part of the task: %s", quotedList(pieces))
}

func finish(evidence []string, quote string) move {
	text := "Done: " + strings.Join(evidence, "; ") + "."
	return move{
		kind: isAction, confidence: sure, evidence: strings.Join(evidence, "; "), quote: quote,
		action:  action.Action{Name: action.Finish, Text: page.Cut(text, action.MaxText)},
		thought: "Everything you asked for is done.",
	}
}

// ends reports whether the move says that the task is done.
func (m move) ends() bool { return m.kind == isAction && m.action.Name == action.Finish }

func (m move) answer() reasoning.ActAnswer {
	a := reasoning.ActAnswer{By: By}
	switch m.kind {
	case isAction:
		if err := m.action.Validate(); err != nil {
			a.Undecided, a.Reason = true, "The next step cannot be put as an action: "+err.Error()
			return a
		}
		a.Action, a.Thought, a.Confidence, a.SkillsUsed = m.action, m.thought, m.confidence, m.skills
		a.Expected.Description, a.Proof = m.expected, m.quote
	case isQuestion:
		a.UserQuestion, a.Missing = m.question, m.missing
	default:
		a.Undecided, a.Reason, a.Seeks = true, m.reason, m.seeks
	}
	return a
}

func quoted(s string) string { return "“" + page.Cut(page.Clean(s), 120) + "”" }

func quotedList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quoted(s)
	}
	return strings.Join(out, ", ")
}

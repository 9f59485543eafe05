package act

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Move is what the rules would do next for the task.
type Move struct {
	// Kind says whether Action or Question is set; it is neither where the rules do
	// not know what to do.
	Kind moveKind
	// Action is what to do, and On the element it is done to, if any.
	Action action.Action
	On     page.Element
	// Thought says to the user what is done and why. It has no value of a secret field.
	Thought    string
	expected   string
	confidence float64
	// Skills are the ids of the skills that chose the action.
	Skills []string
	// Question is what to ask the user, and missing the names of what is asked for.
	Question string
	missing  []string
	// reason says why there is no move.
	reason string
	// seeks names what is not on the page as the client sent it.
	seeks string
	// lacks is the value of the task that has no field here; with lacksOption it has
	// one that does not offer it.
	lacks       field
	lacksOption bool
	// Evidence says what shows that the task is done, and Quote is the text of the
	// page that does, if any. Both are empty in a move that does not end the task.
	Evidence, Quote string
}

type moveKind int

const (
	isUnknown moveKind = iota
	// IsAction is a move with the next action, which may finish the task.
	IsAction
	// IsQuestion is a move with a question to the user.
	IsQuestion
	isDone // a part of the task is done
)

// How sure a move is: by an exact name, by a name with other words around it,
// by the kind of control alone.
const (
	sure     = 0.95
	likely   = 0.85
	possible = 0.75
)

func act(a action.Action, on page.Element, confidence float64, thought, expected string) Move {
	return Move{Kind: IsAction, Action: a, On: on, confidence: confidence, Thought: thought, expected: expected}
}

func clickOn(e page.Element, confidence float64, thought, expected string) Move {
	return act(action.Action{Name: action.Click, Target: e.ID}, e, confidence, thought, expected)
}

func done(format string, args ...any) Move {
	return Move{Kind: isDone, Evidence: fmt.Sprintf(format, args...)}
}

func ask(missing []string, format string, args ...any) Move {
	return Move{Kind: IsQuestion, Question: fmt.Sprintf(format, args...), missing: missing}
}

func unknown(format string, args ...any) Move {
	return Move{reason: "I need a language model or more detail to " + fmt.Sprintf(format, args...) + "."}
}

// unseen is unknown because an element is not on the page; what is that element.
func unseen(what, format string, args ...any) Move {
	m := unknown(format, args...)
	m.seeks = what
	return m
}

func unclear(pieces []string) Move {
	return unknown("understand this part of the task: %s", quotedList(pieces))
}

func finish(evidence []string, quote string) Move {
	text := "Done: " + strings.Join(evidence, "; ") + "."
	return Move{
		Kind: IsAction, confidence: sure, Evidence: strings.Join(evidence, "; "), Quote: quote,
		Action:  action.Action{Name: action.Finish, Text: page.Cut(text, action.MaxText)},
		Thought: "Everything you asked for is done.",
	}
}

// Ends reports whether the move finishes the task.
func (m Move) Ends() bool { return m.Kind == IsAction && m.Action.Name == action.Finish }

// Answer is the move as an answer to the question it was found for. It is Undecided,
// with a reason, where there is neither an action nor a question.
func (m Move) Answer() reasoning.ActAnswer {
	a := reasoning.ActAnswer{By: reasoning.ByRules}
	switch m.Kind {
	case IsAction:
		if err := m.Action.Validate(); err != nil {
			a.Undecided, a.Reason = true, "The next step cannot be put as an action: "+err.Error()
			return a
		}
		a.Action, a.Thought, a.Confidence, a.SkillsUsed = m.Action, m.Thought, m.confidence, m.Skills
		a.Expected.Description, a.Proof = m.expected, m.Quote
	case IsQuestion:
		a.UserQuestion, a.Missing = m.Question, m.missing
	default:
		a.Undecided, a.Reason, a.Seeks = true, m.reason, m.seeks
	}
	return a
}

func quotedList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = text.Quoted(s)
	}
	return strings.Join(out, ", ")
}

package do

import (
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Move is what the rules would do next for the task.
type Move struct {
	// Kind says whether Action or Question is set; it is neither where the rules do
	// not know what to do.
	Kind Kind
	// Action is what to do, and On the element it is done to, if any.
	Action action.Action
	On     page.Element
	// For is the step of the program the action is for.
	For instruction.Progress
	// Thought says to the user what is done and why. It has no value of a secret field.
	Thought    string
	Expected   string
	Confidence float64
	// Skills are the ids of the skills that chose the action.
	Skills []string
	// Question is what to ask the user, and Missing the names of what is asked for.
	Question string
	Missing  []string
	// Reason says why there is no move.
	Reason string
	// Seeks names what is not on the page as the client sent it.
	Seeks string
	// Evidence says what shows that the task is done, and Quote is the text of the
	// page that does, if any. Both are empty in a move that does not end the task.
	Evidence, Quote string
}

// Kind is what a move is.
type Kind int

// The kinds of moves.
const (
	IsUnknown  Kind = iota // it is not known what to do; Reason says why
	IsAction               // the next action, which may finish the task
	IsQuestion             // a question to the user
	IsDone                 // a part of the task is done
)

// How sure a move is: by an exact name, by a name with other words around it,
// by the kind of control alone.
const (
	Sure     = 0.95
	Likely   = 0.85
	Possible = 0.75
)

// Act is a move that does something.
func Act(a action.Action, on page.Element, confidence float64, thought, expected string) Move {
	return Move{Kind: IsAction, Action: a, On: on, Confidence: confidence, Thought: thought, Expected: expected}
}

// Click is a move that clicks an element.
func Click(e page.Element, confidence float64, thought, expected string) Move {
	return Act(action.Action{Name: action.Click, Target: e.ID}, e, confidence, thought, expected)
}

// Done says that a part of the task is done, and what shows it.
func Done(format string, args ...any) Move {
	return Move{Kind: IsDone, Evidence: fmt.Sprintf(format, args...)}
}

// Ask puts a question to the user; missing are the names of what is asked for.
func Ask(missing []string, format string, args ...any) Move {
	return Move{Kind: IsQuestion, Question: fmt.Sprintf(format, args...), Missing: missing}
}

// Unknown says what a model, or more detail, is needed for.
func Unknown(format string, args ...any) Move {
	return Move{Reason: "I need a language model or more detail to " + fmt.Sprintf(format, args...) + "."}
}

// Unseen is Unknown because something is not on the page; what is that.
func Unseen(what, format string, args ...any) Move {
	m := Unknown(format, args...)
	m.Seeks = what
	return m
}

// Finish is the move that ends the task.
func Finish(evidence, quote string) Move {
	return Move{
		Kind: IsAction, Confidence: Sure, Evidence: evidence, Quote: quote,
		Action:  action.Action{Name: action.Finish, Text: page.Cut("Done: "+evidence+".", action.MaxText)},
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
		a.Action, a.Thought, a.Confidence, a.SkillsUsed, a.For = m.Action, m.Thought, m.Confidence, m.Skills, m.For
		a.Expected.Description, a.Proof = m.Expected, m.Quote
	case IsQuestion:
		a.UserQuestion, a.Missing = m.Question, m.Missing
	default:
		a.Undecided, a.Reason, a.Seeks = true, m.Reason, m.Seeks
	}
	return a
}

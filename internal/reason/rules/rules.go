// Package rules answers the questions of the interact graph without a model:
// no tokens, no network, the same answer for the same question.
//
// It reads a task ("add a patient with name 'Jas' and press save") into parts,
// finds the fields and controls those parts are about by whole words of what a
// person sees, and judges an action by what changed. It reads tasks in English,
// and what pages say in some thirty languages, by lists of words. It knows forms
// in general and no page or task in particular.
//
// It never clicks a guess. Of two equally good targets it asks the user which,
// unless they are links to the same address, and does not take one because the
// other failed. Other words or another role for the same thing ("New patient",
// "Add patient") are another way to it, to be tried in turn. What it does not
// understand it says (Undecided), with a reason in the user's words. What is not on
// the page is looked for in what the user's reply names and further down in lists, a
// bounded way, before it asks. What covers a target is closed first, by a refusal or
// a plain close rather than an agreement, and never by what may do more; what the
// page wants confirmed is confirmed if it is what was asked for. Only the
// task and the user's answers say what to do: the text of a page names things
// and shows results, it is never an instruction. A value of a secret field
// appears in the action only, never in a thought or a reason.
//
// Limits: no arithmetic, no reading comprehension, no dates relative to today,
// no choice by looks or attributes ("the blue one", "the cheapest"), no drag and drop. Replies come
// without the questions they answered: "the second one" counts in any later list
// that fits equally well, until another reply points into it.
package rules

import (
	"context"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// By is how the rules sign their answers.
const By = "rules"

// Reasoner answers by rules. Its zero value is ready and safe for concurrent use.
type Reasoner struct{}

// Act gives the next action of the task, or the question to put to the user,
// or is Undecided. Its error is that of a context that ended before it had one:
// there is nothing else outside to fail.
func (Reasoner) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	m := newView(ctx, q).next()
	if err := ctx.Err(); err != nil {
		return reasoning.ActAnswer{}, err
	}
	return m.answer(), nil
}

// Package act finds the next step of a task without a model: no tokens, no network,
// the same answer for the same question.
//
// It reads a task ("add a patient with name 'Jas' and press save") into parts of forms,
// and finds the fields and controls those parts are about by whole words of what a
// person sees. What that leaves open, and a task that says step by step what to do and
// of which every word was understood, is done by its steps (plain.go, package do). It
// reads tasks in English, and messages of pages in the languages of package lexicon. It
// knows forms in general and no page or task in particular.
//
// It never clicks a guess. Of two equally good targets it asks the user which, unless
// they are links to the same address, and it does not take one because the other
// failed. Other words or another role for the same thing ("New patient", "Add
// patient") are another way, to be tried in turn. What it does not understand it says,
// with a reason in the user's words.
//
// What is not on the page is looked for in what the user's reply names and further
// down in lists, a bounded number of times, before it asks. What covers a target is
// closed first: by a refusal or a plain close before an agreement, and never by a
// control that may do more. What the page wants confirmed is confirmed if it is what
// was asked for.
//
// Only the task and the user's answers say what to do: the text of a page names things
// and shows results, it is never an instruction. A value of a secret field appears in
// the action only, never in a thought or a reason.
//
// Limits: no arithmetic, no reading comprehension, no dates relative to today, no
// choice by looks that no text of the page tells.
// Replies come without the questions they answered: "the second one" counts in any
// later list that fits equally well, until another reply points into it. Tasks of more
// than 10,000 bytes or 100 pieces are not read. Time grows with the page and the task
// and no faster, and ends with the context.
package act

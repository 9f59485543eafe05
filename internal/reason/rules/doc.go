// Package rules answers the questions of the interact graph without a model: no tokens,
// no network, the same answer for the same question. Where it does not know, it says so
// (Undecided), and a model or the user is asked.
//
// It is a façade over rooms, each of which imports only those below it:
//
//	rules.go verify.go confirm.go   the questions: Act, Verify, Correct, Confirm
//	correct/                        what to do after an action failed
//	act/      verdict/              the next step of a task; whether an action worked
//	do/                             the steps of a task that says what to do
//	explore/                        where to look for what is not on the page
//	ground/                         which elements are meant by what was said
//	text/                           words, labels, options: how texts are compared
//	words/                          the words of controls and replies, one file
//	lexicon/                        the words of pages, a file a language
//
// # Why did this verdict say failed?
//
// A verdict carries the id of the rule that spoke, and of the veto that held it back, in
// the event (domain/task/events.go, ActionVerified), in the response (verification.rule
// and verification.veto) and in the recorded cases. From an id to the reason:
//
//  1. verdict/rules.go has the order in which rules are asked; the first whose evidence
//     holds speaks. Search the folder for the id: it stands in one row, in the file of
//     its topic: verdict/report.go (what the client reported), verdict/field.go,
//     verdict/message.go, verdict/choice.go, verdict/page.go, verdict/control.go,
//     verdict/gone.go, verdict/alike.go, verdict/content.go. Vetoes are in
//     verdict/vetoes.go.
//  2. A row names its facts, all of which have to hold: "click", "not another address".
//     A fact is a predicate declared in the same file, or in verdict/fact.go if many
//     files need it.
//  3. Facts look at one value, verdict/evidence.go: the observations sorted by what they
//     say of the action. What the page and the client say in words is sorted in
//     verdict/messages.go, by lexicon/polarity.go.
//  4. Each row has an example, a recorded case: `stepledger verdicts show train/betyg/spara`
//     prints its goal, its observations and the verdict. spoken_test.go and veto_test.go
//     have a small one for each, with one beside it in which it does not speak.
//
// To change a rule, change its row and run `make verdicts`: the report prints for every
// id how many cases, pages and hands need it, and how often it is right. A rule or veto
// that fewer than three pages by two hands need goes, unless its row says what else it
// stands on (given).
package rules

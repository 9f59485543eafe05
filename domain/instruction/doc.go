// Package instruction reads what a user says in plain words as a small program: steps,
// each with what to do, to what, with which value, and when. It knows no page. What the
// words can mean on one is for who has the page to find out; a Reference says only what
// was said of a thing: its kind, its name, its place among others.
//
// An example:
//
//	In the row of Ada, click Edit. Enter "40" as the age, frobnicate and press Save
//
// is read as (Program.String)
//
//	use -> in(row of("Ada"))
//	click -> "Edit"
//	enter number"40" -> "age" ?target "frobnicate"
//	click -> "Save"
//
// A step a line: the act, the value, the target, after "to" the place, after "with" what
// else is given. `#2` is the second, `+` the plural, `in(…)` a relation, `colour=red` an
// attribute, `[age]=` the label of a value. The last word of the third line is a hole.
//
// # Promises
//
//   - No word is dropped. Every word of a query is in Program.Words once, with what it
//     was read as; a word that was not understood is Unread and stands in exactly one
//     hole of one step, which says what is missing there. A program is only to be
//     trusted as a whole if it is Complete: a hole may turn the meaning round.
//   - What is doubtful is a hole and not a guess. A capital or quotes make a name of a
//     word that would mean something else ("click Then", "select A and B").
//   - Quoted text arrives as it was written.
//   - Read is deterministic and pure, never panics, and takes time linear in the length
//     of the query, of which 8 KiB are read; the rest is a hole.
//
// # Limits
//
// Reading is of sentences that tell what to do. Of a goal ("find a hotel for two in May
// that takes dogs") it reads what it can, and relations ("for two", "in May") are as
// said, whether they stand for places on a page or for values. A name that contains
// "and" or a comma is a list unless it is quoted, and one with a verb behind its "and"
// ends there ("open the save and close menu"); "&" between capitals is within a name,
// and so is the comma before a country, a state, or two or three capitals behind a
// preposition, even if they are meant for another of a list. A lower-case word behind a
// quoted name is the noun of it, though it may have been meant to say how; one behind a
// kind makes both a name ("the message preview setting"). A condition before a clause
// holds to the end of its sentence or to "then". A pronoun is an It: the step before says
// what it is. A verb of applications ("archive", "reply to") is a Command: it says what a
// control is called, and nothing here knows what it does. A verb that the grammar does
// not know is one too, if it begins a clause, an article, a quotation or a name follows,
// and all of the clause is understood. What a command is given ("with the reason "flu"
// and date 5/6/2027", "from: Oslo to: Bergen") is in Step.With, whether the user means a
// field to fill or a property to find the thing by; a value without quotes is only read
// there if its label, its form or the values beside it show where it begins.
//
// # Languages
//
// The code has no words. A language is a file NAME.txt beside it: words by class, and for
// every act its verbs and the frames of what may stand behind them. A query is read in
// the language most of whose words it has. What relates things is expected before the
// thing they are related to ("in the dialog"), and a verb before what it is about.
//
// # How it is read
//
// token.go cuts the query into words and literals, read.go into clauses; step.go finds
// the clause's verb (strange.go one that is unknown), given.go cuts out what a command is
// given, frame.go tries the frames of the verb and keeps the reading that leaves the
// fewest words; reference.go with noun.go, and value.go, read what stands in the slots.
package instruction

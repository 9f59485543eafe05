// Package ground finds the elements of a page that a reference of an instruction can
// mean: "the Edit button in the row of Ada", "both checkboxes", "the 3rd result".
//
// # How it works
//
// Every usable element gets a score from 0 to 1, the product of how well it fits what
// was said of it:
//
//	name.go      what it is called: by itself, its caption, its hint, its row
//	kind.go      what kind of thing it is, and what is to be done to it (Need)
//	place.go     where it stands: row, section, dialog, beside what
//	attribute.go its state, size, colour, how its name begins or ends
//
// Each factor leaves a reason (Candidate.Why), which `stepledger explain` prints. Then
// positions and quantities choose among those that fit equally (find.go).
//
// # What it promises
//
//   - Pure: a page and a reference give the same candidates in the same order. Time is
//     linear in the page for a reference of given length.
//   - An element that contradicts what was said (another kind, another row, another
//     state) is no candidate. What is not known of an element does not contradict.
//   - Several winners are several: it does not pick one of equals. Who asks decides
//     whether to ask the user.
//
// # Limits
//
// Colours are known where the author's names for things say them. Sizes need boxes,
// which not every client sends.
package ground

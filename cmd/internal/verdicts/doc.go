// Package verdicts measures verdicts on actions against the truth: whether what
// a page shows after an action led the rules to say rightly that it worked.
//
// A set is a tree of folders, one per page: the page itself, cases.json with what
// is done on it and how the page itself tells whether that worked, and
// recorded.jsonl.zst with what an extension would have sent of it (package record
// makes it with a real Chromium). The folder above a page is its split: rules are
// written with "train" open and measured on "test", which is held out whole.
//
// A recorded case is judged on the production path: its two bodies are read as
// the API reads them and go through two turns of the interact graph, on a log in
// memory. Only the action between them, which a reasoner would have chosen, comes
// from the recording.
//
// Limits: a case is one action at the beginning of a task, so what earlier steps
// of a task tell a verdict is not measured here. Shares are those of the cases as
// they were written, not of actions as they occur in the field.
package verdicts

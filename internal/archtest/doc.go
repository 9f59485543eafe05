// Package archtest enforces the design's import arrows as a test: which package may
// import which, where each third-party library lives, and that every package has a
// comment.
//
// The rules are the tables in rules.go; a package or a library that no row
// names is a violation too, so that whoever adds one decides where it belongs;
// so is a row for a package or a library that is not there. Files are parsed in
// the test process, whatever their build constraints: asking `go list` would
// let the test cache answer after a forbidden import was added, since it does
// not see what a child process reads.
//
// It looks at imports as written, not at what they lead to: the rows for the
// packages in between take care of that. Test files, and helper packages named
// like pgtest, may import any package of ours, but a library only where it
// lives; nothing else may import them.
//
// Documents are held to the tree as well: what they call by its path exists. So is the
// table of what is built: every component names tests that exist.
package archtest

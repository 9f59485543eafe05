// Package strictjson looks through a JSON document before it is decoded, and
// refuses what encoding/json would take without a word: bytes that are no
// UTF-8, a name that stands twice in an object, and more values than anybody
// has a use for, each of which costs many times its bytes once decoded.
//
// One pass, and memory only for the names of the objects that are open. Texts
// of millions of characters cost no more than finding their end.
//
// It does not replace the decoder: a document that passes can still be no JSON
// in a number or an escape. A lone surrogate escape (\ud800) is let through and
// decodes to U+FFFD, since browsers write one where a text was cut between the
// halves of a character.
package strictjson

import "errors"

// Limits of a document.
type Limits struct {
	// Depth is how many objects and arrays may stand in one another.
	Depth int
	// Items is the most an object or an array may have.
	Items int
	// Values is how many texts, numbers, objects and arrays there may be in all.
	Values int
	// Fold is down to which depth names are the same that differ in case only, as
	// they are for encoding/json where it fills a struct.
	Fold int
}

// Reason says what is wrong with a document.
type Reason int

// The reasons.
const (
	NotUTF8 Reason = iota + 1
	Duplicate
	TooDeep
	TooMany
)

// Fault is what is wrong where. Path is empty for the document itself; names in
// it are shortened.
type Fault struct {
	Reason Reason
	Path   string
}

// Error implements error.
func (f *Fault) Error() string {
	what := map[Reason]string{
		NotUTF8: "text that is not UTF-8", Duplicate: "a name that is given twice",
		TooDeep: "values nested too deeply", TooMany: "too many values",
	}[f.Reason]
	if f.Path == "" {
		return what
	}
	return f.Path + ": " + what
}

// ErrSyntax is a document that is no JSON. Where and why is the decoder's to say.
var ErrSyntax = errors.New("no JSON")

// Package strictjson decodes JSON documents and refuses what encoding/json would silently
// accept: bytes that are not UTF-8, duplicate names in an object, and more values than
// anybody needs, each of which costs many times its bytes once decoded.
//
// A document nothing is wrong with is read once, and its strings are copied once. Beside
// what it decodes to it needs memory only for the names of open objects. What is right,
// and what it decodes to, is what Check and encoding/json say of it one after the other.
//
// Check alone does not decode: a document that passes can still have an invalid number or
// escape. A lone surrogate escape (\ud800) passes and decodes to U+FFFD, since browsers
// write one when a text was cut between the halves of a character.
package strictjson

import "errors"

// Limits of a document.
type Limits struct {
	// Depth is how deeply objects and arrays may nest.
	Depth int
	// Items is the most an object or an array may have.
	Items int
	// Values bounds the strings, numbers, objects and arrays in all.
	Values int
	// Fold is the depth down to which names that differ only in case count as
	// duplicates, as encoding/json treats them when it fills a struct.
	Fold int
}

// Reason is what is wrong with a document.
type Reason int

// The reasons.
const (
	NotUTF8 Reason = iota + 1
	Duplicate
	TooDeep
	TooMany
)

// Fault is what is wrong and where. Path is empty for the document itself; names in
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

// ErrSyntax is returned for a document that is not JSON. The decoder says where.
var ErrSyntax = errors.New("no JSON")

package model

import (
	"slices"

	"github.com/stepledger/stepledger/domain/prompt"
)

// fence prepares the fields of a prompt with text from pages and adds the boundary of
// their fences. Task is the user's and stays as it is.
func fence(asker string, fields map[string]string) map[string]string {
	names := fenced
	if fields["Search"] != "" { // seldom: all other prompts stay as they are
		names = append(slices.Clip(names), "Search")
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = fields[name]
	}
	boundary, texts := prompt.Fence(asker, texts...)
	for i, name := range names {
		fields[name] = texts[i]
	}
	fields["Boundary"] = boundary
	return fields
}

// fenced are the fields inside fences, in a fixed order.
var fenced = []string{"History", "Changes", "Hints", "Page", "Found", "Note", "Action", "Expected", "Part", "Claim", "Failed", "Tried", "Why", "Answer"}

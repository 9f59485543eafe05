package model

import "github.com/stepledger/stepledger/domain/prompt"

// fence prepares the fields of a prompt with text from pages and adds the boundary of
// their fences. Task is the user's and stays as it is.
func fence(asker string, fields map[string]string) map[string]string {
	texts := make([]string, len(fenced))
	for i, name := range fenced {
		texts[i] = fields[name]
	}
	boundary, texts := prompt.Fence(asker, texts...)
	for i, name := range fenced {
		fields[name] = texts[i]
	}
	fields["Boundary"] = boundary
	return fields
}

// fenced are the fields inside fences, in a fixed order.
var fenced = []string{"History", "Changes", "Hints", "Page", "Action", "Expected", "Part", "Claim", "Failed", "Tried", "Why", "Answer"}

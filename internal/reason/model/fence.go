package model

import (
	"maps"
	"slices"

	"github.com/stepledger/stepledger/domain/prompt"
)

// fence prepares the fields of a prompt and adds the boundary of their fences. All but
// our own words and the user's task may hold text from pages or models, wherever the
// prompt puts them.
func fence(asker string, fields map[string]string) map[string]string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(name string) bool { return slices.Contains(trusted, name) })
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

// trusted are the fields that stand outside of fences as they are.
var trusted = []string{"Task", "Clock", "Offers", "Several", "Can"}

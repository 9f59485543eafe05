package model

import (
	"cmp"
	"encoding/json"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
)

// lookAhead reads whether the action should complete the task, and if not what the
// next step needs. Both are optional: if one cannot be read it is left out, without
// asking again.
func lookAhead(o map[string]json.RawMessage) (final bool, goal *page.NextGoal) {
	if final, err := readBool(o, "final"); err == nil && final {
		return true, nil
	}
	return false, readNextGoal(o["nextGoal"])
}

// readNextGoal reads what has to be on the page next, nil if a page cannot be checked
// for it. A text that is too long is dropped, since a shortened one would never be
// found. A role is only used if nothing else is given, since nearly every page has
// it.
func readNextGoal(raw json.RawMessage) *page.NextGoal {
	var g struct {
		Description, Text, Role, Selector string
		Required                          bool
	}
	if raw == nil || json.Unmarshal(raw, &g) != nil {
		return nil
	}
	text, selector, role := page.Clean(g.Text), page.Clean(g.Selector), page.Clean(g.Role)
	if utf8.RuneCountInString(text) > maxGoal || utf8.RuneCountInString(selector) > maxGoal {
		return nil
	}
	if long, known := longRoles[role]; known {
		role = long
	}
	if text != "" || selector != "" || !isRole(role) {
		role = ""
	}
	if text == "" && selector == "" && role == "" {
		return nil
	}
	about := cmp.Or(prompt.Clip(g.Description, maxName), text, selector, role)
	return &page.NextGoal{Description: about, Text: text, Selector: selector, Role: role, Required: g.Required}
}

// maxGoal bounds what is looked for, in characters.
const maxGoal = 120

// longRoles are the roles of the legend's short words, which models repeat.
var longRoles = map[string]string{
	"btn": "button", "inp": "textbox", "chk": "checkbox", "sel": "combobox", "opt": "option", "menu": "menuitem",
}

// isRole reports whether a word could be an ARIA role.
func isRole(s string) bool {
	for _, r := range s {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return s != "" && len(s) <= 20
}

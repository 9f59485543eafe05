package action

import (
	"slices"
	"strings"
)

// Capability is a word of clientCapabilities: the name of an action, or one of the
// abilities below.
type Capability string

// Abilities that are no action of their own. A client that does not declare one is
// never sent what needs it.
const (
	// CanChain: several actions at once, in order, with a report on how far it came.
	CanChain Capability = "chain"
	// CanScrollTo: scroll with a direction. Others would look for an element "up".
	CanScrollTo Capability = "scrollDirection"
	// CanChooseSeveral: setValue on a list of several choices with one option a line.
	CanChooseSeveral Capability = "multiSelect"
)

// always are the actions every client can do (spec: client contract).
var always = []Name{Click, SetValue, Navigate, GoBack, Scroll, Wait, Finish, Fail}

// Abilities are what a client can do beside what every client can: the declared words
// with spaces around them. The zero value is that of a client that declares nothing.
type Abilities string

// Declared returns the abilities of a client that declares these words. Words nobody
// knows are ignored.
func Declared(words []string) Abilities {
	if len(words) == 0 {
		return ""
	}
	return Abilities(" " + strings.Join(words, " ") + " ")
}

// Words are the declared words that mean something, in the order of their declaration.
func (c Abilities) Words() []string {
	return slices.DeleteFunc(strings.Fields(string(c)), func(w string) bool {
		return formOf(Name(w)).name == "" && !slices.Contains([]Capability{CanChain, CanScrollTo, CanChooseSeveral}, Capability(w))
	})
}

// Has reports whether the client has an ability.
func (c Abilities) Has(word Capability) bool {
	return strings.Contains(string(c), " "+string(word)+" ")
}

// CanDo reports whether the client can do an action of that name in its plain form.
func (c Abilities) CanDo(n Name) bool {
	return slices.Contains(always, n) ||
		formOf(n).name != "" && !(Action{Name: n}).OnServer() && c.Has(Capability(n))
}

// Can reports whether the client can do an action.
func (c Abilities) Can(a Action) bool {
	return c.CanDo(a.Name) && (a.Name != Scroll || a.Text == "" || c.Has(CanScrollTo))
}

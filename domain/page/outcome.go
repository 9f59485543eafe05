package page

import "slices"

// ActionKind is what an action should bring about (spec: action type).
type ActionKind string

// Kinds of action.
const (
	KindDropdown   ActionKind = "dropdown"
	KindNavigation ActionKind = "navigation"
	KindGeneric    ActionKind = "generic"
)

// Outcome is what an action is expected to bring about (spec: expectedOutcome).
// It serves corrections and the look ahead; verdicts rest on what was observed.
// Where the text names an element it is a Locator or what a person sees.
type Outcome struct {
	Description string          `json:"description"`
	Changes     ExpectedChanges `json:"domChanges,omitzero"`
	NextGoal    *NextGoal       `json:"nextGoal,omitempty"`
}

// Checkable reports whether anything is expected that a page can be checked for.
func (o Outcome) Checkable() bool {
	c := o.Changes
	return o.NextGoal != nil || c.Exists != "" || c.NotExists != "" || c.HasText != nil || c.URLChanges != nil ||
		len(c.Attributes)+len(c.Appear) > 0
}

// MapText is the outcome with each of its texts changed by a function.
func (o Outcome) MapText(change func(string) string) Outcome {
	o.Description = change(o.Description)
	o.Changes.Exists, o.Changes.NotExists = change(o.Changes.Exists), change(o.Changes.NotExists)
	if t := o.Changes.HasText; t != nil {
		o.Changes.HasText = &ExpectedText{change(t.Selector), change(t.Text)}
	}
	if g := o.NextGoal; g != nil {
		o.NextGoal = &NextGoal{change(g.Description), change(g.Selector), change(g.Text), change(g.Role), g.Required}
	}
	o.Changes.Appear = slices.Clone(o.Changes.Appear)
	for i, a := range o.Changes.Appear {
		o.Changes.Appear[i] = Appearing{change(a.Role), change(a.Selector)}
	}
	o.Changes.Attributes = slices.Clone(o.Changes.Attributes)
	for i, a := range o.Changes.Attributes {
		o.Changes.Attributes[i] = AttributeChange{change(a.Attribute), change(a.Value)}
	}
	return o
}

// ExpectedChanges are the changes an outcome can be checked by. Empty fields
// expect nothing.
type ExpectedChanges struct {
	Exists     string            `json:"elementShouldExist,omitempty"`
	NotExists  string            `json:"elementShouldNotExist,omitempty"`
	HasText    *ExpectedText     `json:"elementShouldHaveText,omitempty"`
	URLChanges *bool             `json:"urlShouldChange,omitempty"`
	Attributes []AttributeChange `json:"attributeChanges,omitempty"`
	// Appear are alternatives: one of them has to appear.
	Appear []Appearing `json:"elementsToAppear,omitempty"`
}

// ExpectedText is a text an element should have.
type ExpectedText struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
}

// AttributeChange is an attribute that should have a value: of the element
// acted on, or where that is not known of any.
type AttributeChange struct {
	Attribute string `json:"attribute"`
	Value     string `json:"expectedValue"`
}

// Appearing is an element that should be there and was not before.
type Appearing struct {
	Role     string `json:"role,omitempty"`
	Selector string `json:"selector,omitempty"`
}

// NextGoal is what the next step needs on the page (spec: look-ahead).
type NextGoal struct {
	Description string `json:"description"`
	Selector    string `json:"selector,omitempty"`
	Text        string `json:"textContent,omitempty"`
	Role        string `json:"role,omitempty"`
	// Required: without it the action counts as failed, else it is a warning.
	Required bool `json:"required"`
}

// listRoles are what a menu or list shows itself by.
var listRoles = []string{"menuitem", "menuitemradio", "menuitemcheckbox", "option", "treeitem", "listitem", "list", "listbox", "menu"}

// ExpectedOf is the fixed outcome of a kind of action; ok is false for generic
// actions, of which only a prediction can say what to expect. An empty thought
// is replaced by a sentence.
func ExpectedOf(kind ActionKind, thought string) (expected Outcome, ok bool) {
	changes := func(yes bool) *bool { return &yes }
	switch kind {
	case KindDropdown:
		o := Outcome{Description: thought, Changes: ExpectedChanges{
			URLChanges: changes(false),
			Attributes: []AttributeChange{{Attribute: "aria-expanded", Value: "true"}},
		}}
		if thought == "" {
			o.Description = "A menu or list should open."
		}
		for _, role := range listRoles {
			o.Changes.Appear = append(o.Changes.Appear, Appearing{Role: role})
		}
		return o, true
	case KindNavigation:
		o := Outcome{Description: thought, Changes: ExpectedChanges{URLChanges: changes(true)}}
		if thought == "" {
			o.Description = "The page should navigate to the new URL."
		}
		return o, true
	}
	return Outcome{}, false
}

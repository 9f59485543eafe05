package page

import "slices"

// ActionKind classifies actions by their expected outcome (spec: action type).
type ActionKind string

// Kinds of action.
const (
	KindDropdown   ActionKind = "dropdown"
	KindNavigation ActionKind = "navigation"
	KindGeneric    ActionKind = "generic"
)

// Outcome is the expected outcome of an action (spec: expectedOutcome). Corrections
// and look-ahead use it; verdicts rest on observations. An element is given as a
// locator or by its visible text.
type Outcome struct {
	Description string          `json:"description"`
	Changes     ExpectedChanges `json:"domChanges,omitzero"`
	NextGoal    *NextGoal       `json:"nextGoal,omitempty"`
}

// Checkable reports whether the outcome expects anything that can be checked.
func (o Outcome) Checkable() bool {
	c := o.Changes
	return o.NextGoal != nil || c.Exists != "" || c.NotExists != "" || c.HasText != nil || c.URLChanges != nil ||
		len(c.Attributes)+len(c.Appear) > 0
}

// MapText returns the outcome with change applied to every text.
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

// ExpectedChanges are the checkable changes of an outcome. Empty fields expect
// nothing.
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

// AttributeChange is an expected attribute of the element acted on or, if that is not
// known, of any element.
type AttributeChange struct {
	Attribute string `json:"attribute"`
	Value     string `json:"expectedValue"`
}

// Appearing is an element that should be new.
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
	// Required: without it the action has failed; otherwise it is only reported.
	Required bool `json:"required"`
}

// listRoles are the roles of menus' and lists' items.
var listRoles = []string{"menuitem", "menuitemradio", "menuitemcheckbox", "option", "treeitem", "listitem", "list", "listbox", "menu"}

// ExpectedOf returns the fixed outcome of a kind of action. ok is false for generic
// actions, which need a prediction. An empty thought is replaced by a sentence.
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

package page

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/weburl"
)

// Check compares a part of an expected outcome with the page now. Held is Unknown if
// the page cannot tell; such a check counts for nothing.
type Check struct {
	Name CheckName
	// About is the selector, text, role or attribute, for a reader.
	About string
	Held  Truth
}

// CheckName is what was compared.
type CheckName string

// The checks (spec: DOM-based checks).
const (
	CheckElementExists    CheckName = "elementExists"
	CheckElementNotExists CheckName = "elementNotExists"
	CheckElementHasText   CheckName = "elementHasText"
	CheckURLChanged       CheckName = "urlChanged"
	CheckAttributeChanged CheckName = "attributeChanged"
	CheckElementsAppeared CheckName = "elementsAppeared"
	CheckNextGoal         CheckName = "nextGoal"
)

// Checks compares an action's expected outcome with the page now. The target is the
// element as it was before. A dropdown, by its kind or because a menu is expected, is
// checked by behaviour only: the URL, what expanded and what appeared (spec: dropdown
// mode).
func Checks(expected Outcome, kind ActionKind, before Before, target Element, now Page) []Check {
	c := expected.Changes
	var checks []Check
	add := func(name CheckName, about string, held Truth) { checks = append(checks, Check{name, about, held}) }
	if kind != KindDropdown && !c.expectsMenu() {
		if c.Exists != "" {
			add(CheckElementExists, c.Exists, Locate(now, c.Exists))
		}
		if c.NotExists != "" {
			add(CheckElementNotExists, c.NotExists, Locate(now, c.NotExists).not())
		}
		if c.HasText != nil {
			add(CheckElementHasText, c.HasText.Selector, hasText(now, *c.HasText))
		}
	}
	if c.URLChanges != nil {
		add(CheckURLChanged, now.URL, truth(addressChanged(before.URL, now.URL) == *c.URLChanges))
	}
	for _, a := range c.Attributes {
		add(CheckAttributeChanged, a.Attribute, attributeIs(a, before, target, now))
	}
	if len(c.Appear) > 0 {
		held, about := False, make([]string, len(c.Appear))
		for i, a := range c.Appear {
			held = held.or(appeared(a, before, now))
			about[i] = a.Role + a.Selector
		}
		add(CheckElementsAppeared, strings.Join(about, ", "), held)
	}
	return checks
}

// expectsMenu reports the popup hints of an outcome.
func (c ExpectedChanges) expectsMenu() bool {
	return slices.ContainsFunc(c.Attributes, func(a AttributeChange) bool { return attributeName(a.Attribute) == "aria-expanded" }) ||
		slices.ContainsFunc(c.Appear, func(a Appearing) bool { return slices.Contains(listRoles, a.Role) })
}

// Check looks for what the next step needs, by selector, text or role; one of those
// given must be there. It is Unknown for a goal without any.
func (g NextGoal) Check(now Page) Check {
	var found []Truth
	if g.Selector != "" {
		found = append(found, Locate(now, g.Selector))
	}
	if g.Text != "" {
		found = append(found, now.shows(g.Text))
	}
	if g.Role != "" {
		found = append(found, now.locate(compound{attrs: []attribute{{"role", "=", g.Role}}}, nil))
	}
	check := Check{Name: CheckNextGoal, About: g.Description}
	for i, f := range found {
		if i == 0 {
			check.Held = f
		}
		check.Held = check.Held.or(f)
	}
	return check
}

// addressChanged compares scheme, host, path, query and route. Another place on the
// same page is no change.
func addressChanged(from, to string) bool {
	if path(from) != path(to) {
		return true
	}
	query := func(raw string) string {
		u, err := weburl.Parse(raw)
		if err != nil {
			return ""
		}
		return u.RawQuery
	}
	return query(from) != query(to)
}

func hasText(now Page, want ExpectedText) Truth {
	list, ok := parseSelector(want.Selector)
	if !ok {
		return now.shows(want.Selector).and(now.shows(want.Text))
	}
	held := False
	for _, c := range list {
		if role := c.attr("role"); role == "alert" || role == "status" {
			c.texts = append(c.texts, want.Text)
		}
		held = held.or(now.locate(c, func(e Element) Truth { return truth(says(e.Name, want.Text) || says(e.Value, want.Text)) }))
	}
	return held
}

// attributeName accepts the names that observations use.
func attributeName(name string) string {
	if name = strings.ToLower(name); name == "ariaexpanded" {
		return "aria-expanded"
	}
	return name
}

// attributeIs checks the element acted on, or if it cannot be found, whether any
// element now has the value and did not before.
func attributeIs(want AttributeChange, before Before, target Element, now Page) Truth {
	name := attributeName(want.Attribute)
	if e, ok, _ := FindAgain(before.Skeleton, target.Key, now); ok {
		return attribute{name, "=", want.Value}.fits(e)
	}
	if _, known := stateOf(State{}, name); !known {
		return Unknown
	}
	after := now.Skeleton()
	p := pair(before.Skeleton.Elements, after.Elements)
	for j, d := range after.Elements {
		is := attribute{name, "=", want.Value}.fits(Element{State: d.state()}) == True
		if i := p.before[j]; is && (i < 0 || before.Skeleton.Elements[i].state() != d.state()) {
			return True
		}
	}
	return Unknown
}

func (d Descriptor) state() State {
	return State{Checked: d.Checked, Expanded: d.Expanded, Disabled: d.Disabled, Selected: d.Selected, Invalid: d.Invalid, HasPopup: d.Popup}
}

// appeared compares the number of elements of a role.
func appeared(a Appearing, before Before, now Page) Truth {
	held := True
	if a.Selector != "" {
		held = Locate(now, a.Selector)
	}
	if a.Role == "" {
		return held
	}
	was, is := before.Skeleton.roles(a.Role), now.Skeleton().roles(a.Role)
	switch {
	case before.Skeleton.Partial || now.Partial():
		return held.and(Unknown)
	case is > was:
		return held
	case listedRoles[a.Role] || a.Role == "alert" || a.Role == "status":
		return False
	}
	return held.and(Unknown)
}

func (s Skeleton) roles(role string) (n int) {
	if role == "alert" || role == "status" {
		return len(s.Alerts)
	}
	for _, d := range s.Elements {
		if d.Role == role {
			n++
		}
	}
	return n
}

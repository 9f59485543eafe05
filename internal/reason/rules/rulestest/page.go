// Package rulestest builds pages for the tests of the rules: elements by role and name,
// with functions that change them, and pages with ids, keys and hashes as a client's
// page has them.
package rulestest

import (
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Home is the address of most pages.
const Home = "https://site.test/"

// Element is an element of that role and name, with the tag such a one mostly has.
func Element(role, name string, with ...func(*page.Element)) page.Element {
	e := page.Element{Role: role, Name: name}
	switch role {
	case "textbox", "searchbox", "checkbox", "radio":
		e.Tag = "input"
	case "combobox":
		e.Tag = "select"
	}
	for _, f := range with {
		f(&e)
	}
	return e
}

// Value sets what a field holds.
func Value(v string) func(*page.Element) { return func(e *page.Element) { e.Value = v } }

// Group sets the name of what an element is in.
func Group(g string) func(*page.Element) { return func(e *page.Element) { e.Group = g } }

// Type sets the type attribute.
func Type(s string) func(*page.Element) { return func(e *page.Element) { e.Type = s } }

// Href sets the address of a link.
func Href(s string) func(*page.Element) { return func(e *page.Element) { e.Href = s } }

// ID sets the id.
func ID(s string) func(*page.Element) { return func(e *page.Element) { e.ID = s } }

// Checked sets the state of a box: "true", "false" or "mixed".
func Checked(s string) func(*page.Element) { return func(e *page.Element) { e.State.Checked = s } }

// Options adds options to a select; the value of each is its label in lower case.
func Options(labels ...string) func(*page.Element) {
	return func(e *page.Element) {
		for _, l := range labels {
			e.Options = append(e.Options, page.Option{Label: l, Value: strings.ToLower(l)})
		}
	}
}

// State changes the state of an element: State(Hidden).
func State(f func(*page.State)) func(*page.Element) {
	return func(e *page.Element) { f(&e.State) }
}

// Required makes a field required.
func Required(s *page.State) { s.Required = true }

// Hidden hides an element.
func Hidden(s *page.State) { s.Hidden = true }

// Disabled disables an element.
func Disabled(s *page.State) { s.Disabled = true }

// Occluded covers an element.
func Occluded(s *page.State) { s.Occluded = true }

// Secret makes a field secret.
func Secret(s *page.State) { s.Secret = true }

// Popup gives an element a list or menu to open.
func Popup(s *page.State) { s.HasPopup = true }

// Page is a finished page of these elements.
func Page(url string, es ...page.Element) page.Page {
	return Finish(page.Page{URL: url, Elements: es})
}

// Finish gives a page's elements ids, from 10 in document order where they have none,
// and keys, and the page its hashes.
func Finish(p page.Page) page.Page {
	for i := range p.Elements {
		if p.Elements[i].ID == "" {
			p.Elements[i].ID = strconv.Itoa(10 + i)
		}
	}
	page.AssignKeys(p.Elements)
	p.MeaningHash = page.MeaningHash(p)
	p.DOMHash = p.MeaningHash
	return p
}

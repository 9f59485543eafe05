// Package page has pages as they are once read: elements with role, name, value and
// state, the alerts shown, and comparisons of two pages taken one after the other.
// Everything here is a pure function over values; internal/dom reads HTML or a
// client's tree into a Page.
package page

// ReaderVersion is raised when the same bytes are read into a different Page. Events
// record it, so that old verdicts can be explained.
const ReaderVersion = 8

// Page is a page as the agent understands it.
type Page struct {
	URL   string
	Title string
	// Language is the first part of the language tag ("en", "pt") that the document
	// declares, or else that of its text; "" if neither is known.
	Language string
	// Mode is how it was captured: semantic_v3, semantic, skeleton, hybrid, full, filtered.
	Mode string
	// Elements are in document order.
	Elements []Element
	// Alerts are messages the page addresses to the user: role alert or status,
	// toasts, error and success boxes.
	Alerts []Alert
	// Layers are the dialogs, banners and popups over the page, in document order;
	// the last one is on top.
	Layers []Layer
	// Headings and Text are for evidence and prompts; Text is bounded. It has a line
	// break between lines, and a tab between those that stand together: the cells of a
	// row, a label and its value.
	Headings []string
	Text     string
	// ActiveElement is the id of the focused element, "" if none is known.
	ActiveElement string
	// Busy: a part of the page says that it is loading.
	Busy bool
	// DOMHash is the hash of the document as received; it changes with every clock.
	// MeaningHash covers role, name, value and state, headings, alerts and URL path.
	DOMHash     string
	MeaningHash string
	// Scrollable are the ids of containers that have, or may have, content that was
	// not captured: missing elements may be further down (spec §2.5.5).
	Scrollable []string
	// Regions are the containers of which the client says how far they are scrolled,
	// ScrollPosition that of the page: "25%".
	Regions        []Region
	ScrollPosition string
	// Notes say what was replaced while reading ("interactiveTree was empty: read
	// from dom").
	Notes []string
}

// Element is something a person can act on, or an option or message.
type Element struct {
	// ID is the client's id, the only way an action may refer to the element. Like
	// every text of a page it is not to be trusted.
	ID string
	// Key identifies the element between two readings of the same page: inserting a
	// sibling does not change it. AssignKeys sets it.
	Key string
	// Anchor is the author's name for the element (id, data-testid or name
	// attribute), if it looks chosen by a person and not generated.
	Anchor string
	// Role is the full ARIA role ("button", "textbox", "combobox").
	Role  string
	Name  string
	Value string
	// Tag, Type, Placeholder, Href come from HTML and may be empty.
	Tag, Type, Placeholder, Href string
	// Group is the name of the nearest form, dialog, fieldset, row or region.
	Group string
	// Row is the text of the row, item or card the element is in, without the texts
	// of its buttons. It distinguishes controls of the same name, also in rows made
	// of boxes that have no name.
	Row string
	// Column is the heading of the table column the element is in: "Fr" of a day.
	Column string
	// Caption is the label beside a control whose own text is its value: "Language"
	// beside a button "English".
	Caption string
	// Hint is words for the element besides its name: its title, and those in its
	// test id, class or id.
	Hint string
	// NameGuessed: nothing is readable on the element, and Name is made of its
	// author's names for it, or is what stands beside it.
	NameGuessed bool
	// OtherMonth: a calendar day of a month other than the one shown.
	OtherMonth bool
	// Layer is the number, from 1, of the element's layer; 0 is the page.
	Layer int
	// Form is the number, from 1, of the element's form; 0 is none.
	Form int
	// Options are those of a select or listbox, in order. Multiple: several may be
	// chosen.
	Options  []Option
	Multiple bool
	// Min, Max and Step are the attributes that bound a value.
	Min, Max, Step string
	State          State
	XY             *Point
	Box            *Rect
	Frame          string
	// TextFrom and TextTo are where the element begins and ends in the page's Text;
	// both are 0 if that is not known. What it shows itself stands between them.
	TextFrom, TextTo int
}

// Region is a part of the page that is scrolled by itself. Depth is how far it is
// ("40%"), "" if that is not known. More: there is more below.
type Region struct {
	ID, Depth string
	More      bool
}

// Layer is a part of the page that lies over the rest.
type Layer struct {
	// Role is dialog or alertdialog, or "" if it was recognised by a class or id.
	Role string
	// Modal: nothing else can be used meanwhile.
	Modal bool
	// Name is the title, Text the text without buttons.
	Name, Text string
	// TextFrom and TextTo are where it begins and ends in the page's Text; both are 0
	// if that is not known.
	TextFrom, TextTo int
}

// Option is an option of a select. A disabled one cannot be chosen but may be shown.
type Option struct {
	Value, Label       string
	Selected, Disabled bool
}

// State is the state of an element. Checked and Expanded are "", "true", "false" or
// (Checked) "mixed"; "" means that the element has no such state.
type State struct {
	Checked, Expanded            string
	Disabled, Selected, Required bool
	Readonly, Invalid, Focused   bool
	// Hidden: not perceivable. Occluded: something lies over it.
	Hidden, Occluded bool
	// OutOfView: it is scrolled out of the box around it. A click scrolls it into view.
	OutOfView bool
	// OnHover: it is drawn only while the mouse is over it, or over its row. A click
	// uses it all the same.
	OnHover  bool
	HasPopup bool
	// Marks are the words of its class that say its state, where no attribute does:
	// "active", "liked".
	Marks string
	// Secret: a password or other secret field. Value is always empty; Filled says
	// whether the field is not, as far as the client has told.
	Secret, Filled bool
}

// Point is in CSS pixels of the viewport.
type Point struct{ X, Y float64 }

// Rect is in CSS pixels of the viewport.
type Rect struct{ X, Y, W, H float64 }

// AlertKind is the kind of a message.
type AlertKind string

// Kinds of alert.
const (
	AlertError   AlertKind = "error"
	AlertSuccess AlertKind = "success"
	AlertOther   AlertKind = "info"
)

// Alert is one message the page shows.
type Alert struct {
	Kind AlertKind `json:"kind"`
	Text string    `json:"text"`
}

// Partial reports that the client left elements out that it thought beside the point.
// Nothing follows from what such a page does not show.
func (p Page) Partial() bool { return p.Mode == ModeFiltered }

// ByID returns the element with the client's id. No element has the empty id.
func (p Page) ByID(id string) (Element, bool) {
	if id == "" {
		return Element{}, false
	}
	for _, e := range p.Elements {
		if e.ID == id {
			return e, true
		}
	}
	return Element{}, false
}

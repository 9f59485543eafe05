// Package page is what a page is once it has been read: elements with role,
// name, value and state, the alerts it shows, and what can be said of two
// pages taken one after the other. Everything here is a pure function over
// values; reading HTML or a client's tree into a Page is internal/dom's work.
package page

// ReaderVersion goes up when the same bytes would be read into another Page.
// Events record it, so that an old verdict can be explained by the reader of
// its day.
const ReaderVersion = 5

// Page is one page as the agent understands it.
type Page struct {
	URL   string
	Title string
	// Language is what its text is written in, as the first part of a language tag
	// ("en", "pt"): as the document says, else as it reads; "" where neither tells.
	Language string
	// Mode is how it arrived: semantic_v3, semantic, skeleton, hybrid, full.
	Mode string
	// Elements are in document order.
	Elements []Element
	// Alerts are messages the page addresses to the user: role alert or status,
	// toasts, error and success boxes.
	Alerts []Alert
	// Layers are the dialogs, banners and popups that lie over the page, in document
	// order: the last one is on top.
	Layers []Layer
	// Headings and Text are for evidence and prompts; Text is bounded.
	Headings []string
	Text     string
	// ActiveElement is the id of the focused element, "" if none is known.
	ActiveElement string
	// Busy: something on the page says of itself that it is loading.
	Busy bool
	// DOMHash is the hash of the document as received; it changes when a clock
	// ticks. MeaningHash is over role, name, value and state, headings, alerts and
	// URL path.
	DOMHash     string
	MeaningHash string
	// Scrollable are the ids of containers that have, or may have, more content than
	// was captured: what is not found may be further down in one of them (spec §2.5.5).
	Scrollable []string
	// Notes say how the page was degraded while reading ("interactiveTree was
	// empty: read from dom").
	Notes []string
}

// Element is something a person could act on, or an option or message worth
// telling apart.
type Element struct {
	// ID is the client's own id: the only handle an action may use. Data under
	// suspicion like every other text of a page.
	ID string
	// Key is stable between two readings of the same page: an inserted sibling
	// does not change it. AssignKeys gives it.
	Key string
	// Anchor is the page author's own name for the element (id, data-testid or
	// name attribute), where it looks given by a person and not by a framework.
	Anchor string
	// Role is the full ARIA role ("button", "textbox", "combobox").
	Role  string
	Name  string
	Value string
	// Tag, Type, Placeholder, Href come from HTML and may be empty.
	Tag, Type, Placeholder, Href string
	// Group is the name of the nearest form, dialog, fieldset, row or region.
	Group string
	// Row is what is read in the row, item or card the element is in, the texts of
	// its buttons apart. It tells controls of one name from each other, also where
	// the row is drawn with boxes and has no name.
	Row string
	// Caption is the text beside a control whose own text is what is chosen in it:
	// "Language" beside a button "English".
	Caption string
	// Hint are words for the element that are not its name: its title, and what its
	// author called it in a test id, class or id.
	Hint string
	// NameGuessed: there is nothing to read on the element, and Name is made of what
	// its author called it.
	NameGuessed bool
	// OtherMonth: a day in a calendar that shows another month.
	OtherMonth bool
	// Layer is the number, from 1, of the layer the element is in; 0 is the page.
	Layer int
	// Form is the number, from 1, of the form element it is in; 0 is none.
	Form int
	// Options of a select or listbox, in order; Multiple may be chosen at once.
	Options  []Option
	Multiple bool
	// Min, Max and Step bound what a control takes, as its attributes say.
	Min, Max, Step string
	State          State
	XY             *Point
	Box            *Rect
	Frame          string
}

// Layer is a part of the page that lies over the rest.
type Layer struct {
	// Role is dialog or alertdialog, or "" where only a class or id tells.
	Role string
	// Modal: the page says that nothing else can be used meanwhile.
	Modal bool
	// Name and Text are its title and what is read in it, buttons apart.
	Name, Text string
}

// Option of a select. A disabled one cannot be chosen, but may be what the select
// shows.
type Option struct {
	Value, Label       string
	Selected, Disabled bool
}

// State of an element. Checked and Expanded are "", "true", "false" or
// (Checked) "mixed": not every element has them.
type State struct {
	Checked, Expanded            string
	Disabled, Selected, Required bool
	Readonly, Invalid, Focused   bool
	// Hidden is not perceivable; Occluded lies under something else.
	Hidden, Occluded bool
	HasPopup         bool
	// Secret marks password and other secret fields: Value is empty, always.
	Secret bool
}

// Point in CSS pixels of the viewport.
type Point struct{ X, Y float64 }

// Rect in CSS pixels of the viewport.
type Rect struct{ X, Y, W, H float64 }

// AlertKind is what a message is about.
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

// ByID finds an element by the client's id. The empty id is nobody's.
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

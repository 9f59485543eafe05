package dom

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// Controls that authors draw themselves: a toggle that is a box with a class for
// its state, a drop-down that is a button beside its label.

var (
	toggleWords = set("toggle", "switch", "checkbox", "toggler", "togglebutton")
	// notToggles are words of things that open, or that contain toggles.
	notToggles = set("dropdown", "menu", "nav", "navbar", "sidebar", "collapse", "group", "label", "container", "wrapper", "list", "panel", "tab", "row", "accordion", "drawer")
	onWords    = set("on", "active", "checked", "enabled", "selected")
	offWords   = set("off", "inactive", "unchecked")
	pickWords  = set("dropdown", "select", "picker", "listbox", "combobox")
)

// drawnToggle reports a toggle whose class or data-state says whether it is on. A box
// without a word for its state is off; a button without one may do anything.
func drawnToggle(a *attrs, role string) (checked string, ok bool) {
	if role != "generic" && role != "button" || a.class == "" || a.checked != "" || a.pressed != "" || a.expanded != "" || a.popup != "" {
		return "", false
	}
	toggle := false
	state := stateWord(a.dataState)
	for _, token := range tokens(a.class) {
		named, not := false, false
		for _, w := range token {
			named, not = named || toggleWords[w], not || notToggles[w]
			state = firstOf(state, stateWord(w))
		}
		toggle = toggle || named && !not
	}
	if role == "button" && state == "" {
		return "", false
	}
	return firstOf(state, "false"), toggle
}

func stateWord(w string) string {
	switch {
	case onWords[w]:
		return "true"
	case offWords[w]:
		return "false"
	}
	return ""
}

// isPicker reports a control whose text is its value: a button that opens a list, or
// one that is called a drop-down.
func isPicker(a *attrs, role string) bool {
	if role != "button" && role != "generic" {
		return false
	}
	if isARIATrue(a.popup) || a.expanded != "" {
		return true
	}
	for _, token := range tokens(a.class) {
		for _, w := range token {
			if pickWords[w] {
				return true
			}
		}
	}
	return false
}

// besideLabel is the text a person reads as the label of such a control: what
// precedes it, or else what follows it.
func (nm *namer) besideLabel(n *html.Node) string {
	if s := nm.labelBefore(n); s != "" {
		return s
	}
	return nm.shortTextBeside(n, func(n *html.Node) *html.Node { return n.NextSibling })
}

// describeDrawn fills in what the appearance of an element says about it.
func (b *builder) describeDrawn(e *page.Element, f *subject) {
	a := &f.attrs
	switch {
	case f.toggle != "":
		e.State.Checked = f.toggle
	case isPicker(a, f.role):
		shown := b.contents(f.node)
		switch {
		case e.Name != page.Cut(shown, maxName) && shown != "" && a.popup == "listbox":
			e.Caption, e.Value = e.Name, page.Cut(shown, maxValue)
		case e.Name != "" && !e.NameGuessed:
			e.Caption = page.Cut(b.labelBefore(f.node), maxName)
		}
	}
}

// isOtherMonth reports a calendar day of another month, by its author's name for it.
func isOtherMonth(a *attrs, name string) bool {
	if a.class == "" || len(name) > 2 || strings.Trim(name, "0123456789") != "" {
		return false
	}
	day, other := false, false
	for _, token := range tokens(a.class) {
		for _, w := range token {
			day, other = day || dayWords[w], other || otherWords[w]
		}
	}
	return day && other
}

var (
	dayWords   = set("day", "days", "date", "month", "calendar", "cell", "datepicker")
	otherWords = set("outside", "other", "adjacent", "neighboring", "neighbor", "old", "new", "next", "prev", "previous")
)

package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

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
	// notPicks are words of what is in a drop-down: its list and the entries.
	notPicks = set("item", "option", "menu", "list", "entry", "choice", "link", "content", "panel", "popup", "row", "divider", "header", "label", "body")
)

// look is what a class says of how a control is drawn.
type look struct {
	toggle bool     // that it is one
	state  string   // of a toggle: "true", "false" or ""
	picker bool     // that it is a drop-down
	marks  []string // the words for its state
}

// look reads a class, each once: those of a page are few.
func (nm *namer) look(class string) *look {
	l := nm.looks[class]
	if l == nil {
		l = readLook(class)
		if nm.looks == nil {
			nm.looks = map[string]*look{}
		}
		nm.looks[class] = l
	}
	return l
}

func readLook(class string) *look {
	l := &look{}
	for _, token := range tokens(class) {
		named, not, pick, part := false, false, false, false
		for _, w := range token {
			named, not = named || toggleWords[w], not || notToggles[w]
			pick, part = pick || pickWords[w], part || notPicks[w]
			l.state = firstOf(l.state, stateWord(w))
		}
		l.toggle = l.toggle || named && !not
		l.picker = l.picker || pick && !part
	}
	classMarks(class, func(w string) {
		if w != "" {
			l.marks = append(l.marks, w)
		}
	})
	return l
}

// drawnToggle reports a toggle whose class or data-state says whether it is on. A box
// without a word for its state is off; a button without one may do anything.
func (nm *namer) drawnToggle(a *attrs, role string) (checked string, ok bool) {
	if role != "generic" && role != "button" || a.class == "" || a.checked != "" || a.pressed != "" || a.expanded != "" || a.popup != "" {
		return "", false
	}
	l := nm.look(a.class)
	state := firstOf(stateWord(a.dataState), l.state)
	if role == "button" && state == "" {
		return "", false
	}
	return firstOf(state, "false"), l.toggle
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
func (nm *namer) isPicker(a *attrs, role string) bool {
	if role != "button" && role != "generic" {
		return false
	}
	return isARIATrue(a.popup) || a.expanded != "" || a.class != "" && nm.look(a.class).picker
}

// besideLabel is the text a person reads as the label of such a control: the first line
// of what precedes it in its row, or else of what follows it.
func (nm *namer) besideLabel(n *html.Node) string {
	for up, level := n, 0; up != nil && level < nearbyLevels; up, level = up.Parent, level+1 {
		if up != n && (isRow(up) || isBoundary(up.DataAtom) || up.DataAtom == atom.Td) {
			break
		}
		if s := nm.lineBeside(up, func(n *html.Node) *html.Node { return n.PrevSibling }); s != "" {
			return s
		}
	}
	return nm.lineBeside(n, func(n *html.Node) *html.Node { return n.NextSibling })
}

// lineBeside returns the first line of the nearest text among the siblings on one side, up
// to the next control.
func (nm *namer) lineBeside(n *html.Node, next func(*html.Node) *html.Node) string {
	seen := 0
	for s := next(n); s != nil && seen < nearbySiblings && nm.visit(); s = next(s) {
		switch s.Type {
		case html.TextNode:
			if text := page.Clean(s.Data); hasWord(text) {
				return labelText(text)
			}
		case html.ElementNode:
			seen++
			if isOfAnother(s) || nm.firstWhere(s, isOfAnother) != nil {
				return ""
			}
			if isVoidOfText(s.DataAtom) || isHeading(s) {
				continue
			}
			if text := nm.firstLine(s); hasWord(text) {
				return labelText(text)
			}
		}
	}
	return ""
}

// isOfAnother reports a control, or what the client knows as one: what stands beyond it is
// its label.
func isOfAnother(n *html.Node) bool {
	return isControl(n.DataAtom) || n.DataAtom == atom.A || attr(n, "data-llm-id") != ""
}

// firstLine is the text of n, or of the first of the blocks it consists of.
func (nm *namer) firstLine(n *html.Node) string {
	if !nm.visit() {
		return ""
	}
	blocks := 0
	var first *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !isInline(c.DataAtom) && !isVoidOfText(c.DataAtom) {
			if blocks++; first == nil {
				first = c
			}
		} else if c.Type == html.TextNode && first == nil && hasWord(c.Data) {
			return nm.caption(n)
		}
	}
	if blocks > 1 {
		if s := nm.firstLine(first); hasWord(s) {
			return s
		}
	}
	return nm.caption(n)
}

// captionBefore is labelBefore for a control that shows its value: what stands before it is
// its caption, unless that is a control as well or an item of the same list.
func (b *builder) captionBefore(n *html.Node) string {
	for up, level := n, 0; up != nil && level < nearbyLevels; up, level = up.Parent, level+1 {
		for s := up.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type != html.ElementNode {
				if hasWord(s.Data) {
					break
				}
				continue
			}
			if isOfAnother(s) || attr(s, "role") != "" && interactiveRoles[lower(attr(s, "role"))] || level == 0 && isLike(s, n) {
				return ""
			}
			break
		}
	}
	return b.labelBefore(n)
}

// isLike reports two items of a list: of one tag, and of one class but for its state.
func isLike(a, b *html.Node) bool {
	first, _, _ := strings.Cut(attr(a, "class"), " ")
	other, _, _ := strings.Cut(attr(b, "class"), " ")
	return a.DataAtom == b.DataAtom && first == other && first != ""
}

// describeDrawn fills in what the appearance of an element says about it.
func (b *builder) describeDrawn(e *page.Element, f *subject) {
	a := &f.attrs
	switch {
	case f.toggle != "":
		e.State.Checked = f.toggle
	case b.isPicker(a, f.role):
		shown := b.contents(f.node)
		switch {
		case e.Name != page.Cut(shown, maxName) && shown != "" && a.popup == "listbox":
			e.Caption, e.Value = e.Name, page.Cut(shown, maxValue)
		case e.Name != "" && !e.NameGuessed:
			e.Caption = page.Cut(b.captionBefore(f.node), maxName)
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

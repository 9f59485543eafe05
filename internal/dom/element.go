package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// builder turns what the walk found into elements.
type builder struct {
	namer
	options int             // of all selects so far
	secrets map[string]bool // of fields that hold a value, by signature, whether they are secret
}

func newBuilder(doc *document) builder {
	return builder{
		namer:   namer{doc: doc, budget: visitsPerNode*doc.nodes + 10_000},
		secrets: map[string]bool{},
	}
}

// subject is a found element with its attributes while it is being read.
type subject struct {
	found
	attrs attrs
}

// typeOf is the type of an element. A button in a form without a type is a submit
// button.
func typeOf(f *subject) string {
	if f.node.DataAtom == atom.Button && f.attrs.typ == "" && f.form > 0 {
		return "submit"
	}
	return f.attrs.typ
}

// element reads a found element. An id is used once: of two elements with the same id
// the client would act on the first, so only that one gets it.
func (b *builder) element(e *page.Element, f *subject) {
	a := &f.attrs
	if checked, ok := b.drawnToggle(a, f.role); ok {
		f.toggle = checked
		if f.role == "generic" {
			f.role = "switch"
		}
	}
	*e = page.Element{
		ID:          firstOf(f.handle, a.handle()),
		Anchor:      a.anchor(f.role),
		Role:        f.role,
		Name:        b.name(f),
		Tag:         f.node.Data,
		Type:        typeOf(f),
		Placeholder: page.Cut(page.Clean(a.placeholder), maxName),
		Href:        cutHref(a.href),
		Group:       b.groupName(f.group),
		Frame:       frameName(f.frame),
		State:       state(f),
		Layer:       f.layer,
		Form:        f.form,
	}
	if !isField(f.role) && !f.hidden {
		b.describe(e, f)
	}
	e.NameGuessed = f.guessed != ""
	e.State.Marks = b.stateMarks(f, &e.State)
	if e.Group == page.Cut(e.Name, maxGroup) {
		e.Group = "" // the only link of an article, named by its own text
	}
	if b.doc.taken[e.ID] {
		e.ID = ""
	} else if e.ID != "" {
		b.doc.taken[e.ID] = true
	}
	if e.State.Secret = isSecret(f.node, a, e.Name); e.State.Secret {
		e.State.Filled = a.filled
		b.secrets[signature(f.node)] = true
		return
	}
	if f.node.DataAtom == atom.Input && a.value != "" && typeRoles[a.typ] == "" {
		if sig := signature(f.node); !b.secrets[sig] {
			b.secrets[sig] = false // judged, so that nobody has to once more
		}
	}
	if f.node.DataAtom == atom.Input {
		e.Min, e.Max, e.Step = bound(a.min), bound(a.max), bound(a.step)
	}
	if f.node.DataAtom == atom.Select {
		e.Options, e.Multiple = b.selectOptions(f.node), a.multiple
		e.Value = chosen(e.Options, a.multiple)
	} else {
		e.Value = firstOf(e.Value, page.Cut(page.Clean(b.value(f)), maxValue))
	}
}

// describe adds what a clickable element has besides its name.
func (b *builder) describe(e *page.Element, f *subject) {
	if e.Name == "" {
		f.guessed = b.guessName(f.node, &f.attrs)
		if f.guessed == "" && interactiveRoles[f.role] && f.node.DataAtom != atom.Input {
			f.guessed = page.Cut(b.besideLabel(f.node), maxName)
		}
		e.Name = f.guessed
	}
	e.Hint = b.hint(&f.attrs, e.Name)
	e.OtherMonth = isOtherMonth(&f.attrs, e.Name)
	b.describeDrawn(e, f)
}

// value is the value as the document has it.
func (b *builder) value(f *subject) string {
	a := &f.attrs
	switch {
	case f.node.DataAtom == atom.Input:
		switch f.role {
		case "button", "checkbox", "radio", "switch":
			return ""
		}
		return a.value
	case f.node.DataAtom == atom.Textarea:
		if c := f.node.FirstChild; c != nil {
			return c.Data
		}
	case f.role == "slider" || f.role == "spinbutton":
		return firstOf(a.valueText, a.valueNow, a.value)
	case isField(f.role):
		return b.contents(f.node)
	}
	return ""
}

// selectOptions returns the options of a select, including those in groups.
func (b *builder) selectOptions(sel *html.Node) []page.Option {
	var list []page.Option
	if n := min(countOptions(sel, maxOptions), maxAllOptions-b.options); n > 0 {
		list = make([]page.Option, 0, n)
	}
	var walk func(n *html.Node, disabled bool)
	walk = func(n *html.Node, disabled bool) {
		for c := n.FirstChild; c != nil && len(list) < maxOptions && b.options < maxAllOptions; c = c.NextSibling {
			if c.DataAtom != atom.Option {
				walk(c, disabled || c.DataAtom == atom.Optgroup && readOption(c).disabled)
				continue
			}
			a := readOption(c)
			label := page.Cut(firstOf(page.Clean(a.label), b.contents(c)), maxName)
			o := page.Option{Value: a.value, Label: label, Selected: a.selected, Disabled: disabled || a.disabled}
			if !a.hasValue {
				o.Value = label
			}
			o.Value = page.Cut(page.Clean(o.Value), maxName)
			list = append(list, o)
			b.options++
		}
	}
	walk(sel, false)
	return list
}

// bound is an attribute that bounds a value.
func bound(s string) string {
	if len(s) > maxBound {
		return ""
	}
	return page.Clean(s)
}

// countOptions counts up to a limit.
func countOptions(n *html.Node, limit int) (count int) {
	for c := n.FirstChild; c != nil && count < limit; c = c.NextSibling {
		if c.DataAtom == atom.Option {
			count++
		} else {
			count += countOptions(c, limit-count)
		}
	}
	return count
}

type option struct {
	value, label                 string
	hasValue, selected, disabled bool
}

func readOption(n *html.Node) (o option) {
	for _, a := range n.Attr {
		switch a.Key {
		case "value":
			o.value, o.hasValue = a.Val, true
		case "label":
			o.label = a.Val
		case "selected":
			o.selected = true
		case "disabled":
			o.disabled = true
		}
	}
	return o
}

// chosen is what a select shows: the labels of the selected options or, if one must
// be selected and none is marked, the first that can be chosen.
func chosen(options []page.Option, multiple bool) string {
	var labels []string
	for _, o := range options {
		if o.Selected {
			labels = append(labels, o.Label)
		}
	}
	switch {
	case multiple:
		return page.Cut(strings.Join(labels, ", "), maxValue)
	case len(labels) > 0:
		return labels[len(labels)-1]
	}
	if first := slices.IndexFunc(options, func(o page.Option) bool { return !o.Disabled }); first >= 0 {
		return options[first].Label
	}
	return ""
}

// state reads the attributes of the element's state.
func state(f *subject) page.State {
	a := &f.attrs
	s := page.State{
		Checked:  firstOf(triState(a.checked), triState(a.pressed)),
		Expanded: boolState(a.expanded),
		Disabled: a.disabled || f.disabled,
		Selected: a.selected == "true",
		Required: a.required,
		Readonly: a.readonly,
		Invalid:  isARIATrue(a.invalid),
		Hidden:   f.hidden,
		Occluded: a.occluded,
		HasPopup: isARIATrue(a.popup),
	}
	if f.node.DataAtom == atom.Input && (a.typ == "checkbox" || a.typ == "radio") && s.Checked == "" {
		s.Checked = boolWord(a.isChecked)
	}
	if f.node.DataAtom == atom.Summary && f.node.Parent != nil && f.node.Parent.DataAtom == atom.Details {
		s.Expanded = "false"
		for _, attr := range f.node.Parent.Attr {
			if attr.Key == "open" {
				s.Expanded = "true"
			}
		}
	}
	return s
}

func triState(s string) string {
	if s == "mixed" {
		return s
	}
	return boolState(s)
}

func boolState(s string) string {
	if s == "true" || s == "false" {
		return s
	}
	return ""
}

func boolWord(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// isARIATrue reads ARIA tokens of which every value but "false" means yes.
func isARIATrue(s string) bool { return s != "" && s != "false" }

// cutHref drops data and script URLs, which cannot be followed or compared.
func cutHref(href string) string {
	href = strings.TrimSpace(href)
	if scheme, _, ok := strings.Cut(href, ":"); ok && (strings.EqualFold(scheme, "data") || strings.EqualFold(scheme, "javascript")) {
		return scheme + ":"
	}
	return page.Cut(page.Clean(href), maxHref)
}

// frameName is "" for every name of the main frame.
func frameName(s string) string {
	if s == "0" || s == "main-frame" || s == "main" || len(s) > maxID {
		return ""
	}
	return page.Clean(s)
}

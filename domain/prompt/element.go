package prompt

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Legend explains the lines of Page to a model. It has the specification's keys in a
// form that takes half the tokens of their JSON (7 instead of 15 for a link).
const Legend = `LEGEND of the elements, one a line: i r "n", then what else there is
- i: element ID (use this in click("i") or setValue("i", "text"))
- r: role (btn=button, inp=input, chk=checkbox, sel=select, opt=option, menu=menuitem)
- n: name/label visible to user; ~"n": guessed from the text beside it or its author's words
- c: label beside a control that shows its value; v: current value (for inputs); type: what goes in, with min and max
- s: state (disabled, readonly, required, checked, expanded, selected, invalid, focused, secret, filled=holds a secret, covered, out-of-view=scrolled out of its list, onhover=seen only under the mouse; a click works on both, also words of its style: active, liked …); new: not there before the last action
- o: options of a list; more: how many others it has
- col, row: heading of its column, text of its row or card; hint: other words for it
- h: where a link leads, if its name does not tell
- xy: x,y coordinates on screen
- f: frame ID (omitted for the main frame)
Lines of their own, where they stand on the page:
- dialog "…": what is open over the page, before what it covers
- g "…": the form, dialog, table row or region of the elements below it
- t "…": text of the page; "label | value" stand together
- … 5 links: elements left out here`

// Bounds of one line, in characters.
const (
	maxName  = 100
	maxGroup = 40
	maxValue = 100
	maxHref  = 50
	maxRole  = 20
	maxRow   = 60
	// maxOptions of a list; those the task quotes come first.
	maxOptions    = 15
	maxOptionText = 40
)

// context is what a line depends on besides its element.
type context struct {
	q    query
	host string
	// twin: another element has the same name. row: its row is not yet told by the
	// lines before it. isNew: it was not on the page before.
	twin, row, isNew bool
}

// line returns the line of an element as the legend describes it.
func line(e page.Element, c context) string {
	var b strings.Builder
	b.WriteString(bare(e.ID) + " " + shortRole(e.Role))
	name := nameOf(e)
	if name != "" {
		b.WriteString(" " + guessMark(e) + quote(name, maxName))
	}
	text := func(key, s string, limit int) {
		if s = page.Clean(s); s != "" {
			b.WriteString(" " + key + "=" + quote(s, limit))
		}
	}
	text("c", e.Caption, maxGroup)
	if !e.State.Secret {
		text("v", e.Value, maxValue)
	}
	b.WriteString(typeOf(e))
	if s := stateOf(e, c.isNew); s != "" {
		b.WriteString(" s=" + s)
	}
	b.WriteString(optionsOf(e.Options, c.q))
	if c.twin || name == "" || e.NameGuessed || isSign(name) {
		text("col", e.Column, maxRole)
	}
	if c.row && !strings.EqualFold(page.Clean(e.Row), name) {
		text("row", e.Row, maxRow)
	}
	if (c.twin || name == "") && !e.NameGuessed {
		text("hint", e.Hint, maxGroup)
	}
	if h := linkAddress(e.Href, c.host); h != "" && (name == "" || c.twin || e.NameGuessed) {
		b.WriteString(" h=" + quote(h, maxHref))
	}
	if e.XY != nil {
		fmt.Fprintf(&b, " xy=%d,%d", pixels(e.XY.X), pixels(e.XY.Y))
	}
	if f := page.Clean(e.Frame); f != "" && f != "0" {
		b.WriteString(" f=" + bare(page.Cut(f, maxRole)))
	}
	return b.String()
}

// guessMark marks a name that is not shown on the element.
func guessMark(e page.Element) string {
	if e.NameGuessed {
		return "~"
	}
	return ""
}

// shownTypes are the types of inputs that say what goes in.
var shownTypes = []string{"email", "tel", "url", "number", "date", "time", "datetime-local", "month", "week", "color", "file", "range", "search"}

// typeOf returns the type of a field and its bounds.
func typeOf(e page.Element) string {
	var b strings.Builder
	if slices.Contains(shownTypes, e.Type) {
		b.WriteString(" type=" + e.Type)
	}
	for _, bound := range [...]struct{ key, value string }{{"min", e.Min}, {"max", e.Max}} {
		if v := page.Clean(bound.value); v != "" && b.Len() > 0 {
			b.WriteString(" " + bound.key + "=" + quote(v, maxRole))
		}
	}
	return b.String()
}

// nameOf returns the element's name, or its placeholder.
func nameOf(e page.Element) string {
	if name := page.Clean(e.Name); name != "" {
		return name
	}
	return page.Clean(e.Placeholder)
}

// pixels rounds a coordinate, which may be any number.
func pixels(f float64) int { return int(math.Round(max(-99_999, min(99_999, f)))) }

// quote returns the visible text, cut to a number of characters, in quotes that it
// cannot end.
func quote(s string, runes int) string {
	return `"` + escape.Replace(Clip(s, runes)) + `"`
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// bare returns a text without quotes if none of it can be mistaken for another part
// of the line.
func bare(s string) string {
	if s == "" || s == "g" || s == "t" || strings.ContainsFunc(s, isOdd) {
		return quote(s, len(s))
	}
	return s
}

func isOdd(r rune) bool {
	plain := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !plain && !strings.ContainsRune("_-.:", r)
}

// Clip returns the visible text, cut to a number of characters.
func Clip(s string, runes int) string {
	s = page.Clean(s)
	if c := page.Cut(s, runes); len(c) < len(s) {
		return c + "…"
	}
	return s
}

// optionsOf lists the options of a select, those the task quotes first.
func optionsOf(all []page.Option, q query) string {
	if len(all) == 0 {
		return ""
	}
	var first, rest []string
	for _, o := range all {
		text := optionText(o)
		if len(all) > maxOptions && q.quotes(words(text)) {
			first = append(first, text)
		} else {
			rest = append(rest, text)
		}
	}
	shown := append(first, rest...)
	shown = shown[:min(len(shown), maxOptions)]
	for i, s := range shown {
		shown[i] = quote(s, maxOptionText)
	}
	out := " o=[" + strings.Join(shown, ",") + "]"
	if more := len(all) - len(shown); more > 0 {
		out += fmt.Sprintf(" more=%d", more)
	}
	return out
}

func optionText(o page.Option) string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

// linkAddress returns the address of a link, without the host of its own page.
func linkAddress(href, host string) string {
	u, err := weburl.Parse(href)
	switch {
	case href == "#", err != nil || strings.ContainsFunc(href, unicode.IsControl) || strings.EqualFold(u.Scheme, "javascript") || strings.EqualFold(u.Scheme, "data"):
		return ""
	case u.Host != "" && strings.EqualFold(u.Host, host):
		return strings.TrimPrefix(strings.TrimPrefix(href, u.Scheme+":"), "//"+u.Host)
	}
	return href
}

func stateOf(e page.Element, isNew bool) string {
	s := e.State
	var out []string
	for _, f := range []struct {
		is   bool
		word string
	}{
		{s.Disabled, "disabled"}, {s.Readonly, "readonly"}, {s.Required, "required"},
		{s.Checked == "true", "checked"}, {s.Checked == "mixed", "partly-checked"}, {s.Checked == "false", "unchecked"},
		{s.Expanded == "true", "expanded"}, {s.Expanded == "false", "collapsed"},
		{s.Selected, "selected"}, {s.Invalid, "invalid"}, {s.Focused, "focused"},
		{s.Occluded, "covered"}, {s.OutOfView, "out-of-view"}, {s.OnHover, "onhover"}, {s.HasPopup, "opens-menu"}, {s.Secret, "secret"}, {s.Secret && s.Filled, "filled"},
		{e.OtherMonth, "other-month"}, {isNew, "new"},
	} {
		if f.is {
			out = append(out, f.word)
		}
	}
	for mark := range strings.FieldsSeq(s.Marks) {
		if len(mark) <= maxRole && !strings.ContainsFunc(mark, func(r rune) bool { return r < 'a' || r > 'z' }) && !slices.Contains(out, mark) {
			out = append(out, mark)
		}
	}
	return strings.Join(out, ",")
}

// shortRole is the specification's role mapping. Other valid roles stay.
func shortRole(role string) string {
	switch role {
	case "button":
		return "btn"
	case "textbox", "input", "textarea", "searchbox", "spinbutton":
		return "inp"
	case "checkbox":
		return "chk"
	case "select", "combobox", "listbox":
		return "sel"
	case "menuitem", "menuitemcheckbox", "menuitemradio":
		return "menu"
	case "menu", "menubar":
		return "menulist" // not to be taken for one of its items
	case "option":
		return "opt"
	}
	for _, r := range role {
		if r < 'a' || r > 'z' {
			return "element"
		}
	}
	if role == "" || role == "generic" || len(role) > maxRole {
		return "element"
	}
	return role
}

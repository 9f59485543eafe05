package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Locate reports whether a page shows something: a CSS selector (tag, id, attributes
// and :has-text; of a list any) or a text. A Page has only operable elements and
// messages, so a selector that matches nothing and is for something else is Unknown,
// as is one with a class, an ancestor or a position. A text is looked for as whole
// words, ignoring case, in names, messages, headings, title and text. Text is
// bounded: False means that it is not in the part that was read.
func Locate(p Page, locator string) Truth {
	list, ok := parseSelector(locator)
	if !ok {
		return p.shows(strings.TrimPrefix(Cut(locator, maxSelector), "text="))
	}
	found := False
	for _, c := range list {
		found = found.or(p.locate(c, nil))
	}
	return found
}

// shows is Unknown for a text that a partial page does not show.
func (p Page) shows(text string) Truth { return truth(p.showsText(text)).or(p.absent()) }

// absent is what follows from something that is not on the page.
func (p Page) absent() Truth {
	if p.Partial() {
		return Unknown
	}
	return False
}

// locate looks for an element that matches, and for which also holds if it is not
// nil.
func (p Page) locate(c compound, also func(Element) Truth) Truth {
	found := p.absent()
	if !c.listed() {
		found = Unknown
	}
	if role := c.attr("role"); role == "alert" || role == "status" {
		found = p.absent()
		for _, a := range p.Alerts {
			if c.saysAll(a.Text) {
				found = True
			}
		}
		return found
	}
	for _, e := range p.Elements {
		if e.State.Hidden {
			continue
		}
		fits := c.fits(e)
		if also != nil {
			fits = fits.and(also(e))
		}
		found = found.or(fits)
	}
	return found
}

// listed reports whether a Page contains every element of this kind.
func (c compound) listed() bool {
	return rolesOfTag[c.tag] != nil || listedRoles[c.attr("role")]
}

func (c compound) attr(name string) string {
	for _, a := range c.attrs {
		if a.name == name && a.op == "=" {
			return a.value
		}
	}
	return ""
}

func (c compound) saysAll(text string) bool {
	return !slices.ContainsFunc(c.texts, func(t string) bool { return !says(text, t) })
}

func (c compound) fits(e Element) Truth {
	fit := truth(c.saysAll(e.Name))
	if c.tag != "" {
		fit = fit.and(hasTag(e, c.tag))
	}
	for _, a := range c.attrs {
		fit = fit.and(a.fits(e))
	}
	if c.opaque {
		fit = fit.and(Unknown)
	}
	return fit
}

func hasTag(e Element, tag string) Truth {
	if e.Tag != "" {
		return truth(e.Tag == tag)
	}
	roles, known := rolesOfTag[tag]
	switch {
	case !known:
		return Unknown
	case slices.Contains(roles, e.Role):
		return True
	}
	return False
}

// fits compares an attribute as far as a Page has it.
func (a attribute) fits(e Element) Truth {
	switch a.name {
	case "id", "data-id", "data-llm-id", "data-testid", "name":
		if a.op == "=" && a.value != "" && (e.ID == a.value || e.Anchor == a.value) {
			return True
		}
		return Unknown // only one of an element's names is kept
	case "role":
		return a.compare(e.Role)
	case "aria-label":
		return a.compare(e.Name)
	case "type", "placeholder", "href":
		value := map[string]string{"type": e.Type, "placeholder": e.Placeholder, "href": e.Href}[a.name]
		if value == "" && e.Tag == "" {
			return Unknown
		}
		return a.compare(value)
	case "value":
		if e.State.Secret {
			return Unknown
		}
		return a.compare(e.Value)
	}
	if value, known := stateOf(e.State, a.name); known {
		return a.compare(value)
	}
	return Unknown
}

// stateOf returns a state as the value of its attribute; "" is a missing attribute.
func stateOf(s State, attribute string) (value string, known bool) {
	flag := func(b bool) (string, bool) {
		if b {
			return "true", true
		}
		return "", true
	}
	switch attribute {
	case "aria-expanded":
		return s.Expanded, true
	case "aria-checked", "checked":
		return s.Checked, true
	case "aria-disabled", "disabled":
		return flag(s.Disabled)
	case "aria-selected", "selected":
		return flag(s.Selected)
	case "aria-invalid":
		return flag(s.Invalid)
	case "aria-haspopup":
		return flag(s.HasPopup)
	case "required", "aria-required":
		return flag(s.Required)
	case "readonly", "aria-readonly":
		return flag(s.Readonly)
	}
	return "", false
}

func (a attribute) compare(value string) Truth {
	switch a.op {
	case "":
		return truth(value != "")
	case "=":
		return truth(SameText(value, a.value))
	case "^=":
		return truth(a.value != "" && strings.HasPrefix(value, a.value))
	case "$=":
		return truth(a.value != "" && strings.HasSuffix(value, a.value))
	case "*=":
		return truth(a.value != "" && strings.Contains(value, a.value))
	}
	return Unknown
}

func (p Page) showsText(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	for _, e := range p.Elements {
		if !e.State.Hidden && says(e.Name, text) {
			return true
		}
	}
	for _, a := range p.Alerts {
		if says(a.Text, text) {
			return true
		}
	}
	return slices.ContainsFunc(p.Headings, func(h string) bool { return says(h, text) }) || says(p.Title, text) || says(p.Text, text)
}

// says reports whether text contains phrase as whole words: "Saved" does not contain
// "Save".
func says(text, phrase string) bool {
	text, phrase = strings.ToLower(Clean(text)), strings.ToLower(Clean(phrase))
	if phrase == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], phrase)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(phrase)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		first, n := utf8.DecodeRuneInString(phrase)
		last, _ := utf8.DecodeLastRuneInString(phrase)
		after, _ := utf8.DecodeRuneInString(text[end:])
		insideWord := wordRune(before) && wordRune(first) || wordRune(last) && wordRune(after)
		if !insideWord {
			return true
		}
		at = begin + n
	}
}

// wordRune reports characters of words. In scripts without spaces a phrase may begin
// and end anywhere, so they are left out.
func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// rolesOfTag are the roles of an interactive tag's elements.
var rolesOfTag = map[string][]string{
	"a":        {"link"},
	"button":   {"button"},
	"select":   {"combobox", "listbox"},
	"textarea": {"textbox"},
	"input":    {"textbox", "searchbox", "checkbox", "radio", "button", "spinbutton", "slider", "combobox", "switch"},
}

// listedRoles are the roles of which a Page has every visible element.
var listedRoles = setOf("button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "menuitem", "menuitemradio",
	"menuitemcheckbox", "option", "tab", "switch", "slider", "spinbutton", "treeitem", "listbox")

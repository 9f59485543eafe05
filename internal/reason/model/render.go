package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Bounds of what a prompt shows of a page, in bytes. The elements of nine real
// pages in ten fit whole (p90 19 kB in this form).
const (
	maxPage     = 24_000
	maxPageText = 4_000
	maxName     = 120 // characters of one name, value or group
	maxOptions  = 30
	maxAlerts   = 10
	maxHeadings = 12
)

// renderPage is the page in the minified form of the specification (V3), at
// most maxPage bytes: address, messages, elements, then as much of the text as
// there is room for.
func renderPage(p page.Page, task string) string {
	var head strings.Builder
	fmt.Fprintf(&head, "url: %s\n", clip(p.URL, 500))
	if p.Title != "" {
		fmt.Fprintf(&head, "title: %s\n", clip(p.Title, maxName))
	}
	for _, a := range p.Alerts[:min(len(p.Alerts), maxAlerts)] {
		fmt.Fprintf(&head, "message (%s): %s\n", a.Kind, clip(a.Text, 200))
	}
	for _, h := range p.Headings[:min(len(p.Headings), maxHeadings)] {
		fmt.Fprintf(&head, "heading: %s\n", clip(h, maxName))
	}
	text := cutBytes(page.Clean(p.Text), maxPageText)
	room := maxPage - head.Len() - len(text) - 200 // the lines around
	lines, left := relevant(actionable(p), task, renderElement, room)
	var b strings.Builder
	b.WriteString(head.String())
	fmt.Fprintf(&b, "elements (%d):\n%s\n", len(lines), strings.Join(lines, "\n"))
	if left > 0 {
		fmt.Fprintf(&b, "%d more elements are not shown.\n", left)
	}
	if len(p.Scrollable) > 0 {
		fmt.Fprintf(&b, "more can be scrolled into view in: %s\n", clip(strings.Join(p.Scrollable, ", "), maxName))
	}
	if text != "" {
		fmt.Fprintf(&b, "text: %s\n", text)
	}
	return strings.TrimRight(b.String(), "\n")
}

// actionable are the elements an action may name. Ids stand in the prompt as
// they are, so one that holds more than a person could see is left out.
func actionable(p page.Page) []page.Element {
	var out []page.Element
	for _, e := range p.Elements {
		if e.ID != "" && len(e.ID) <= action.MaxTarget && e.ID == page.Clean(e.ID) && !e.State.Hidden {
			out = append(out, e)
		}
	}
	return out
}

// element in the specification's minified keys.
type element struct {
	ID      string   `json:"i"`
	Role    string   `json:"r"`
	Name    string   `json:"n,omitempty"`
	Value   string   `json:"v,omitempty"`
	State   string   `json:"s,omitempty"`
	Group   string   `json:"g,omitempty"`
	Options []string `json:"o,omitempty"`
	Href    string   `json:"h,omitempty"`
	XY      []int    `json:"xy,omitempty"`
	Frame   string   `json:"f,omitempty"`
}

// renderElement is one line of JSON, so that no name can begin another line.
func renderElement(e page.Element) string {
	out := element{
		ID: e.ID, Role: shortRole(e.Role), Name: clip(e.Name, maxName), Value: clip(e.Value, maxName),
		State: renderState(e.State), Group: clip(e.Group, 60), Frame: clip(e.Frame, 20),
	}
	if out.Name == "" {
		out.Name = clip(e.Placeholder, maxName)
	}
	if e.State.Secret {
		out.Value = ""
	}
	if e.Href != "" && !strings.HasPrefix(e.Href, "javascript:") {
		out.Href = clip(e.Href, maxName)
	}
	for _, o := range e.Options[:min(len(e.Options), maxOptions)] {
		out.Options = append(out.Options, clip(optionText(o), 60))
	}
	if e.XY != nil {
		out.XY = []int{int(math.Round(e.XY.X)), int(math.Round(e.XY.Y))}
	}
	if e.Frame == "0" {
		out.Frame = ""
	}
	return oneLine(out)
}

func oneLine(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("model: strings and integers cannot fail to encode: " + err.Error())
	}
	return strings.TrimRight(b.String(), "\n")
}

func optionText(o page.Option) string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

func renderState(s page.State) string {
	var out []string
	for _, f := range []struct {
		is   bool
		word string
	}{
		{s.Disabled, "disabled"}, {s.Readonly, "readonly"}, {s.Required, "required"},
		{s.Checked == "true", "checked"}, {s.Checked == "mixed", "partly checked"}, {s.Checked == "false", "unchecked"},
		{s.Expanded == "true", "expanded"}, {s.Expanded == "false", "collapsed"},
		{s.Selected, "selected"}, {s.Invalid, "invalid"}, {s.Focused, "focused"},
		{s.Occluded, "covered"}, {s.HasPopup, "opens a menu"}, {s.Secret, "secret"},
	} {
		if f.is {
			out = append(out, f.word)
		}
	}
	return strings.Join(out, ", ")
}

// shortRole is the specification's role mapping; other roles stay.
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
	case "option":
		return "opt"
	case "":
		return "element"
	}
	return clip(role, 20)
}

// clip is a text as a person sees it, cut to a number of characters.
func clip(s string, runes int) string {
	s = page.Clean(s)
	if c := page.Cut(s, runes); len(c) < len(s) {
		return c + "…"
	}
	return s
}

// cutBytes cuts at most at a number of bytes, between characters.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

package page

import (
	"slices"
	"sort"
	"strings"
)

// MapText returns the page with change applied to every text and name, but not to
// ids. Keys and hashes stay as they are. Elements are shared with p if nothing of them
// changes.
func (p Page) MapText(change func(string) string) Page {
	text, first := change(p.Text), 0
	for first < len(p.Elements) && !p.Elements[first].changes(change) {
		first++
	}
	if first < len(p.Elements) || text != p.Text {
		p.Elements = slices.Clone(p.Elements)
	}
	p.Layers = slices.Clone(p.Layers)
	p.changeTexts(text, first, change)
	return p
}

// ChangeTexts is MapText in place, for whoever made the page: its elements and layers
// are changed themselves.
func (p *Page) ChangeTexts(change func(string) string) { p.changeTexts(change(p.Text), 0, change) }

// changeTexts is ChangeTexts for a text that was changed, and elements from the first that
// changes.
func (p *Page) changeTexts(text string, first int, change func(string) string) {
	p.URL, p.Title = change(p.URL), change(p.Title)
	p.Headings, p.Notes = mapAll(p.Headings, change), mapAll(p.Notes, change)
	p.Alerts = mapAlerts(p.Alerts, change)
	for i := first; i < len(p.Elements); i++ {
		p.Elements[i].mapText(change)
	}
	for i, l := range p.Layers {
		p.Layers[i].Name, p.Layers[i].Text = change(l.Name), change(l.Text)
	}
	p.setText(text, change)
}

// ChangeText applies change to the page's Text, and the places of the elements in it
// move along. Within a line that changes they are not known: elements are then at its
// beginning.
func (p *Page) ChangeText(change func(string) string) { p.setText(change(p.Text), change) }

// setText is ChangeText for a text that was changed.
func (p *Page) setText(text string, change func(string) string) {
	if p.Text == text {
		return
	}
	s := newShift(p.Text, text, change)
	p.Text = text
	for i := range p.Elements {
		e := &p.Elements[i]
		e.TextFrom, e.TextTo = s.at(e.TextFrom), s.at(e.TextTo)
	}
	for i := range p.Layers {
		l := &p.Layers[i]
		l.TextFrom, l.TextTo = s.at(l.TextFrom), s.at(l.TextTo)
	}
}

// shift says where the lines of a text begin before and after a change.
type shift struct {
	from, to []int
	// changed: something in the line is different, so that places in it are not known.
	changed []bool
}

// newShift compares a text with itself after a change. It is empty if the change is
// not one of single lines.
func newShift(before, after string, change func(string) string) shift {
	var s shift
	to, whole := 0, 0
	for line := range strings.Lines(before) {
		now := change(line)
		s.from, s.to = append(s.from, whole), append(s.to, to)
		s.changed = append(s.changed, now != line)
		if !strings.HasPrefix(after[min(to, len(after)):], now) {
			return shift{}
		}
		whole, to = whole+len(line), to+len(now)
	}
	if to != len(after) {
		return shift{}
	}
	return s
}

// at returns where a place of the text is after the change: the beginning of its line
// if that has changed.
func (s shift) at(place int) int {
	i := sort.SearchInts(s.from, place+1) - 1
	if i < 0 {
		return 0
	}
	if s.changed[i] {
		return s.to[i]
	}
	return s.to[i] + place - s.from[i]
}

// texts are those of an element that mapText changes, besides its options'.
func (e *Element) texts() [10]*string {
	return [...]*string{&e.Name, &e.Value, &e.Anchor, &e.Placeholder, &e.Href, &e.Group, &e.Row, &e.Column, &e.Caption, &e.Hint}
}

// changes reports whether mapText would change an element.
func (e *Element) changes(change func(string) string) bool {
	for _, s := range e.texts() {
		if *s != "" && change(*s) != *s {
			return true
		}
	}
	return slices.ContainsFunc(e.Options, func(o Option) bool { return change(o.Value) != o.Value || change(o.Label) != o.Label })
}

func (e *Element) mapText(change func(string) string) {
	for _, s := range e.texts() {
		if *s != "" {
			*s = change(*s)
		}
	}
	if len(e.Options) == 0 {
		return
	}
	e.Options = slices.Clone(e.Options)
	for i, o := range e.Options {
		e.Options[i].Value, e.Options[i].Label = change(o.Value), change(o.Label)
	}
}

// MapText returns the before state with change applied to every text, including keys. It
// shares with b what does not change.
func (b Before) MapText(change func(string) string) Before {
	b.URL = change(b.URL)
	b.Skeleton.Alerts = mapAlerts(b.Skeleton.Alerts, change)
	shared := true
	for i := range b.Skeleton.Elements {
		d := &b.Skeleton.Elements[i]
		now := *d
		now.Key, now.Name, now.Value = change(d.Key), change(d.Name), change(d.Value)
		now.Href, now.Group = change(d.Href), change(d.Group)
		if now == *d {
			continue
		}
		if shared {
			b.Skeleton.Elements, shared = slices.Clone(b.Skeleton.Elements), false
		}
		b.Skeleton.Elements[i] = now
	}
	return b
}

// MapText returns the capture with change applied to every text, including documents.
func (c Capture) MapText(change func(string) string) Capture {
	c.URL, c.Title, c.DOM, c.SkeletonDOM = change(c.URL), change(c.Title), change(c.DOM), change(c.SkeletonDOM)
	scalar := func(s Scalar) Scalar { return Scalar(change(string(s))) }
	c.Tree = slices.Clone(c.Tree)
	for i, n := range c.Tree {
		c.Tree[i].Name, c.Tree[i].Value = scalar(n.Name), scalar(n.Value)
	}
	c.Nodes = slices.Clone(c.Nodes)
	for i, n := range c.Nodes {
		c.Nodes[i].Name, c.Nodes[i].Value = scalar(n.Name), scalar(n.Value)
		c.Nodes[i].Placeholder, c.Nodes[i].Href = change(n.Placeholder), change(n.Href)
	}
	return c
}

// MapText returns the witness with change applied to every text.
func (w Witness) MapText(change func(string) string) Witness {
	w.SentinelMessage, w.Result = change(w.SentinelMessage), change(w.Result)
	for _, list := range [...]*[]string{&w.ErrorsDetected, &w.SuccessMessages, &w.RecentEvents, &w.DropdownOptions} {
		*list = mapAll(*list, change)
	}
	w.Refused = slices.Clone(w.Refused)
	for i := range w.Refused {
		w.Refused[i].Path = change(w.Refused[i].Path)
	}
	if w.Error != nil {
		e := *w.Error
		e.Message, e.Action = change(e.Message), change(e.Action)
		w.Error = &e
	}
	if w.Chain != nil {
		c := *w.Chain
		c.Executed = mapAll(c.Executed, change)
		w.Chain = &c
	}
	return w
}

func mapAll(texts []string, change func(string) string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = change(s)
	}
	return out
}

func mapAlerts(alerts []Alert, change func(string) string) []Alert {
	alerts = slices.Clone(alerts)
	for i := range alerts {
		alerts[i].Text = change(alerts[i].Text)
	}
	return alerts
}

// TakesText reports whether people type into an element.
func TakesText(e Element) bool {
	switch e.Role {
	case "textbox", "searchbox", "spinbutton":
		return true
	case "combobox":
		return len(e.Options) == 0
	}
	return false
}

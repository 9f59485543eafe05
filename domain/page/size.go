package page

import "unsafe"

// Size estimates the page's memory in bytes.
func (p Page) Size() int {
	n := int(unsafe.Sizeof(p)) + len(p.URL) + len(p.Title) + len(p.Text) + len(p.DOMHash) + len(p.MeaningHash)
	for i := range p.Elements {
		n += p.Elements[i].size()
	}
	for _, a := range p.Alerts {
		n += int(unsafe.Sizeof(a)) + len(a.Text)
	}
	for _, l := range p.Layers {
		n += int(unsafe.Sizeof(l)) + len(l.Role) + len(l.Name) + len(l.Text)
	}
	for _, list := range [...][]string{p.Headings, p.Scrollable, p.Notes} {
		for _, s := range list {
			n += int(unsafe.Sizeof(s)) + len(s)
		}
	}
	for _, r := range p.Regions {
		n += int(unsafe.Sizeof(r)) + len(r.ID) + len(r.Depth)
	}
	return n
}

func (e *Element) size() int {
	n := int(unsafe.Sizeof(*e)) + len(e.ID) + len(e.Key) + len(e.Anchor) + len(e.Role) + len(e.Name) + len(e.Value) +
		len(e.Type) + len(e.Placeholder) + len(e.Href) + len(e.Group) + len(e.Frame) + len(e.Row) + len(e.Column) + len(e.Caption) + len(e.Hint) +
		len(e.Min) + len(e.Max) + len(e.Step)
	for _, o := range e.Options {
		n += int(unsafe.Sizeof(o)) + len(o.Value) + len(o.Label)
	}
	if e.XY != nil {
		n += int(unsafe.Sizeof(*e.XY))
	}
	if e.Box != nil {
		n += int(unsafe.Sizeof(*e.Box))
	}
	return n
}

package dom

import (
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// detach gives what was read strings of its own. Those of the tree are parts of the
// document: a page that is kept would keep all of it in memory.
func (r *reading) detach() {
	var d detacher
	r.texts(d.measure)
	d.buf.Grow(d.size)
	r.texts(d.write)
	d.all = d.buf.String()
	r.texts(d.take)
}

// detacher moves strings into one, in three passes over the same places.
type detacher struct {
	buf  strings.Builder
	size int
	all  string
	from int // what of all is taken
}

func (d *detacher) measure(s *string) { d.size += len(*s) }

func (d *detacher) write(s *string) { d.buf.WriteString(*s) }

func (d *detacher) take(s *string) {
	n := len(*s)
	*s = d.all[d.from : d.from+n]
	d.from += n
}

// texts visits the strings that may be parts of the document. The others are put
// together, of many parts.
func (r *reading) texts(visit func(*string)) {
	visit(&r.language)
	for i := range r.elements {
		elementTexts(&r.elements[i], visit)
	}
	for i := range r.layers {
		visit(&r.layers[i].Role)
		visit(&r.layers[i].Name)
	}
	for i := range r.scrollers {
		visit(&r.scrollers[i])
	}
}

func elementTexts(e *page.Element, visit func(*string)) {
	for _, s := range [...]*string{
		&e.ID, &e.Anchor, &e.Role, &e.Name, &e.Value, &e.Tag, &e.Type, &e.Placeholder, &e.Href, &e.Group, &e.Column, &e.Caption, &e.Hint,
		&e.Min, &e.Max, &e.Step, &e.Frame, &e.State.Checked, &e.State.Expanded, &e.State.Marks,
	} {
		visit(s)
	}
	for i := range e.Options {
		visit(&e.Options[i].Value)
		visit(&e.Options[i].Label)
	}
}

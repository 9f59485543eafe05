package dom

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// document is what one walk over the parsed page collects.
type document struct {
	found     []found
	cut       bool                                   // there were more than maxElements
	byID      map[string]*html.Node                  // by the id attribute
	labels    map[string][]*html.Node                // label elements by their for attribute
	styles    []*html.Node                           // style elements
	sheet     *sheet                                 // what they say, nil for nothing
	slotted   map[*html.Node][]*html.Node            // what the slots of shadow trees show
	hosts     map[*html.Node]map[string][]*html.Node // what waits for a slot, by host and slot name
	alerts    []page.Alert
	headings  []*html.Node
	seen      map[*html.Node]bool // labels a person sees
	layers    []layer
	scrollers []string // ids of boxes that may show more
	busy      bool     // something on it is loading, as it says itself
	text      []byte
	nodes     int
	taken     map[string]bool // ids already given to an element
	// concealed is what names have found out about the surroundings of labels.
	concealed map[*html.Node]bool
}

// found is an operable element and where it was found.
type found struct {
	node     *html.Node
	role     string
	hidden   bool
	disabled bool // by what it is in
	group    *group
	frame    string
	label    *html.Node // the label element around it
	layer    int        // the number of the layer it is in
	form     int        // and of the form
	handle   string     // that of the label standing in for it
	guessed  string     // the name it has from its author's words
	toggle   string     // the state of a toggle that is drawn
	from, to int        // where it begins and ends in the text
}

// place is what a node's ancestors say about it.
type place struct {
	visibility visibility
	disabled   bool // in a disabled fieldset, which disables its controls
	off        bool // in something aria-disabled, which disables all that is in it
	group      *group
	label      *html.Node
	frame      string
	box        *box
	layer      int
	form       int
	control    bool // inside a button, whose text is no part of a message
}

// walk visits a parsed document.
func walk(root *html.Node) *document {
	w := walker{doc: newDocument()}
	w.children(root, &place{})
	w.doc.sheet = readSheets(w.doc.styles, w.doc.nodes)
	return w.doc
}

// walker visits every node once, in document order.
type walker struct {
	doc          *document
	boxes        []*box // closed ones, to be used again
	groups       []group
	layerClasses map[string]bool
	forms        int
}

func (w *walker) children(n *html.Node, p *place) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			w.text(c.Data, p)
		case html.ElementNode:
			if c.DataAtom == atom.Template && isShadowRoot(c) {
				w.shadow(n, c, p)
				return
			}
			w.element(c, p)
		}
	}
}

func (w *walker) text(s string, p *place) {
	w.doc.nodes++
	if p.visibility != visible {
		return
	}
	if len(w.doc.text) < maxText {
		w.doc.text = page.AppendClean(w.doc.text, s)
	}
	if p.box != nil && !p.control {
		p.box.say(s)
	}
}

func (w *walker) element(n *html.Node, around *place) {
	w.doc.nodes++
	switch n.DataAtom {
	case atom.Script, atom.Noscript, atom.Template, atom.Iframe:
		return
	case atom.Style:
		w.doc.styles = append(w.doc.styles, n)
		return
	case atom.Head:
		w.head(n)
		return
	case atom.Slot:
		if w.slot(n, around) {
			return
		}
	}
	here := *around
	p := &here
	inner := w.look(n, p)
	layer := 0 // that begins here
	if p.layer != around.layer {
		layer = p.layer
	}
	block := !isInline(n.DataAtom) || layer > 0
	if block {
		w.breakLine(p)
	}
	if layer > 0 {
		w.doc.layers[layer-1].from = len(w.doc.text)
	}
	start := len(w.doc.text)
	if inner.found > 0 {
		w.doc.found[inner.found-1].from = start
	}
	switch {
	case inner.box != nil && !inner.secret:
		outer := p.box
		p.box = inner.box
		w.children(n, p)
		w.close(inner.box, outer)
	case inner.rest != nil:
		w.split(n, p, inner.rest)
	case inner.secret || n.DataAtom == atom.Select || n.DataAtom == atom.Textarea || n.DataAtom == atom.Datalist:
		// Values and choices are no text of the page.
	default:
		w.children(n, p)
	}
	if inner.found > 0 {
		w.doc.found[inner.found-1].to = len(w.doc.text)
	}
	if layer > 0 {
		w.doc.layers[layer-1].to = len(w.doc.text)
	}
	if block {
		if layer == 0 {
			w.join(n, start)
		}
		w.breakLine(p)
	}
}

// Bounds of what stands together: the cells of a row, and a label with its value.
const (
	maxJoined = 300 // bytes
	maxCells  = 12
	maxParts  = 5 // of a box that holds no two rows
)

// join joins the lines of an element by tabs if a person sees them together: those of a
// row or item, and the few of a box that holds nothing else.
func (w *walker) join(n *html.Node, start int) {
	text := w.doc.text[start:]
	if len(text) > maxJoined {
		return
	}
	text = bytes.TrimRight(text, "\n")
	limit := maxParts
	switch n.DataAtom {
	case atom.Tr, atom.Li:
		limit = maxCells
	case atom.Body, atom.Html, atom.Main, atom.Section, atom.Form, atom.Fieldset, atom.Nav:
		return
	case atom.Dd:
		if start > 0 && w.doc.text[start-1] == '\n' && isAfter(n, atom.Dt) {
			w.doc.text[start-1] = '\t'
		}
	default:
		if first := bytes.IndexByte(text, '\t'); first >= 0 {
			if next := bytes.IndexByte(text[first:], '\n'); next >= 0 && bytes.IndexByte(text[first+next:], '\t') >= 0 {
				return // two rows
			}
		}
	}
	if bytes.Count(text, []byte{'\n'})+bytes.Count(text, []byte{'\t'}) >= limit {
		return
	}
	for i, c := range text {
		if c == '\n' {
			text[i] = '\t'
		}
	}
}

// isAfter reports an element right after one with a tag.
func isAfter(n *html.Node, tag atom.Atom) bool {
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n != nil && n.DataAtom == tag
}

// inner says what is special about the inside of an element.
type inner struct {
	box    *box   // it may be a message
	rest   *place // where all but its first summary or legend are
	secret bool   // it is what somebody typed, and nobody's business
	found  int    // the number, from 1, of the page's element that it is, or 0
}

// head looks for style sheets only.
func (w *walker) head(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Style {
			w.doc.styles = append(w.doc.styles, c)
		}
	}
}

// noAttrs are those of the many elements that have none; nobody writes to it.
var noAttrs attrs

// look reads the element itself: what it is, whether it is one of the page's
// elements, and what it says about its inside, whose place p becomes. Its
// attributes are not kept while the inside is walked: with them every level of
// nesting would cost the stack a kilobyte.
func (w *walker) look(n *html.Node, p *place) inner {
	a := &noAttrs
	if len(n.Attr) > 0 {
		var own attrs
		own.read(n)
		a = &own
	}
	role := roleOf(n, a)
	w.index(n, a)
	var in inner
	if isOperable(n, a, role) {
		in.found = w.add(n, a, role, p)
	}
	p.visibility = max(p.visibility, visibilityOf(n, a))
	if p.visibility == visible {
		w.see(n, a, role, p)
	}
	if role == "heading" && p.visibility == visible && len(w.doc.headings) < maxHeadings {
		w.doc.headings = append(w.doc.headings, n)
	}
	if p.box != nil && isControl(n.DataAtom) && n.DataAtom != atom.Button && a.typ != "hidden" {
		p.box.controls = true
	}
	w.inside(p, n, a, role)
	in.secret = takesText(a) && isSecret(n, a, "")
	switch {
	case p.visibility == visible && isBox(n, a, role):
		in.box = w.open(a, role)
	case n.DataAtom == atom.Details && !a.open:
		rest := *p
		rest.visibility = notRendered
		in.rest = &rest
	case n.DataAtom == atom.Fieldset && a.disabled:
		rest := *p
		rest.disabled = true
		in.rest = &rest
	}
	return in
}

// see remembers what names, rows and questions about the page as a whole are
// worked out from afterwards.
func (w *walker) see(n *html.Node, a *attrs, role string, p *place) {
	if n.DataAtom == atom.Label {
		if w.doc.seen == nil {
			w.doc.seen = map[*html.Node]bool{}
		}
		w.doc.seen[n] = true
	}
	if a.busy || role == "progressbar" && a.value == "" && a.valueNow == "" && a.valueText == "" {
		w.doc.busy = true
	}
	if w.isLayer(n, a, role) {
		p.layer = w.addLayer(n, a, role)
	}
	if scrolls(a) && len(w.doc.scrollers) < maxScrollable {
		w.doc.scrollers = append(w.doc.scrollers, a.handle())
	}
}

// scrolls reports a box the client knows that shows a part of what is in it.
func scrolls(a *attrs) bool {
	if !strings.Contains(a.style, "overflow") || a.handle() == "" {
		return false
	}
	for prop, val := range declarations(a.style) {
		if (prop == "overflow" || prop == "overflow-y") && (val == "auto" || val == "scroll") {
			return true
		}
	}
	return false
}

// split visits the children of a closed details or a disabled fieldset: the
// first summary or legend is spared, the others are at the place called rest.
func (w *walker) split(n *html.Node, p, rest *place) {
	spared := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			w.text(c.Data, rest)
		case c.Type != html.ElementNode:
		case !spared && (c.DataAtom == atom.Summary || c.DataAtom == atom.Legend):
			spared = true
			w.element(c, p)
		default:
			w.element(c, rest)
		}
	}
}

// index remembers what names are looked up by.
func (w *walker) index(n *html.Node, a *attrs) {
	if a.id != "" {
		if _, taken := w.doc.byID[a.id]; !taken {
			w.doc.byID[a.id] = n
		}
	}
	if n.DataAtom == atom.Label && a.forID != "" {
		w.doc.labels[a.forID] = append(w.doc.labels[a.forID], n)
	}
}

// add takes the element up and returns its number, from 1; p is where it stands.
func (w *walker) add(n *html.Node, a *attrs, role string, p *place) int {
	if len(w.doc.found) == maxElements {
		w.doc.cut = true
		return 0
	}
	hidden := isHidden(n, a, role, p.visibility)
	role = listedRole(n, a, role)
	w.doc.found = append(w.doc.found, found{
		node: n, role: role, hidden: hidden, disabled: p.off || p.disabled && isControl(n.DataAtom), group: p.group, label: p.label, frame: firstOf(a.frame, p.frame),
		layer: p.layer, form: p.form,
	})
	return len(w.doc.found)
}

// inside makes p the place of the element's children.
func (w *walker) inside(p *place, n *html.Node, a *attrs, role string) {
	if isGroup(n, a, role) {
		if len(w.groups) == cap(w.groups) {
			w.groups = make([]group, 0, 32) // one allocation for many; the full ones stay where they are
		}
		w.groups = append(w.groups, group{node: n, outer: p.group})
		p.group = &w.groups[len(w.groups)-1]
	}
	switch n.DataAtom {
	case atom.Label:
		p.label = n
	case atom.Form:
		w.forms++
		p.form = w.forms
	}
	if a.frame != "" {
		p.frame = a.frame
	}
	p.off = p.off || a.ariaDisabled
	if role == "button" {
		p.control = true
	}
}

// breakLine ends a line of the text and a word of a message.
func (w *walker) breakLine(p *place) {
	if p.box != nil {
		p.box.space()
	}
	t := w.doc.text
	switch n := len(t); {
	case n == 0 || t[n-1] == '\n':
	case t[n-1] == ' ':
		t[n-1] = '\n'
	default:
		w.doc.text = append(t, '\n')
	}
}

// isInline reports tags that do not interrupt a line of text.
func isInline(t atom.Atom) bool {
	switch t {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn,
		atom.Em, atom.Font, atom.I, atom.Img, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Slot,
		atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Svg, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr, 0:
		return true
	}
	return false
}

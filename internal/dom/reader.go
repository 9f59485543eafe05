package dom

import (
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Reader reads captures. The zero value is ready and safe for concurrent use.
type Reader struct{}

// Read reads a capture. Elements come from the tree, list or skeleton of the
// capture's mode, enriched from the HTML if that has the same element. If the mode's
// source is empty the next one is used and a note says so. Alerts, headings, text and
// title come from the HTML. Errors are *domain.Error of kind Invalid and name the
// field.
func (Reader) Read(c page.Capture) (page.Page, error) {
	r, err := read(c)
	if err != nil {
		return page.Page{}, err
	}
	return r.page, nil
}

// ReadRedacted is Read and Redact in one. The capture is redacted even if there is an
// error.
func (Reader) ReadRedacted(c page.Capture) (page.Page, page.Capture, error) {
	r, err := read(c)
	if err != nil {
		return page.Page{}, redact(c, r), err
	}
	return r.page, redact(c, r), nil
}

// result is a page with what redaction needs to know of it.
type result struct {
	page          page.Page
	dom, skeleton map[string]bool // of the fields in either HTML, by signature, whether they are secret
	ids           map[string]bool // ids of secret elements
	read          bool
	// What findSecrets found: what the secret fields hold, and where in the documents.
	values            []string
	inDOM, inSkeleton []span
	secrets           *secret.Set // of the values
}

func read(c page.Capture) (result, error) {
	if err := check(c); err != nil {
		return result{}, err
	}
	hash := make(chan string, 1)
	if c.DOM != "" {
		go func() { hash <- c.DOMHash() }() // while the document is parsed: it is a twentieth of the time
	} else {
		hash <- c.DOMHash() // a tree is hashed before another goroutine has woken up
	}
	res := result{page: page.Page{URL: c.URL, Mode: modeOf(c)}}
	p := &res.page

	var fromDOM, fromSkeleton reading
	var broken error
	if c.DOM != "" {
		fromDOM, broken = readHTML(c.DOM)
	}
	if c.SkeletonDOM != "" {
		var err error
		if fromSkeleton, err = readHTML(c.SkeletonDOM); err != nil {
			broken = err
		}
	}
	p.Elements = pickSource(p, c, fromDOM, fromSkeleton)
	text := fromDOM
	if c.DOM == "" {
		text = fromSkeleton
	}
	if broken != nil {
		if len(p.Elements) == 0 {
			return res, invalid("dom", "the page cannot be read: its markup is nested too deeply").Because(broken)
		}
		p.Notes = append(p.Notes, "the HTML could not be read")
	}
	p.Title = firstOf(page.Cut(page.Clean(c.Title), maxTitle), text.title)
	p.Headings, p.Text = text.headings, text.text
	p.Language = languageOf(text.language, p)
	p.Alerts = append(text.alerts, treeAlerts(c, text.alerts)...)
	sortAlerts(p.Alerts, lexicon.For(p.Language))
	p.Notes = append(p.Notes, text.notes...)
	p.Scrollable = scrollable(c, text.scrollers)
	p.Regions, p.ScrollPosition = regions(c), page.Cut(page.Clean(string(c.ScrollPosition)), maxRole)
	p.Layers, p.Busy = text.layers, text.busy
	if len(p.Layers) == 0 {
		p.Layers = treeLayers(p.Elements)
	}
	page.MarkDays(p.Elements)
	focus(p, c)
	compose(p)
	res.dom, res.skeleton = fromDOM.secrets, fromSkeleton.secrets
	res.ids = secretIDs(p.Elements, fromDOM.elements, fromSkeleton.elements)
	res.read = true
	res.findSecrets(c)
	res.secrets = secret.New(res.values...)
	p.ChangeTexts(res.secrets.Cut)
	page.AssignKeys(p.Elements)
	p.MeaningHash = page.MeaningHash(*p)
	p.DOMHash = <-hash
	return res, nil
}

// check refuses captures that cannot be read at all.
func check(c page.Capture) error {
	limit := page.MaxDOM
	switch c.Mode {
	case page.ModeFull:
		limit = page.MaxFullDOM
	case "", page.ModeSemanticV3, page.ModeSemantic, page.ModeSkeleton, page.ModeHybrid, page.ModeFiltered:
	default:
		return invalid("domMode", "domMode must be semantic_v3, semantic, skeleton, hybrid, full or filtered")
	}
	switch {
	case !c.HasPage():
		return invalid("dom", "dom is required unless interactiveTree, semanticNodes or skeletonDom carries the page")
	case longer(c.DOM, limit):
		return invalid("dom", "dom is longer than %d UTF-16 units", limit)
	case longer(c.SkeletonDOM, page.MaxDOM):
		return invalid("skeletonDom", "skeletonDom is longer than %d UTF-16 units", page.MaxDOM)
	}
	return nil
}

func invalid(field, format string, args ...any) *domain.Error {
	return domain.Errorf(domain.Invalid, domain.CodeValidation, format, args...).At(field)
}

// longer counts UTF-16 units as JavaScript does, and only if the byte length does not
// decide.
func longer(s string, limit int) bool {
	if len(s) <= limit {
		return false
	}
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xffff {
			n++
		}
	}
	return n > limit
}

// modeOf is the declared mode, or the one inferred from the fields.
func modeOf(c page.Capture) string {
	switch {
	case c.Mode != "":
		return c.Mode
	case len(c.Tree) > 0:
		return page.ModeSemanticV3
	case len(c.Nodes) > 0:
		return page.ModeSemantic
	case c.SkeletonDOM != "" && c.Screenshot != "":
		return page.ModeHybrid
	case c.SkeletonDOM != "":
		return page.ModeSkeleton
	}
	return page.ModeFull
}

// focus marks the focused element: the one the client names, or else the one its tree
// marks.
func focus(p *page.Page, c page.Capture) {
	p.ActiveElement = usableID(string(c.ActiveElement))
	for i := range p.Elements {
		e := &p.Elements[i]
		switch {
		case p.ActiveElement == "" && e.State.Focused:
			p.ActiveElement = e.ID
		case p.ActiveElement != "":
			e.State.Focused = e.ID == p.ActiveElement
		}
	}
}

// scrollable lists the containers with more content: those the client reports, or
// else those that may have it by their style.
func scrollable(c page.Capture, styled []string) []string {
	var ids []string
	for _, s := range c.Containers {
		if id := usableID(string(s.ID)); s.HasMore && id != "" && len(ids) < maxScrollable {
			ids = append(ids, id)
		}
	}
	for _, n := range c.Tree {
		if id := usableID(string(n.ID)); n.Scroll != nil && n.Scroll.More && id != "" && len(ids) < maxScrollable {
			ids = append(ids, id)
		}
	}
	if len(c.Containers) == 0 && len(ids) == 0 {
		return styled
	}
	return ids
}

// regions are the containers of which the client says how far they are scrolled.
func regions(c page.Capture) (out []page.Region) {
	seen := map[string]bool{}
	add := func(id, depth page.Scalar, more bool) {
		r := page.Region{ID: usableID(string(id)), Depth: page.Cut(page.Clean(string(depth)), maxRole), More: more}
		if r.ID != "" && !seen[r.ID] && len(out) < maxScrollable {
			seen[r.ID] = true
			out = append(out, r)
		}
	}
	for _, s := range c.Containers {
		add(s.ID, s.Depth, s.HasMore)
	}
	for _, n := range c.Tree[:min(len(c.Tree), page.MaxTree)] {
		if n.Scroll != nil {
			add(n.ID, n.Scroll.Depth, n.Scroll.More)
		}
	}
	return out
}

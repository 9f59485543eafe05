package dom

import (
	"fmt"
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// source is one of the forms in which a capture may hold the elements.
type source struct {
	field string
	read  func() []page.Element
}

// pickSource takes the elements from the source of the mode or, if that is empty or
// broken, from the next one (spec §14, §15). A fallback leaves a note.
func pickSource(p *page.Page, c page.Capture, dom, skeleton reading) []page.Element {
	html := func(r reading) func() []page.Element { return func() []page.Element { return r.elements } }
	nodes := source{"semanticNodes", func() []page.Element { return readNodes(c.Nodes) }}
	tree := source{"interactiveTree", func() []page.Element { return readTree(c.Tree) }}
	minimal := source{"skeletonDom", html(skeleton)}
	full := source{"dom", html(dom)}

	order := map[string][]source{
		page.ModeSemanticV3: {tree, nodes, minimal, full},
		page.ModeFiltered:   {tree, nodes, minimal, full},
		page.ModeSemantic:   {nodes, tree, minimal, full},
		page.ModeSkeleton:   {minimal, full, nodes, tree},
		page.ModeHybrid:     {minimal, full, nodes, tree},
		page.ModeFull:       {full, nodes, tree, minimal},
	}[p.Mode]
	from, es := chooseSource(order)
	// Older clients must send dom beside every mode and send no other source at all.
	// That is worth a note, since the tree was expected.
	if missed := order[0]; from.field != missed.field && len(es) > 0 {
		fault := "was empty"
		if len(missed.read()) > 0 {
			fault = "has no ids"
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%s %s: read from %s", missed.field, fault, from.field))
	}
	if p.Mode == page.ModeHybrid && c.Screenshot == "" {
		p.Notes = append(p.Notes, "hybrid came without its screenshot")
	}
	if from.field != "dom" && (c.DOM != "" || from.field != "skeletonDom") {
		// A skeleton leaves the labels out, so the document knows better.
		enrich(es, dom.elements, from.field == "skeletonDom")
	}
	if from.field == "interactiveTree" || from.field == "semanticNodes" {
		treeRows(es)
	}
	if from.field == "interactiveTree" && len(c.Tree) > page.MaxTree || from.field == "semanticNodes" && len(c.Nodes) > page.MaxTree {
		p.Notes = append(p.Notes, fmt.Sprintf("only the first %d nodes of %s were read", page.MaxTree, from.field))
	}
	return es
}

// chooseSource returns the first source whose elements can be acted on, or else the
// first that has any.
func chooseSource(order []source) (from source, es []page.Element) {
	for _, next := range order {
		found := next.read()
		if len(es) == 0 || addressable(found) {
			from, es = next, found
		}
		if addressable(es) {
			break
		}
	}
	return from, es
}

// addressable reports whether any element has an id; without ids a tree is broken.
func addressable(es []page.Element) bool {
	return slices.ContainsFunc(es, func(e page.Element) bool { return e.ID != "" })
}

// enrich adds to elements of a tree what only HTML has: options, type, group, and
// whether they are secret. The two may number ids differently, so an element is only
// taken for the same if the roles agree. labelled: the HTML has the fields' labels.
func enrich(es, html []page.Element, labelled bool) {
	for i := range es {
		es[i].TextFrom, es[i].TextTo = 0, 0 // the text is the other HTML's
	}
	if len(html) == 0 {
		return
	}
	index := make(map[string]int, len(html))
	for i, h := range html {
		if h.ID != "" {
			index[h.ID] = i
		}
	}
	for i := range es {
		es[i].Layer, es[i].Form = 0, 0 // as the other HTML numbers them
		if j, ok := index[es[i].ID]; ok && sameKind(es[i].Role, html[j].Role) {
			if labelled && isControl(atom.Lookup([]byte(es[i].Tag))) && es[i].Tag != "button" {
				es[i].Name = firstOf(html[j].Name, es[i].Name)
			}
			add(&es[i], html[j])
		}
	}
}

func sameKind(tree, html string) bool {
	field := func(r string) bool { return isField(r) || r == "listbox" }
	return tree == html || tree == "generic" || html == "generic" || field(tree) && field(html) ||
		tree == "button" && (html == "link" || html == "switch") || tree == "link" && html == "button" ||
		tree == "menuitem" && (html == "menuitemcheckbox" || html == "menuitemradio")
}

// add adds what the tree lacks. The tree is live and attributes in HTML may be stale,
// so the tree takes precedence.
func add(e *page.Element, h page.Element) {
	if _, coarse := coarseRoles[e.Role]; coarse && h.Role != "generic" {
		e.Role = h.Role
	}
	if e.Role == "button" && h.Role == "switch" { // a tree does not see what a class says
		e.Role = h.Role
	}
	if e.Name == "" && !isPart(e.Role) {
		e.Name, e.NameGuessed = h.Name, h.NameGuessed
	}
	e.Anchor, e.Tag, e.Group, e.Options = h.Anchor, h.Tag, h.Group, h.Options
	e.Multiple, e.Min, e.Max, e.Step = h.Multiple, h.Min, h.Max, h.Step
	e.TextFrom, e.TextTo = h.TextFrom, h.TextTo
	e.Column = h.Column
	e.Row, e.Caption, e.Hint, e.Layer, e.Form, e.OtherMonth = h.Row, h.Caption, h.Hint, h.Layer, h.Form, h.OtherMonth
	e.Type, e.Href = firstOf(e.Type, h.Type), firstOf(e.Href, h.Href)
	e.Placeholder = firstOf(e.Placeholder, h.Placeholder)
	e.Frame = firstOf(e.Frame, h.Frame)
	if e.Value == "" && len(h.Options) > 0 {
		e.Value = h.Value
	}
	s, t := &e.State, h.State
	s.Checked, s.Expanded = firstOf(s.Checked, t.Checked), firstOf(s.Expanded, t.Expanded)
	s.Disabled = s.Disabled || t.Disabled
	s.Selected = s.Selected || t.Selected
	s.Required = s.Required || t.Required
	s.Readonly = s.Readonly || t.Readonly
	s.Invalid = s.Invalid || t.Invalid
	s.HasPopup = s.HasPopup || t.HasPopup
	if s.Checked == "" && s.Expanded == "" && !s.Selected {
		s.Marks = t.Marks
	}
	if s.Secret = s.Secret || t.Secret; s.Secret {
		s.Filled = s.Filled || t.Filled || e.Value != ""
		e.Value = ""
	}
}

// isPart reports roles of parts of a page, which are not called by all that is in them.
func isPart(role string) bool {
	switch role {
	case "region", "main", "navigation", "banner", "contentinfo", "complementary", "list", "feed":
		return true
	}
	return false
}

// coarseRoles are the results of a tree's short roles, which HTML may refine.
var coarseRoles = map[string]bool{"textbox": true, "combobox": true, "menuitem": true, "generic": true}

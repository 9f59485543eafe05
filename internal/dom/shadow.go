package dom

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isShadowRoot reports a template that is the shadow tree of its parent (a
// declarative shadow root). The parent shows it in place of its children, which only
// appear in its slots.
func isShadowRoot(n *html.Node) bool {
	mode := attr(n, "shadowrootmode")
	return (mode == "open" || mode == "closed") && n.Parent != nil
}

// shadow visits a host's shadow tree. The host's children wait to be slotted.
func (w *walker) shadow(host, root *html.Node, p *place) {
	if w.doc.hosts == nil {
		w.doc.hosts = map[*html.Node]map[string][]*html.Node{}
		w.doc.slotted = map[*html.Node][]*html.Node{}
	}
	waiting := map[string][]*html.Node{}
	for c := host.FirstChild; c != nil; c = c.NextSibling {
		if c == root || c.DataAtom == atom.Template {
			continue
		}
		name := attr(c, "slot")
		waiting[name] = append(waiting[name], c)
	}
	w.doc.hosts[host] = waiting
	w.children(root, p)
}

// slot visits what a slot shows and reports whether there was anything. The first
// slot of a name gets it all.
func (w *walker) slot(n *html.Node, p *place) bool {
	if len(w.doc.hosts) == 0 {
		return false
	}
	waiting, name := w.doc.hosts[hostOf(n)], attr(n, "name")
	nodes := waiting[name]
	if len(nodes) == 0 {
		return false
	}
	delete(waiting, name)
	w.doc.slotted[n] = nodes
	for _, c := range nodes {
		switch c.Type {
		case html.TextNode:
			w.text(c.Data, p)
		case html.ElementNode:
			w.element(c, p)
		}
	}
	return true
}

// hostOf is the host of a slot's shadow tree, nil if it is in none.
func hostOf(slot *html.Node) *html.Node {
	for n := slot.Parent; n != nil; n = n.Parent {
		if n.DataAtom == atom.Template && isShadowRoot(n) {
			return n.Parent
		}
	}
	return nil
}

package dom

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// layer is a part of the document that lies over the rest of the page.
type layer struct {
	node  *html.Node
	role  string
	modal bool
	// from and to are where it begins and ends in the text.
	from, to int
}

// isLayer reports dialogs and elements that authors name like one. Elements with such
// a name for another reason (a link that opens it, the body while it is open) are
// excluded.
func (w *walker) isLayer(n *html.Node, a *attrs, role string) bool {
	if role == "dialog" || role == "alertdialog" || a.modal || n.DataAtom == atom.Dialog {
		return true
	}
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Aside, atom.Form, atom.Article, 0:
		return a.class != "" && w.isLayerClass(a.class) || a.id != "" && hasLayerWord(a.id)
	}
	return false
}

var (
	layerWords = set("modal", "popup", "overlay", "lightbox", "interstitial", "cookie", "cookies", "consent", "gdpr", "newsletter")
	// notLayers are words in the names of a layer's parts, which are no layers
	// themselves.
	notLayers = set("open", "has", "trigger", "toggle", "btn", "button", "link", "card", "body", "header", "footer", "title", "content", "policy", "settings")
)

// isLayerClass is hasLayerWord with a cache, since many elements have the same class.
func (w *walker) isLayerClass(class string) bool {
	is, known := w.layerClasses[class]
	if !known {
		if w.layerClasses == nil {
			w.layerClasses = map[string]bool{}
		}
		is = hasLayerWord(class)
		w.layerClasses[class] = is
	}
	return is
}

func hasLayerWord(names string) bool {
	for _, token := range tokens(names) {
		layer, not := false, false
		for _, w := range token {
			layer, not = layer || layerWords[w], not || notLayers[w]
		}
		if layer && !not {
			return true
		}
	}
	return false
}

// addLayer adds a layer and returns its number, from 1.
func (w *walker) addLayer(n *html.Node, a *attrs, role string) int {
	if len(w.doc.layers) == maxLayers {
		return maxLayers
	}
	if role != "dialog" && role != "alertdialog" {
		role = ""
		if n.DataAtom == atom.Dialog {
			role = "dialog"
		}
	}
	w.doc.layers = append(w.doc.layers, layer{node: n, role: role, modal: a.modal})
	return len(w.doc.layers)
}

// layer reads a layer's name and text.
func (b *builder) layer(l layer) page.Layer {
	a := readAttrs(l.node)
	name := firstOf(b.referenced(l.node, a.labelledBy), page.Clean(a.ariaLabel))
	if h := b.firstWhere(l.node, isHeading); h != nil && name == "" {
		name = b.caption(h)
	}
	return page.Layer{Role: l.role, Modal: l.modal, Name: page.Cut(name, maxName), Text: b.rowText(l.node)}
}

// treeLayers finds the dialogs among the elements of a tree and assigns elements to
// them: those whose box is inside theirs or, without boxes, those that follow.
func treeLayers(es []page.Element) []page.Layer {
	var layers []page.Layer
	var box *page.Rect
	for i := range es {
		e := &es[i]
		switch {
		case e.Role == "dialog" || e.Role == "alertdialog":
			if len(layers) < maxLayers {
				layers = append(layers, page.Layer{Role: e.Role, Name: e.Name, Text: e.Name})
			}
			box = e.Box
		case len(layers) > 0 && (box == nil || e.Box == nil || within(*e.Box, *box)):
			e.Layer = len(layers)
		}
	}
	return layers
}

func within(in, out page.Rect) bool {
	const slack = 2 // borders and rounding
	return in.X >= out.X-slack && in.Y >= out.Y-slack && in.X+in.W <= out.X+out.W+slack && in.Y+in.H <= out.Y+out.H+slack
}

package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hiddenClasses are classes by which Bootstrap, Tailwind, WordPress and others hide a
// field without a style in the document.
var hiddenClasses = []string{"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only", "hidden-visually", "hide-visually",
	"visually-hidden-focusable", "a11y-hidden", "u-hidden-visually", "element-invisible", "offscreen", "is-sr-only"}

func hasHiddenClass(class string) bool {
	for c := range strings.FieldsSeq(class) {
		if slices.Contains(hiddenClasses, c) {
			return true
		}
	}
	return false
}

// replaceByLabels replaces a hidden check box, radio button or file field by its
// visible label, since clicking the label operates it. The label's handle is used if
// the client knows the label at least as well as the field.
func (b *builder) replaceByLabels() {
	shown := map[*html.Node]bool{} // labels that stand in for something
	for i := range b.doc.found {
		f := &b.doc.found[i]
		if f.node.DataAtom != atom.Input {
			continue
		}
		a := readAttrs(f.node)
		if !isDrawnOver(a.typ) || !f.hidden && !b.looksHidden(f.node, &a) {
			continue
		}
		if l := b.seenLabel(f, &a); l != nil {
			f.hidden = false
			if la := readAttrs(l); la.handleRank() > 0 && la.handleRank() >= a.handleRank() {
				f.handle, shown[l] = la.handle(), true
			}
		}
	}
	if len(shown) == 0 {
		return
	}
	kept := b.doc.found[:0]
	for _, f := range b.doc.found {
		if !shown[f.node] {
			kept = append(kept, f)
		}
	}
	clear(b.doc.found[len(kept):])
	b.doc.found = kept
}

// isDrawnOver reports the types of inputs that designers replace by a drawing.
func isDrawnOver(typ string) bool { return typ == "checkbox" || typ == "radio" || typ == "file" }

// looksHidden reports an input that is operable but not meant to be seen.
func (b *builder) looksHidden(n *html.Node, a *attrs) bool {
	return visibilityOf(n, a) >= invisible || isSizeless(a.style) || hasHiddenClass(a.class) || b.doc.sheet.of(n).isHidden()
}

// seenLabel is the first visible label of a field.
func (b *builder) seenLabel(f *found, a *attrs) *html.Node {
	if f.label != nil && b.isSeenLabel(f.label) && (attr(f.label, "for") == "" || attr(f.label, "for") == a.id) {
		return f.label
	}
	if a.id == "" || b.doc.byID[a.id] != f.node {
		return nil
	}
	for _, l := range b.doc.labelsOf(a.id) {
		if b.isSeenLabel(l) {
			return l
		}
	}
	return nil
}

func (b *builder) isSeenLabel(l *html.Node) bool {
	return b.doc.seen[l] && !hasHiddenClass(attr(l, "class")) && !b.doc.sheet.of(l).isHidden()
}

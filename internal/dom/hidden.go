package dom

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sight is how much of an element a person can perceive.
type sight int

const (
	// seen is what a person sees.
	seen sight = iota
	// wordless is a box whose words cannot be read: transparent letters, letters
	// of no size, letters moved out to make room for an icon. Its text is dropped
	// (it is where instructions are hidden from users); its controls are seen.
	wordless
	// unseen is rendered, but nobody sees it: transparent, no size, off the
	// screen. Its text is dropped, and its controls are hidden.
	unseen
	// gone is not rendered, or kept from everyone: display none, hidden, inert.
	gone
)

// sightOf judges an element by itself; ancestors can only make it worse. Style
// sheets are not known here: what the client's data-visible says stands in.
func sightOf(n *html.Node, a *attrs) sight {
	s, visibility := sightOfParts(n, a)
	if visibility == "hidden" || visibility == "collapse" {
		return gone
	}
	return s
}

// sightOfParts is sightOf with the visibility property apart, which what is
// inside can end for itself.
func sightOfParts(n *html.Node, a *attrs) (s sight, visibility string) {
	switch {
	case a.hidden || a.ariaHidden || a.inert || a.invisible:
		return gone, ""
	case n.DataAtom == atom.Dialog && !a.open, n.DataAtom == atom.Template:
		return gone, ""
	case n.DataAtom == atom.Input && a.typ == "hidden":
		return gone, ""
	case a.style != "":
		return sightOfStyle(a.style)
	}
	return seen, ""
}

// isHidden reports whether nobody sees an element in surroundings of that sight.
func isHidden(n *html.Node, a *attrs, role string, around sight) bool {
	switch own := sightOf(n, a); {
	case own == gone, around >= unseen:
		return true
	case isStandIn(n, a, role):
		return false
	default:
		return own == unseen || isSizeless(a.style)
	}
}

// isStandIn finds the native fields that designers make transparent, or move
// away, pseudoAfter a drawing of their own that passes the click on: they are how the
// drawing is operated.
func isStandIn(n *html.Node, a *attrs, role string) bool {
	switch n.DataAtom {
	case atom.Select:
		return true
	case atom.Input:
		return a.typ == "file" || role == "checkbox" || role == "radio" || role == "switch" || role == "combobox"
	}
	return false
}

// isSizeless reports whether the element's own box has no area. What is inside
// it can still flow out of it and be seen, so that this is not inherited.
func isSizeless(style string) bool {
	var width, height bool
	for prop, val := range declarations(style) {
		switch prop {
		case "width", "max-width":
			width = width || isZero(val)
		case "height", "max-height":
			height = height || isZero(val)
		}
	}
	return width && height
}

// declarations are the properties and values of an inline style, in lower case.
func declarations(style string) iter.Seq2[string, string] {
	return func(yield func(prop, val string) bool) {
		for decl := range strings.SplitSeq(strings.ToLower(style), ";") {
			prop, val, _ := strings.Cut(decl, ":")
			val = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(val), "!important"))
			if !yield(strings.TrimSpace(prop), val) {
				return
			}
		}
	}
}

// sightOfStyle judges an inline style by its declarations, visibility apart.
func sightOfStyle(style string) (worst sight, visibility string) {
	var empty, clipped bool // no size shows nothing once the overflow is clipped
	for prop, val := range declarations(style) {
		switch prop {
		case "width", "max-width", "height", "max-height":
			empty = empty || isZero(val)
		case "visibility":
			visibility = val
		case "overflow":
			clipped = val == "hidden" || val == "clip"
		default:
			worst = max(worst, sightOfDeclaration(prop, val))
		}
	}
	if empty && clipped {
		worst = max(worst, unseen)
	}
	return worst, visibility
}

func sightOfDeclaration(prop, val string) sight {
	switch prop {
	case "display", "content-visibility":
		return when(val == "none" || val == "hidden", gone)
	case "opacity", "scale":
		return when(isZero(val), unseen)
	case "filter":
		return when(hasPrefix(val, "opacity(0)", "opacity(0%)"), unseen)
	case "left", "top", "right", "bottom", "margin-left", "margin-top":
		return when(farOff(val), unseen)
	case "clip", "clip-path":
		return when(hasPrefix(val, "rect(0", "rect(1px", "inset(50%", "inset(100%"), unseen)
	case "transform":
		return when(hasPrefix(val, "scale(0)", "scale(0,", "scalex(0)", "scaley(0)") || movesFarOff(val), unseen)
	case "font-size":
		return when(isZero(val), wordless)
	case "text-indent":
		return when(farOff(val), wordless)
	case "color":
		return when(val == "transparent", wordless)
	}
	return seen
}

func when(holds bool, s sight) sight {
	if holds {
		return s
	}
	return seen
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// isZero reads 0, 0.0, 0px, 0%.
func isZero(v string) bool {
	digits := strings.TrimRight(v, "pxremvwh%")
	return digits != "" && strings.Trim(digits, "0.") == ""
}

// farOff reads -999px and beyond, in whatever unit.
func farOff(v string) bool {
	digits := strings.TrimLeft(v, "-")
	n := 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		n++
	}
	return digits != v && n >= 3 && (n > 3 || digits[:3] == "999")
}

// movesFarOff reads translate(-9999px, 0) and its kin.
func movesFarOff(transform string) bool {
	return hasPrefix(transform, "translate") &&
		slices.ContainsFunc(strings.FieldsFunc(transform, func(r rune) bool { return r == '(' || r == ',' || r == ' ' }), farOff)
}

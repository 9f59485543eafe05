package dom

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// visibility is how much of an element a person can perceive.
type visibility int

const (
	// visible: a person sees it.
	visible visibility = iota
	// textHidden: its text cannot be read, because it is transparent, has no size or
	// is moved away to make room for an icon. The text is dropped, since instructions
	// are hidden from users like that; its controls are visible.
	textHidden
	// invisible: it is rendered, but transparent, without size or off the screen. Its
	// text is dropped, and its controls are hidden.
	invisible
	// notRendered: it is not rendered, or not for anybody: display none, hidden,
	// inert.
	notRendered
)

// visibilityOf judges an element by itself; its ancestors can only make it worse. The
// client's data-visible makes up for style sheets, which are not read here.
func visibilityOf(n *html.Node, a *attrs) visibility {
	s, visibility := visibilityOfParts(n, a)
	if visibility == "hidden" || visibility == "collapse" {
		return notRendered
	}
	return s
}

// visibilityOfParts is visibilityOf without the visibility property, which
// descendants can override.
func visibilityOfParts(n *html.Node, a *attrs) (s visibility, visibility string) {
	switch {
	case a.hidden || a.ariaHidden || a.inert || a.invisible:
		return notRendered, ""
	case n.DataAtom == atom.Dialog && !a.open, n.DataAtom == atom.Template:
		return notRendered, ""
	case n.DataAtom == atom.Input && a.typ == "hidden":
		return notRendered, ""
	case a.style != "":
		return visibilityOfStyle(a.style)
	}
	return visible, ""
}

// isHidden reports whether nobody sees an element in surroundings of that visibility.
func isHidden(n *html.Node, a *attrs, role string, around visibility) bool {
	switch own := visibilityOf(n, a); {
	case own == notRendered, around >= invisible:
		return true
	case isBehindDrawing(n, a, role):
		return false
	default:
		return own == invisible || isSizeless(a.style)
	}
}

// isBehindDrawing reports native fields that designers make transparent or move away,
// behind a drawing that passes the click on to them.
func isBehindDrawing(n *html.Node, a *attrs, role string) bool {
	switch n.DataAtom {
	case atom.Select:
		return true
	case atom.Input:
		return a.typ == "file" || role == "checkbox" || role == "radio" || role == "switch" || role == "combobox"
	}
	return false
}

// isSizeless reports whether the element's own box has no area. Its content can still
// overflow and be visible, so this is not inherited.
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

// declarations returns the properties and values of an inline style, in lower case.
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

// visibilityOfStyle judges an inline style, without the visibility property.
func visibilityOfStyle(style string) (worst visibility, visibility string) {
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
			worst = max(worst, visibilityOfDeclaration(prop, val))
		}
	}
	if empty && clipped {
		worst = max(worst, invisible)
	}
	return worst, visibility
}

func visibilityOfDeclaration(prop, val string) visibility {
	switch prop {
	case "display", "content-visibility":
		return visibilityIf(val == "none" || val == "hidden", notRendered)
	case "opacity", "scale":
		return visibilityIf(isZero(val), invisible)
	case "filter":
		return visibilityIf(hasPrefix(val, "opacity(0)", "opacity(0%)"), invisible)
	case "left", "top", "right", "bottom", "margin-left", "margin-top":
		return visibilityIf(isOffscreen(val), invisible)
	case "clip", "clip-path":
		return visibilityIf(hasPrefix(val, "rect(0", "rect(1px", "inset(50%", "inset(100%"), invisible)
	case "transform":
		return visibilityIf(hasPrefix(val, "scale(0)", "scale(0,", "scalex(0)", "scaley(0)") || translatesOffscreen(val), invisible)
	case "font-size":
		return visibilityIf(isZero(val), textHidden)
	case "text-indent":
		return visibilityIf(isOffscreen(val), textHidden)
	case "color":
		return visibilityIf(val == "transparent", textHidden)
	}
	return visible
}

func visibilityIf(holds bool, s visibility) visibility {
	if holds {
		return s
	}
	return visible
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

// isOffscreen reads -999px and beyond, in any unit.
func isOffscreen(v string) bool {
	digits := strings.TrimLeft(v, "-")
	n := 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		n++
	}
	return digits != v && n >= 3 && (n > 3 || digits[:3] == "999")
}

// translatesOffscreen reads translate(-9999px, 0) and the like.
func translatesOffscreen(transform string) bool {
	return hasPrefix(transform, "translate") &&
		slices.ContainsFunc(strings.FieldsFunc(transform, func(r rune) bool { return r == '(' || r == ',' || r == ' ' }), isOffscreen)
}

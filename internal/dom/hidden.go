package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sight is how much of an element a person can perceive.
type sight int

const (
	// seen is what a person sees.
	seen sight = iota
	// unseen is rendered and can be acted on, but nobody sees it: transparent,
	// no size, off the screen. Its text is dropped (it is where instructions are
	// hidden from users); its controls stay, as designers hide a file input this
	// way behind a button of their own.
	unseen
	// gone is not rendered, or kept from everyone: display none, hidden, inert.
	gone
)

// sightOf judges an element by itself; ancestors can only make it worse. Style
// sheets are not known here: what the client's data-visible says stands in.
func sightOf(n *html.Node, a *attrs) sight {
	switch {
	case a.hidden || a.ariaHidden || a.inert || a.invisible:
		return gone
	case n.DataAtom == atom.Dialog && !a.open, n.DataAtom == atom.Template:
		return gone
	case n.DataAtom == atom.Input && a.typ == "hidden":
		return gone
	case a.style != "":
		return sightOfStyle(a.style)
	}
	return seen
}

// sightOfStyle judges an inline style by its declarations.
func sightOfStyle(style string) sight {
	worst := seen
	var empty, clipped bool // no size shows nothing once the overflow is clipped
	for decl := range strings.SplitSeq(strings.ToLower(style), ";") {
		prop, val, _ := strings.Cut(decl, ":")
		prop = strings.TrimSpace(prop)
		val = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(val), "!important"))
		switch prop {
		case "width", "max-width", "height", "max-height":
			empty = empty || isZero(val)
		case "overflow":
			clipped = val == "hidden" || val == "clip"
		default:
			worst = max(worst, sightOfDeclaration(prop, val))
		}
	}
	if empty && clipped {
		worst = max(worst, unseen)
	}
	return worst
}

func sightOfDeclaration(prop, val string) sight {
	conceals := false
	switch prop {
	case "display", "visibility", "content-visibility":
		if val == "none" || val == "hidden" || val == "collapse" {
			return gone
		}
	case "opacity", "font-size":
		conceals = isZero(val)
	case "left", "top", "right", "bottom", "margin-left", "margin-top", "text-indent":
		conceals = farOff(val)
	case "color":
		conceals = val == "transparent"
	case "clip", "clip-path":
		conceals = hasPrefix(val, "rect(0", "rect(1px", "inset(50%", "inset(100%")
	case "transform":
		conceals = hasPrefix(val, "scale(0)")
	}
	if conceals {
		return unseen
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

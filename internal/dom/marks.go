package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// Words by which authors mark in a class what state a control is in. markWords say so
// at the end of any name (nav-link-active); markAlone also mean what a control does
// (btn-open), and count only as a name of their own or as a modifier (is-open,
// menu--open).
var (
	markWords = set("active", "inactive", "selected", "unselected", "checked", "unchecked", "liked", "starred", "favorited", "favourited",
		"bookmarked", "followed", "following", "subscribed", "expanded", "collapsed", "toggled", "pressed", "highlighted", "disabled", "enabled",
		"opened", "closed", "completed", "muted", "pinned", "chosen", "upvoted", "downvoted", "voted", "playing", "paused", "locked", "unlocked", "invalid")
	markAlone = set("open", "on", "off", "current", "done", "saved", "favorite", "favourite", "filled", "error", "complete", "hidden", "shown")
	// filledWords are those of icons that are drawn full or empty.
	filledWords = set("fill", "filled", "solid", "fas", "outline", "outlined", "far", "regular", "empty", "half")
)

// maxMarks bounds the marks of an element.
const maxMarks = 3

// stateMarks returns the words for a control's state in its class, in that of an item
// that holds nothing else, and in its icon's. A control whose state is said by an
// attribute needs none.
func (nm *namer) stateMarks(f *subject, s *page.State) string {
	if f.hidden || isField(f.role) || s.Checked != "" || s.Expanded != "" || s.Selected {
		return ""
	}
	var marks []string
	add := func(w string) {
		if w != "" && len(marks) < maxMarks && !slices.Contains(marks, w) && (w != "disabled" || !s.Disabled) {
			marks = append(marks, w)
		}
	}
	addAll := func(class string) {
		if class == "" {
			return
		}
		for _, w := range nm.look(class).marks {
			add(w)
		}
	}
	addAll(f.attrs.class)
	add(mark(f.attrs.dataState))
	if p := f.node.Parent; p != nil && isRow(p) && onlyChild(f.node) {
		addAll(attr(p, "class"))
	}
	if icon := firstElement(f.node); icon != nil && icon.NextSibling == nil && isIcon(icon) {
		class := attr(icon, "class")
		addAll(class)
		for _, token := range tokens(class) {
			for _, w := range token {
				if filledWords[w] {
					add(w)
				}
			}
		}
	}
	slices.Sort(marks)
	return strings.Join(marks, " ")
}

func classMarks(class string, add func(string)) {
	n := 0
	for name := range strings.FieldsSeq(class) {
		if n++; n > 4*maxTokens {
			return
		}
		add(mark(name))
	}
}

// mark returns the state a class name says, or "".
func mark(name string) string {
	if len(name) > maxIdentifier || strings.Contains(name, ":") { // hover:active is a rule for later
		return ""
	}
	ws := identifierWords(name)
	if len(ws) == 0 {
		return ""
	}
	last := ws[len(ws)-1]
	alone := len(ws) == 1 || ws[0] == "is" && len(ws) == 2 || ws[0] == "has" && len(ws) == 2 ||
		strings.HasSuffix(strings.ToLower(name), "--"+last)
	if markWords[last] || markAlone[last] && alone {
		return last
	}
	return ""
}

// onlyChild reports a node without other elements beside it.
func onlyChild(n *html.Node) bool {
	for _, beside := range [...]func(*html.Node) *html.Node{
		func(n *html.Node) *html.Node { return n.PrevSibling }, func(n *html.Node) *html.Node { return n.NextSibling },
	} {
		for s, far := beside(n), 0; s != nil; s, far = beside(s), far+1 {
			if s.Type == html.ElementNode || far == nearbySiblings {
				return false
			}
		}
	}
	return true
}

// firstElement is the first child if that is an element.
func firstElement(n *html.Node) *html.Node {
	if c := n.FirstChild; c != nil && c.Type == html.ElementNode {
		return c
	}
	return nil
}

package dom

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// What authors call an element among themselves: it names what shows no text, and
// tells apart what shows the same.

// tokens cuts names into words: "remove-allergy btn-sm" is remove allergy and btn sm.
// Generated names are left out.
func tokens(names string) (list [][]string) {
	for name := range strings.FieldsSeq(names) {
		if len(list) == maxTokens {
			break
		}
		if words := identifierWords(name); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// identifierWords returns the lower-case words of a name, split at hyphens and
// capitals. A name with a digit inside a word is generated.
func identifierWords(name string) (words []string) {
	if len(name) > maxIdentifier {
		return nil
	}
	from, last := 0, rune(0)
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(name[from:to]))
		}
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			from = i + len(string(r))
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cut(i)
			from = i
		}
		last = r
	}
	cut(len(name))
	for _, w := range words {
		if letters := strings.TrimFunc(w, unicode.IsDigit); letters != w && letters != "" {
			return nil
		}
	}
	return words
}

// plainWords say what an element is or looks like, not what it is for. They make no
// name, nor do fragments that are not words (css, sc, mt).
var plainWords = set("btn", "button", "buttons", "icon", "icons", "ico", "svg", "img", "image", "link", "item", "row", "col", "cell", "box", "wrap", "wrapper",
	"container", "inner", "outer", "content", "root", "base", "core", "block", "group", "element", "component", "control", "primary", "secondary",
	"tertiary", "default", "outline", "outlined", "contained", "ghost", "text", "small", "medium", "large", "size", "tiny", "mini", "big", "left", "right", "top",
	"bottom", "center", "middle", "start", "end", "flex", "grid", "inline", "hidden", "visible", "show", "active", "inactive", "disabled", "enabled",
	"selected", "checked", "focus", "focused", "hover", "clickable", "pointer", "cursor", "round", "rounded", "circle", "square", "dark", "light", "white",
	"black", "red", "green", "blue", "gray", "grey", "style", "styled", "theme", "variant", "color", "bold", "solid", "regular", "material", "mui", "ant", "chakra",
	"bootstrap", "tailwind", "font", "awesome", "glyphicon", "toolbar", "action", "actions", "header", "footer", "main", "page", "view", "new", "old", "test",
	"testid", "data", "ext", "ui", "js", "css", "app", "div", "span", "the", "and", "for", "with", "width", "height", "full", "auto", "none", "not", "fa", "fas", "far", "bi", "mdi")

// meaningfulWords returns the words that may say what an element is for.
func meaningfulWords(list [][]string) (words []string) {
	for _, token := range list {
		for _, w := range token {
			if len(w) > 2 && !plainWords[w] && strings.ContainsAny(w, "aeiouy") && strings.Trim(w, "0123456789") != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// words returns the meaningful words of an attribute, with a cache: many elements
// have the same class.
func (nm *namer) words(names string) []string {
	if names == "" {
		return nil
	}
	ws, known := nm.classWords[names]
	if !known {
		if nm.classWords == nil {
			nm.classWords = map[string][]string{}
		}
		ws = meaningfulWords(tokens(names))
		nm.classWords[names] = ws
	}
	return ws
}

// idWords returns those of an id its author chose.
func (nm *namer) idWords(a *attrs) []string {
	if a.id == "" || !looksNamed(a.id) {
		return nil
	}
	return meaningfulWords(tokens(a.id))
}

// iconWords returns those of the icon in an element.
func (nm *namer) iconWords(n *html.Node) []string {
	if icon := nm.firstWhere(n, isIcon); icon != nil {
		return nm.words(iconName(icon))
	}
	return nil
}

func isIcon(n *html.Node) bool {
	switch n.DataAtom {
	case atom.I, atom.Svg, atom.Span, atom.Img:
		return true
	}
	return n.Data == "use"
}

// iconName is the name of an icon: its class, or the file or symbol it is drawn from.
func iconName(n *html.Node) string {
	file := attr(n, "src")
	if use := n.FirstChild; use != nil && use.Data == "use" {
		file = firstOf(attr(use, "href"), attr(use, "xlink:href"))
	}
	file, _, _ = strings.Cut(file[strings.LastIndexAny(file, "/#")+1:], ".")
	return firstOf(file, attr(n, "data-icon"), attr(n, "class"))
}

// guessName makes a name for an element that shows none from its author's names for
// it, the most deliberate first.
func (nm *namer) guessName(n *html.Node, a *attrs) string {
	for _, words := range [...][]string{meaningfulWords(tokens(a.testID)), nm.words(a.class), nm.idWords(a), nm.iconWords(n)} {
		if len(words) > 0 && len(words) <= maxGuessed {
			return page.Cut(strings.Join(withValue(words, n, a), " "), maxName)
		}
	}
	words := lookWordsOf(a.class)
	if icon := nm.firstWhere(n, isIcon); len(words) == 0 && icon != nil {
		words = lookWordsOf(attr(icon, "class"))
	}
	if len(words) == 0 {
		return ""
	}
	return page.Cut(strings.Join(withValue(words, n, a), " "), maxName)
}

// withValue adds to the words of a button those of its value, which tells apart the
// buttons of one kind: a list that is "ordered" and one that is "bullet".
func withValue(words []string, n *html.Node, a *attrs) []string {
	if n.DataAtom != atom.Button || a.value == "" {
		return words
	}
	value := identifierWords(a.value)
	return append(slices.Clip(words), value[:min(len(value), maxGuessed)]...)
}

// lookWords are words of a look that are also what a control of a toolbar does, and
// toolWords what precedes them in the class names of toolbars and icons (ql-bold).
var (
	lookWords = set("bold", "left", "right", "top", "bottom", "center", "middle", "start", "end", "link", "image", "text", "header", "footer",
		"color", "font", "size", "grid", "view", "page", "new", "regular")
	toolWords = set("ql", "fa", "fas", "far", "bi", "mdi", "icon", "glyphicon", "mce", "tox", "cke", "toolbar", "tool", "format", "editor", "action", "btn")
)

// lookWordsOf returns the words of a class that name an element if nothing better does.
func lookWordsOf(class string) (words []string) {
	for _, token := range tokens(class) {
		if len(token) < 2 || !toolWords[token[0]] {
			continue
		}
		for _, w := range token[1:] {
			if lookWords[w] && len(words) < maxGuessed {
				words = append(words, w)
			}
		}
	}
	return words
}

// fieldWords say of a field only that it is one.
var fieldWords = set("form", "input", "field", "fields", "textbox", "textarea", "select", "value", "number")

// guessField is guessName for a field that nothing labels.
func (nm *namer) guessField(a *attrs) string {
	for _, words := range [...][]string{meaningfulWords(tokens(a.testID)), nm.idWords(a), nm.words(a.class)} {
		words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return fieldWords[w] })
		if len(words) > 0 && len(words) <= maxGuessed {
			return page.Cut(strings.Join(words, " "), maxName)
		}
	}
	return ""
}

// hint returns the words an element has besides its name.
func (nm *namer) hint(a *attrs, name string) string {
	title, class, id := page.Clean(a.title), nm.words(a.class), nm.idWords(a)
	if title == "" && a.testID == "" && len(class) == 0 && len(id) == 0 {
		return ""
	}
	said := strings.ToLower(name)
	var words []string
	for _, list := range [...][]string{{title}, meaningfulWords(tokens(a.testID)), class, id} {
		for _, w := range list {
			if w != "" && !strings.Contains(said, strings.ToLower(w)) {
				words = append(words, w)
			}
		}
	}
	return page.Cut(strings.Join(words, " "), maxName)
}

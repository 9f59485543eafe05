package dom

import (
	"html"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// isSecret reports whether the value of a field must never leave it: passwords,
// one-time codes, card data. The type alone is not enough: "show password" turns the
// field into a text field, and forms carry tokens in hidden ones. name is the
// accessible name if it is known. The autocomplete attribute takes precedence over
// words: "PIN code" may be a postal code.
func isSecret(n *xhtml.Node, a *attrs, name string) bool {
	switch {
	case n.DataAtom == atom.Input:
		if a.typ == "password" {
			return true
		}
		if role, known := typeRoles[a.typ]; known && role != "spinbutton" || fixedTypes[a.typ] {
			return false
		}
	case n.DataAtom != atom.Textarea && !takesText(a):
		return false
	}
	if secret, said := vocabulary.SecretAutocomplete(a.autocomplete); said {
		return secret
	}
	return slices.ContainsFunc([]string{a.name, a.id, a.ariaLabel, a.placeholder, a.title, a.dataLabel, name}, vocabulary.Secret)
}

// takesText reports elements of any tag that people type into.
func takesText(a *attrs) bool {
	return a.editable || slices.ContainsFunc([]string{"textbox", "spinbutton"}, func(role string) bool { return strings.EqualFold(a.role, role) })
}

// fixedTypes are input types whose values have a form of their own.
var fixedTypes = set("date", "time", "datetime-local", "month", "week", "color", "email", "url")

// plainText is markup without tags and entities.
func plainText(markup string) string {
	var b strings.Builder
	for markup != "" {
		text, rest, _ := strings.Cut(markup, "<")
		b.WriteString(text)
		_, markup, _ = strings.Cut(rest, ">")
	}
	return html.UnescapeString(b.String())
}

// signature identifies a field by all its attributes, so that its tag is found among
// the tokens of the document wherever the parser moved the node.
func signature(n *xhtml.Node) string { return string(appendSignature(nil, n)) }

func appendSignature(dst []byte, n *xhtml.Node) []byte {
	dst = append(dst, n.Data...)
	for i := range n.Attr {
		dst = append(dst, 0)
		dst = append(dst, n.Attr[i].Key...)
		dst = append(dst, 1)
		dst = append(dst, n.Attr[i].Val...)
	}
	return dst
}

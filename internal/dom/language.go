package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// enoughText is how much text a page's language is guessed from, in bytes.
const enoughText = 4 << 10

// declaredLanguage is the language tag of the html element, or else of the body.
func declaredLanguage(root *html.Node) string {
	for n := root.FirstChild; n != nil; n = n.NextSibling {
		if n.DataAtom != atom.Html && n.DataAtom != atom.Body {
			continue
		}
		for _, key := range [...]string{"lang", "xml:lang"} {
			if tag := attr(n, key); tag != "" {
				return tag
			}
		}
		if n.DataAtom == atom.Html {
			return declaredLanguage(n)
		}
	}
	return ""
}

// languageOf is the language a document declares, or else that of its text. If it
// declares English the text is checked too, since templates declare that for pages in
// any language.
func languageOf(tag string, p *page.Page) string {
	language := lexicon.Language(tag)
	if language != "" && language != "en" {
		return language
	}
	if read := lexicon.Guess(sample(p)); read != "" {
		return read
	}
	return language
}

// sample is the beginning of a page's text.
func sample(p *page.Page) string {
	if len(p.Text) >= enoughText {
		return page.Cut(p.Text, maxLanguage)
	}
	var b strings.Builder
	b.WriteString(p.Text + "\n" + p.Title)
	for i := range p.Elements {
		if b.Len() > enoughText {
			break
		}
		b.WriteString("\n" + p.Elements[i].Name)
	}
	return b.String()
}

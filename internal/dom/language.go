package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// enoughText is how much of a page's text its language is guessed from, in bytes.
const enoughText = 4 << 10

// declaredLanguage is the language tag of a document: of its html element, else of its body.
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

// languageOf is the language of a page: the one its document declares, else the one
// its text is in. A page that says it is English is read all the same: templates say
// so of pages in any language.
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

// sample is the beginning of what a page says.
func sample(p *page.Page) string {
	if len(p.Text) >= enoughText {
		return p.Text
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

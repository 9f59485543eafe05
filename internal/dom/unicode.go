package dom

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/stepledger/stepledger/domain/page"
)

// compose normalises the texts of a page to NFC, so that the same word is the same
// bytes whatever wrote it. What the client has to find again stays as it is: ids,
// addresses and values of options.
func compose(p *page.Page) {
	p.Title = composed(p.Title, maxTitle)
	p.ChangeText(func(text string) string { return composed(text, maxText) })
	for i := range p.Headings {
		p.Headings[i] = composed(p.Headings[i], maxText)
	}
	for i := range p.Alerts {
		p.Alerts[i].Text = composed(p.Alerts[i].Text, maxAlertText)
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		e.Name, e.Placeholder = composed(e.Name, maxName), composed(e.Placeholder, maxName)
		e.Value, e.Group = composed(e.Value, maxValue), composed(e.Group, maxGroup)
		for j := range e.Options {
			e.Options[j].Label = composed(e.Options[j].Label, maxName)
		}
	}
}

// composed also cuts, since a few characters are longer in this form.
func composed(s string, limit int) string {
	if isASCII(s) || norm.NFC.IsNormalString(s) {
		return s
	}
	return page.Cut(norm.NFC.String(s), limit)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

package text

import (
	"errors"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Quoted is a text as it is put into a sentence for the user: cleaned, and cut after
// 120 characters.
func Quoted(s string) string { return "“" + page.Cut(page.Clean(s), 120) + "”" }

// Names reports whether a message names an element by all words of its label.
func Names(message string, e page.Element) bool {
	return Subset(LabelKey(e.Label()), LabelKey(message))
}

// SearchWords are in the label of a field that looks things up.
var SearchWords = Set("search find lookup filter query keyword")

// IsSearch reports whether a field is for looking things up, not for entering
// data: a task's "name" never belongs in there.
func IsSearch(e page.Element) bool {
	return e.Role == "searchbox" || e.Type == "search" ||
		slices.ContainsFunc(Words(e.Label()), func(w string) bool { return SearchWords[w] })
}

// OptionOf is the option a person means by a text, that can be chosen: the one it is
// the same as, or the only one whose label holds all words that mean something. words
// is Key, or Key with a memory.
func OptionOf(e page.Element, text string, words func(string) []string) (page.Option, bool) {
	if len(e.Options) == 0 {
		return page.Option{}, false
	}
	o, err := value.Choose(text, e)
	var no *value.Refused
	if err == nil || !errors.As(err, &no) || no.Why != value.NoOption {
		return o, err == nil
	}
	var holding []page.Option
	for _, o := range e.Options {
		if Subset(words(text), words(o.Label)) {
			holding = append(holding, o)
		}
	}
	if len(holding) != 1 || holding[0].Disabled {
		return page.Option{}, false
	}
	return holding[0], true
}

// ErrorPage is the title or heading of a page that shows nothing but an error:
// "500 Internal Server Error", "Page not found".
func ErrorPage(p page.Page) string {
	for _, s := range append([]string{p.Title}, p.Headings...) {
		ws := strings.Join(slices.DeleteFunc(Words(s), func(w string) bool {
			return len(w) == 3 && (w[0] == '4' || w[0] == '5') && Digits(w) == w || w == "http"
		}), " ")
		if lexicon.For(p.Language).Is(lexicon.ErrorPage, ws) {
			return s
		}
	}
	return ""
}

package act

import (
	"slices"

	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// controlWords are kinds of controls, ignored when names are compared.
var controlWords = words.Set("control")

// fieldWords say that a name is that of a field.
var fieldWords = words.Set("field")

var andWord = words.Set("and")

// trim drops marks and "and" at both ends.
func trim(ts []token) []token {
	for len(ts) > 0 && !ts[0].quoted && (ts[0].mark || andWord[ts[0].low]) {
		ts = ts[1:]
	}
	for len(ts) > 0 && !ts[len(ts)-1].quoted && (ts[len(ts)-1].mark || andWord[ts[len(ts)-1].low]) {
		ts = ts[:len(ts)-1]
	}
	return ts
}

// articles include the possessives and prepositions a name may begin with.
var articles = words.Set("article")

func dropArticles(ts []token) []token {
	for len(ts) > 0 && !ts[0].quoted && articles[ts[0].low] {
		ts = ts[1:]
	}
	return ts
}

// dropGeneric drops articles, and words of the sets from both ends.
func dropGeneric(ts []token, sets ...map[string]bool) []token {
	in := func(t token) bool {
		return !t.quoted && (t.mark || slices.ContainsFunc(sets, func(s map[string]bool) bool { return s[t.low] }))
	}
	ts = dropArticles(trim(ts))
	for len(ts) > 0 && in(ts[len(ts)-1]) {
		ts = ts[:len(ts)-1]
	}
	for len(ts) > 0 && in(ts[0]) {
		ts = dropArticles(ts[1:])
	}
	return ts
}

// onlyWords reports whether there are only fillers and words of the sets.
func onlyWords(ts []token, sets ...map[string]bool) bool {
	return !slices.ContainsFunc(ts, func(t token) bool {
		return t.quoted || !t.mark && !text.Fillers[t.low] && !slices.ContainsFunc(sets, func(s map[string]bool) bool { return s[t.low] })
	})
}

func hasWord(ts []token, s map[string]bool) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return !t.quoted && s[t.low] })
}

// indexWord is the first token that is one of the words, -1 if none is.
func indexWord(ts []token, ws ...string) int {
	return slices.IndexFunc(ts, func(t token) bool { return !t.quoted && slices.Contains(ws, t.low) })
}

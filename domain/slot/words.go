package slot

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordFile string

// class is what a word does in a text. A word may be in several.
type class uint32

const (
	classFrom class = 1 << iota
	classTo
	classIn
	classFor
	classWith
	classOf
	classBy
	classBetween
	classUnder
	classOver
	classNamed
	classArticle
	classFunction
	classJoin
	classVerb
	classMonth
	classWeekday
	classRelative
	classClock
	classCurrency
	classState
	classIs
)

var classNames = map[string]class{
	"from": classFrom, "to": classTo, "in": classIn, "for": classFor, "with": classWith, "of": classOf, "by": classBy,
	"between": classBetween, "under": classUnder, "over": classOver, "named": classNamed, "article": classArticle,
	"function": classFunction, "join": classJoin, "verb": classVerb, "month": classMonth, "weekday": classWeekday,
	"relative": classRelative, "clock": classClock, "currency": classCurrency, "state": classState, "is": classIs,
}

const (
	// prepositions stand before a value and say its part in the task.
	prepositions = classFrom | classTo | classIn | classFor | classWith | classOf | classBy | classBetween
	// glue is what has no meaning of its own: a value neither begins nor ends with it.
	glue = prepositions | classArticle | classFunction | classIs
)

// language has the classes of the words of a language.
type language map[string]class

// languages in the order of the file, and what the words of labels ask for.
var languages, asksFor = readWords(wordFile)

func readWords(file string) (all []language, asks map[string][]string) {
	asks = map[string][]string{}
	inLabels := false
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		name, words, ok := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "["):
			if inLabels = line == "[label]"; !inLabels {
				all = append(all, language{})
			}
		case !ok || strings.HasPrefix(line, "#"):
		case inLabels:
			for _, w := range strings.Fields(words) {
				asks[w] = append(asks[w], name)
			}
		default:
			for _, w := range strings.Fields(words) {
				all[len(all)-1][w] |= classNames[name]
			}
		}
	}
	return all, asks
}

// languageOf is the language that knows most words of a text; the first of the file
// where none knows more.
func languageOf(tokens []token) language {
	best, most := languages[0], 0
	for _, l := range languages {
		known := 0
		for _, t := range tokens {
			if l[t.low] != 0 {
				known++
			}
		}
		if known > most {
			best, most = l, known
		}
	}
	return best
}

//nolint:misspell // words of many languages
package knowledge

import (
	"strings"
	"unicode"
)

// Simple is the dictionary of languages without a stemmer: words stay as they are.
const Simple = "simple"

// stemmers are the languages Postgres has stemmers for, by the first part of their tag.
var stemmers = map[string]string{
	"ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch", "en": "english",
	"fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian",
	"ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian", "nn": "norwegian",
	"pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish", "sv": "swedish", "ta": "tamil",
	"tr": "turkish", "yi": "yiddish",
}

// Dictionary is the name of the stemmer of a language, a BCP 47 tag, without "_stem":
// Simple if there is none, "" for no language.
func Dictionary(language string) string {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(language, "_", "-"))), "-")
	if first == "" || first == "und" || first == "mul" {
		return ""
	}
	if d, ok := stemmers[first]; ok {
		return d
	}
	return Simple
}

// scripts are told apart by a letter. A language that is declared and written in another
// is not believed.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
	// dictionary is that of the language most written in it.
	dictionary string
}{
	{"latin", unicode.Latin, Simple},
	{"cyrillic", unicode.Cyrillic, "russian"},
	{"greek", unicode.Greek, "greek"},
	{"arabic", unicode.Arabic, "arabic"},
	{"armenian", unicode.Armenian, "armenian"},
	{"devanagari", unicode.Devanagari, "hindi"},
	{"tamil", unicode.Tamil, "tamil"},
	{"hebrew", unicode.Hebrew, Simple},
}

// scriptOf returns the script most letters of a text are of, "" for another than those
// above, and the dictionary to guess by it.
func scriptOf(text string) (script, dictionary string) {
	const enough = 2000 // letters tell it
	counts := make([]int, len(scripts)+1)
	letters := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if letters++; letters > enough {
			break
		}
		counts[scriptNumber(r)]++
	}
	best := len(scripts)
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	if best == len(scripts) {
		return "", Simple
	}
	return scripts[best].name, scripts[best].dictionary
}

func scriptNumber(r rune) int {
	for i, s := range scripts {
		if unicode.Is(s.table, r) {
			return i
		}
	}
	return len(scripts)
}

// scriptOfDictionary is the script a dictionary is for, "" for Simple.
func scriptOfDictionary(dictionary string) string {
	switch dictionary {
	case "", Simple:
		return ""
	case "nepali":
		return "devanagari"
	case "serbian", "yiddish": // written in two, or without a dictionary for its own
		return ""
	}
	for _, s := range scripts[1:] {
		if s.dictionary == dictionary {
			return s.name
		}
	}
	return "latin"
}

// functionWords are the commonest words of languages in Latin script, which tell them
// apart in a sentence or two.
var functionWords = map[string]string{
	"english":    "the of and to in is that for it with as was on are by this be from at or how what do my",
	"german":     "der die und das den von zu mit ist des auf für nicht ein eine dem im sich wie wird auch es ich",
	"french":     "le la les de des et du en un une est que dans pour qui sur pas au par il ce avec comment",
	"spanish":    "el la los las de que y en un una es por con para del se no al como su más qué cómo",
	"italian":    "il di che la e un una per non è con del della sono le dei nel gli alla come si più",
	"portuguese": "o a os as de que e do da em um uma para com não no na por dos mais ao é como",
	"dutch":      "de het een van en in is dat op te zijn met voor niet aan er om ook als naar hoe wat",
	"swedish":    "och att det som en på är av för med den till inte om ett har de jag vi hur",
	"danish":     "og at det som en på er af for med den til ikke om et har de jeg vi hvordan der",
	"norwegian":  "og at det som en på er av for med den til ikke om et har de jeg vi hvordan der seg",
	"finnish":    "ja on ei se että oli hän mutta ovat myös kun niin tai joka sen kuin miten",
	"hungarian":  "a az és hogy nem is egy van ez de meg csak volt mint el hogyan",
	"romanian":   "și de în la cu nu că o un pe din care este pentru se mai sunt al ale cum",
	"turkish":    "ve bir bu da de için ile ne çok olarak daha olan gibi en nasıl mi değil",
	"indonesian": "yang dan di untuk dengan ini dari tidak pada adalah itu dalam ke akan bagaimana",
	"catalan":    "el la els les de que i en un una és per amb del no als com més",
}

var functionWordOf = func() map[string][]string {
	out := map[string][]string{}
	for language, words := range functionWords {
		for word := range strings.FieldsSeq(words) {
			out[word] = append(out[word], language)
		}
	}
	return out
}()

// guess returns the script of a text and the dictionary it is most likely for. It is sure
// if words say so, and not only the script.
func guess(text string) (script, dictionary string, sure bool) {
	script, dictionary = scriptOf(text)
	if script != "latin" {
		return script, dictionary, dictionary != Simple
	}
	const enough = 400 // words tell it
	counts := map[string]int{}
	n := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if n++; n > enough {
			break
		}
		for _, language := range functionWordOf[word] {
			counts[language]++
		}
	}
	best, second := "", ""
	for language := range functionWords {
		switch c := counts[language]; {
		case c > counts[best] || c == counts[best] && c > 0 && language < best:
			best, second = language, best
		case c > counts[second]:
			second = language
		}
	}
	if counts[best] < 2 || counts[best] == counts[second] {
		return script, Simple, false
	}
	return script, best, true
}

// questionWords ask and say nothing of what is asked for. In what is searched they are
// words like others.
var questionWords = func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for language, words := range map[string]string{
		"english":    "how what which when where who whom whose why many much",
		"german":     "wie was wer wen wem wo wann warum wieso weshalb welche welcher welches welchen welchem wieviel viele",
		"french":     "quel quelle quels quelles combien qui que où quand comment pourquoi",
		"spanish":    "qué cuál cuáles cuánto cuánta cuántos cuántas quién quiénes dónde cuándo cómo",
		"italian":    "quale quali quanto quanta quanti quante chi dove quando come perché cosa",
		"portuguese": "qual quais quanto quanta quantos quantas quem onde quando como quê",
		"dutch":      "welke welk hoeveel wie wat waar wanneer waarom hoe",
		"romanian":   "care cine ce cât câtă câți câte unde când cum",
		"turkish":    "hangi kaç kim kimin ne nerede nasıl neden",
		"russian":    "какой какая какое какие какого какому какую каким какими каком каких сколько кто кого кому кем чей чья чьи что чего где когда куда откуда почему зачем как",
		"greek":      "ποιος ποια ποιο ποιοι ποιες ποιον πόσο πόσα πόσοι πόσες πού πότε πώς γιατί τι",
		"arabic":     "ما ماذا من متى أين كيف لماذا كم أي",
		"hindi":      "क्या कौन कब कहाँ कहां कैसे क्यों कितने कितना कितनी किस किसने",
	} {
		out[language] = map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			out[language][word] = true
		}
	}
	return out
}()

package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// Told are the secrets a person gives in plain words: what follows the name of a
// secret ("password hunter2", "PIN: 1234"), what is to go into one ("'X' into
// Password"), tokens and card numbers, which show by themselves what they are,
// and what addresses carry. It would rather miss one than take an ordinary word
// for one: a value without digits or signs counts only where it is quoted or
// follows a colon.
func Told(text string) []string {
	var found []string
	add := func(v string) {
		if v != "" && Worth(v) && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	words := split(text)
	for i, w := range words {
		if v, ok := given(words, i); ok {
			add(v)
		}
		if goesInto(words, i) {
			add(w.value())
		}
		if !w.quoted && (isToken(w.value()) || isBearer(words, i)) {
			add(w.value())
		}
	}
	for _, v := range cardNumbers(text) {
		add(v)
	}
	for _, v := range InURLs(text) {
		add(v)
	}
	return found
}

// Answered are the secrets in a reply to a question: where that asks for one, a
// reply of one word is one.
func Answered(question, reply string) []string {
	found := Told(reply)
	words := split(reply)
	if len(words) == 0 || !mentions(question) {
		return found
	}
	for _, w := range words {
		if v := w.value(); (w.quoted || len(words) == 1 || looksSecret(v)) && !strings.Contains(v, "@") && Worth(v) && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	return found
}

// mentions reports whether a text has the name of a secret in it.
func mentions(text string) bool {
	words := split(text)
	return slices.ContainsFunc(words, func(w word) bool { return w.quoted && vocabulary.Secret(w.text) }) ||
		slices.ContainsFunc(slices.Collect(indices(words)), func(i int) bool { return namesEnd(words, i) })
}

func indices(words []word) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range words {
			if !yield(i) {
				return
			}
		}
	}
}

// word is one of a text, or what stands in quotes.
type word struct {
	text   string
	quoted bool
}

// value is the word as something to type: without the punctuation of the
// sentence.
func (w word) value() string {
	if w.quoted {
		return w.text
	}
	return strings.TrimLeft(strings.TrimRight(w.text, ".,;:)"), "(")
}

// ends reports whether a sentence, or a part of it, ends with the word.
func (w word) ends() bool { return !w.quoted && strings.HasSuffix(strings.TrimRight(w.text, ")"), ".") }

// explicit reports a word after which a value has to come: "password:".
func (w word) explicit() bool {
	return !w.quoted && (strings.HasSuffix(w.text, ":") || strings.HasSuffix(w.text, "=") || strings.HasSuffix(w.text, "："))
}

var quotes = map[rune]string{
	'"': `"`, '\'': `'`, '`': "`", '“': "”“", '„': "“”", '‘': "’‘", '‚': "‘’", '«': "»", '»': "«", '「': "」", '『': "』",
}

// longestQuoted bounds what is taken for a quoted value, in bytes.
const longestQuoted = 300

// split takes a text apart. A name that runs into its value ("pwd=x") is two
// words.
func split(text string) (words []word) {
	left, address := len(text), false // what is behind the run without spaces looked at last
	for text = strings.TrimLeftFunc(text, unicode.IsSpace); text != ""; text = strings.TrimLeftFunc(text, unicode.IsSpace) {
		if w, n := quotedAt(text); n > 0 {
			words, text = append(words, w), text[n:]
			continue
		}
		if len(text) <= left {
			end := strings.IndexFunc(text, unicode.IsSpace)
			if end < 0 {
				end = len(text)
			}
			left, address = len(text)-end, strings.Contains(text[:end], "://")
		}
		end := len(text) - left
		if at := strings.IndexAny(text[:end], ":=："); at > 0 && !address && vocabulary.Secret(text[:at]) {
			_, m := utf8.DecodeRuneInString(text[at:])
			end = at + m
		}
		words, text = append(words, word{text: text[:end]}), text[end:]
	}
	return words
}

// quotedAt is what stands in quotes at the beginning of a text, and how many bytes of
// it are that.
func quotedAt(text string) (word, int) {
	first, n := utf8.DecodeRuneInString(text)
	closing := quotes[first]
	if closing == "" {
		return word{}, 0
	}
	end := strings.IndexAny(text[n:min(len(text), n+longestQuoted)], closing)
	if end < 0 {
		return word{}, 0
	}
	_, m := utf8.DecodeRuneInString(text[n+end:])
	return word{text[n : n+end], true}, n + end + m
}

// longestNamed is how many words the name of a secret has at most.
const longestNamed = 4

// namesEnd reports whether the name of a secret ends with a word: with it, and
// not before it.
func namesEnd(words []word, i int) bool {
	name := ""
	for k := i; k >= 0 && k > i-longestNamed; k-- {
		if words[k].quoted || k < i && (words[k].ends() || strings.HasSuffix(words[k].text, ",")) {
			return false
		}
		before := name
		name = strings.TrimSpace(words[k].text + " " + name)
		if vocabulary.Secret(name) {
			return k == i || !vocabulary.Secret(strings.TrimSpace(words[k].text+" "+withoutLast(before)))
		}
	}
	return false
}

func withoutLast(s string) string {
	return s[:max(0, strings.LastIndexByte(strings.TrimSpace(s), ' '))]
}

// fillers stand between the name of a secret and its value.
var fillers = words("field fields box input value = : - -> is to as with should be my the it das feld ist lautet auf mit est champ es campo è jest to är er on это - —")

// prepositions stand between a value and the name of the secret it is for.
var prepositions = words("in into as for to on ins im als für en dans comme pour como para no na em nel nella come w do jako i av для в как")

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// given is the value that follows the name of a secret ending at words[i].
func given(words []word, i int) (string, bool) {
	if !namesEnd(words, i) || words[i].ends() {
		return "", false
	}
	explicit := words[i].explicit()
	for k := i + 1; k < len(words) && k <= i+longestNamed; k++ {
		w := words[k]
		switch low := strings.ToLower(w.text); {
		case w.quoted:
			return w.text, true
		case fillers[strings.TrimRight(low, ":=")] || low == ":" || low == "=":
			explicit = explicit || w.explicit()
			continue
		}
		return w.value(), explicit || looksSecret(w.value())
	}
	return "", false
}

// goesInto reports whether words[i] is a value to go into a secret.
func goesInto(list []word, i int) bool {
	if v := list[i]; i+1 >= len(list) || !v.quoted && !looksSecret(v.value()) || !v.quoted && strings.Contains(v.text, "@") || v.ends() {
		return false
	}
	if !prepositions[strings.ToLower(list[i+1].text)] {
		return false
	}
	for k := i + 2; k < len(list) && k <= i+longestNamed+1; k++ {
		w := list[k]
		if w.quoted {
			return vocabulary.Secret(w.text)
		}
		if namesEnd(list[i+2:k+1], k-i-2) {
			return true
		}
		if w.ends() {
			return false
		}
	}
	return false
}

// looksSecret reports whether an unquoted word is more than a word.
func looksSecret(v string) bool {
	return len(v) > 1 && strings.ContainsFunc(v, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(`!#$%^&*~+?_|<>{}[]\@`, r) })
}

// quoted reports whether text[from:to] stands in quotes, however those are
// written.
func quoted(t *reader, from, to int) bool {
	if _, ok := t.read(to, depth, isQuote); !ok {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(t.text[:from])
	tail := strings.ToLower(t.text[max(0, from-6):from])
	return isQuote(r) || (strings.HasSuffix(tail, "%22") || strings.HasSuffix(tail, "%27") || strings.HasSuffix(tail, "&quot;") ||
		strings.HasSuffix(tail, "&#39;") || strings.HasSuffix(tail, "&#34;") || strings.HasSuffix(tail, `\u0022`) || strings.HasSuffix(tail, `\u0027`))
}

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”„‘’‚«»「」『』", r) }

// nameBefore is how far back the name of a value is looked for, in bytes.
const nameBefore = 60

// named reports whether a text ends with the name of a secret, and what may stand
// between it and a value.
func named(text string) bool {
	tail := text[max(0, len(text)-nameBefore):]
	list := split(strings.ToValidUTF8(tail, ""))
	for i := len(list) - 1; i >= 0 && i >= len(list)-longestNamed; i-- {
		if namesEnd(list, i) && !list[i].ends() {
			return true
		}
		if !fillers[strings.TrimRight(strings.ToLower(list[i].text), ":=")] && strings.Trim(list[i].text, ":=\"'") != "" {
			return false
		}
	}
	return false
}

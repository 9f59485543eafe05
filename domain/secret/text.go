package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// InText returns the secrets a person gives in plain words: what follows the name of
// a secret ("password hunter2", "PIN: 1234"), what is to be typed into one ("'X' into
// Password"), tokens and card numbers, which are recognisable by themselves, and what
// URLs carry. It prefers missing one to taking an ordinary word for one: a value
// without digits or signs counts only in quotes or after a colon.
func InText(text string) []string {
	var found []string
	add := func(v string) {
		if v != "" && Worth(v) && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	words := split(text)
	for i, w := range words {
		if v, ok := valueAfterName(words, i); ok {
			add(v)
		}
		if valueBeforeName(words, i) {
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

// InReply returns the secrets in a reply to a question. If the question asks for a
// secret, a reply of one word is one.
func InReply(question, reply string) []string {
	found := InText(reply)
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

// mentions reports whether a text contains the name of a secret.
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

// word is a word of a text, or a quoted part of it.
type word struct {
	text   string
	quoted bool
}

// value returns the word without the punctuation of the sentence.
func (w word) value() string {
	if w.quoted {
		return w.text
	}
	return strings.TrimLeft(strings.TrimRight(w.text, ".,;:)"), "(")
}

// endsSentence reports whether a sentence or a part of it ends with the word.
func (w word) endsSentence() bool {
	return !w.quoted && strings.HasSuffix(strings.TrimRight(w.text, ")"), ".")
}

// explicit reports a word that a value must follow: "password:".
func (w word) explicit() bool {
	return !w.quoted && (strings.HasSuffix(w.text, ":") || strings.HasSuffix(w.text, "=") || strings.HasSuffix(w.text, "："))
}

var quotes = map[rune]string{
	'"': `"`, '\'': `'`, '`': "`", '“': "”“", '„': "“”", '‘': "’‘", '‚': "‘’", '«': "»", '»': "«", '「': "」", '『': "』",
}

// longestQuoted bounds a quoted value, in bytes.
const longestQuoted = 300

// split cuts a text into words. A name directly followed by its value ("pwd=x") is
// two words.
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

// quotedAt returns the quoted text s begins with, and its length in bytes.
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

// longestNamed is the most words in the name of a secret.
const longestNamed = 4

// namesEnd reports whether the name of a secret ends with words[i], and not earlier.
func namesEnd(words []word, i int) bool {
	name := ""
	for k := i; k >= 0 && k > i-longestNamed; k-- {
		if words[k].quoted || k < i && (words[k].endsSentence() || strings.HasSuffix(words[k].text, ",")) {
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

// fillers may stand between the name of a secret and its value.
var fillers = words("field fields box input value = : - -> is to as with should be my the it das feld ist lautet auf mit est champ es campo è jest to är er on это - —")

// prepositions may stand between a value and the name of the secret it is for.
var prepositions = words("in into as for to on ins im als für en dans comme pour como para no na em nel nella come w do jako i av для в как")

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// valueAfterName returns the value that follows the name of a secret ending at
// words[i].
func valueAfterName(words []word, i int) (string, bool) {
	if !namesEnd(words, i) || words[i].endsSentence() {
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

// valueBeforeName reports whether words[i] is a value that the name of a secret
// follows.
func valueBeforeName(list []word, i int) bool {
	if v := list[i]; i+1 >= len(list) || !v.quoted && !looksSecret(v.value()) || !v.quoted && strings.Contains(v.text, "@") || v.endsSentence() {
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
		if w.endsSentence() {
			return false
		}
	}
	return false
}

// looksSecret reports whether an unquoted word is unlikely to be an ordinary word.
func looksSecret(v string) bool {
	return len(v) > 1 && strings.ContainsFunc(v, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(`!#$%^&*~+?_|<>{}[]\@`, r) })
}

// quoted reports whether text[from:to] is in quotes, however they are encoded.
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

// named reports whether a text ends with the name of a secret, and fillers.
func named(text string) bool {
	tail := text[max(0, len(text)-nameBefore):]
	list := split(strings.ToValidUTF8(tail, ""))
	for i := len(list) - 1; i >= 0 && i >= len(list)-longestNamed; i-- {
		if namesEnd(list, i) && !list[i].endsSentence() {
			return true
		}
		if !fillers[strings.TrimRight(strings.ToLower(list[i].text), ":=")] && strings.Trim(list[i].text, ":=\"'") != "" {
			return false
		}
	}
	return false
}

package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// scripts are those that no Latin letter belongs to, with the languages of the
// lexicon that are written in them.
var scripts = []struct {
	letters   *unicode.RangeTable
	languages []string
}{
	{unicode.Cyrillic, []string{"ru", "uk", "bg"}},
	{unicode.Han, []string{"zh", "ja", "ko"}},
	{unicode.Arabic, []string{"ar", "fa"}},
	{unicode.Greek, []string{"el"}},
	{unicode.Hebrew, []string{"he"}},
	{unicode.Devanagari, []string{"hi"}},
	{unicode.Thai, []string{"th"}},
}

// other names of languages that have a file.
var aliases = map[string]string{"no": "nb", "nn": "nb", "iw": "he", "in": "id", "bs": "hr", "sh": "hr"}

// Language is the language of a tag as documents have it ("pt-BR", "zh_Hant"): its
// first part in lower case, under the name of the lexicon where it is known by
// another. It is "" where that is no language.
func Language(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	tag, _, _ = strings.Cut(tag, "_")
	if len(tag) < 2 || len(tag) > 3 || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") != "" || tag == "und" || tag == "mul" || tag == "zxx" {
		return ""
	}
	if known, ok := aliases[tag]; ok {
		return known
	}
	return tag
}

const (
	guessed  = 4 << 10 // bytes of a text that are looked at
	fewHits  = 4       // common words, at least
	clearWin = 1.5     // times as many of them as of the next language
)

// Guess is the language a text is probably in, "" where it does not show: by its
// script, and where that does not tell by the words it is full of.
func Guess(text string) string {
	text = beginning(text, guessed)
	if l := byScript(text); l != "" {
		return l
	}
	return byCommonWords(text)
}

// beginning is the first bytes of a text, as far as they are whole letters.
func beginning(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// byScript knows the languages that have a script of their own.
func byScript(text string) string {
	kana, hangul, letters := 0, 0, 0
	of := make([]int, len(scripts))
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case r <= unicode.MaxLatin1:
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		default:
			for i, s := range scripts {
				if unicode.Is(s.letters, r) {
					of[i]++
					break
				}
			}
		}
	}
	most := func(n int) bool { return 3*n > letters }
	han := of[1]
	switch {
	case letters == 0:
		return ""
	case most(hangul):
		return "ko"
	case kana > 0 && most(kana+han) && 10*kana > han:
		return "ja"
	case most(han):
		return "zh"
	}
	for i, s := range scripts {
		if len(s.languages) == 1 && most(of[i]) {
			return s.languages[0]
		}
	}
	return ""
}

func byCommonWords(text string) string {
	b, hits := read(), map[languages]int{}
	words := b.concepts[common]
	var room [128]byte
	for word, _, to := vocabulary.Next(room[:0], text, 0); len(word) > 0; word, _, to = vocabulary.Next(word[:0], text, to) {
		for in := words[string(word)]; in != 0; in &= in - 1 {
			hits[in&-in]++
		}
	}
	best, second, language := 0, 0, ""
	for i, name := range b.names {
		switch n := hits[1<<i]; {
		case n > best:
			best, second, language = n, best, name
		case n > second:
			second = n
		}
	}
	if best < fewHits || float64(best) < clearWin*float64(second) {
		return ""
	}
	return language
}

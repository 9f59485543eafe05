package knowledge

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What a text is found by is the same for what is indexed and what is asked:
//
//   - Words are runs of letters, marks and digits, in lower case. A word with letters that
//     carry marks (é, ß, ё) is also there without them.
//   - Words joined by one of _-./:@'+#& are also one word together, without what joins
//     them: codes, versions, names of files.
//   - Of scripts that put no spaces between words, and of Hangul, every two neighbours
//     are a word.
//
// Postgres then takes words to their stems.

// maxWord bounds a word, in characters; the rest of a longer one is left out.
const maxWord = 48

// token is a word of a text.
type token struct {
	text string
	// at is its place, counting words from 0.
	at int
	// joined: it is made of several words. It does not count for the length.
	joined bool
	// gram: it is a part of a script without spaces.
	gram bool
}

// spaceless reports whether a script does without spaces between words, or with words
// that are stuck together.
func spaceless(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Hangul) ||
		r == 'ー' || r == '々'
}

// tokenizer cuts a text into tokens.
type tokenizer struct {
	out  []token
	n    int
	word strings.Builder
	// size is the characters in word.
	size int
	// parts are the words since the last space.
	parts []string
	first int
	// run are the neighbours in a script without spaces.
	run []string
}

// tokens returns the words of a text in order.
func tokens(text string) []token {
	t := &tokenizer{}
	if !ascii(text) {
		text = norm.NFKC.String(text)
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '\u00AD' || r >= 0x200B && r <= 0x200F || r == 0x0640: // cannot be seen, or only stretches
		case spaceless(r):
			t.endCompound()
			t.neighbour(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			t.endRun()
			if t.size < maxWord {
				t.word.WriteRune(unicode.ToLower(r))
				t.size++
			}
		case t.size > 0 && joins(r) && i+1 < len(runes) && wordly(runes[i+1]):
			t.endWord()
		default:
			t.endCompound()
			t.endRun()
		}
	}
	t.endCompound()
	t.endRun()
	return t.out
}

func joins(r rune) bool { return strings.ContainsRune("_-./:@'’+#&‐‑", r) }

func wordly(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !spaceless(r) }

func (t *tokenizer) add(text string, joined, gram bool) {
	at := t.n
	if joined {
		at = t.first
	} else {
		t.n++
	}
	t.out = append(t.out, token{text, at, joined, gram})
}

func (t *tokenizer) endWord() {
	if t.size == 0 {
		return
	}
	if len(t.parts) == 0 {
		t.first = t.n
	}
	word := t.word.String()
	t.parts = append(t.parts, word)
	t.word.Reset()
	t.size = 0
	t.add(word, false, false)
}

// maxParts of what is joined make a word together: an address has more.
const maxParts = 6

func (t *tokenizer) endCompound() {
	t.endWord()
	if n := len(t.parts); n > 1 && n <= maxParts {
		t.add(strings.Join(t.parts, ""), true, false)
	}
	t.parts = t.parts[:0]
}

func (t *tokenizer) neighbour(r rune) {
	if unicode.IsMark(r) && len(t.run) > 0 {
		t.run[len(t.run)-1] += string(r)
		return
	}
	t.run = append(t.run, string(unicode.ToLower(r)))
}

func (t *tokenizer) endRun() {
	if len(t.run) == 1 {
		t.add(t.run[0], false, true)
	}
	for i := 1; i < len(t.run); i++ {
		t.add(t.run[i-1]+t.run[i], false, true)
	}
	t.run = t.run[:0]
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unmarked are letters that carry a mark which is not taken apart from them.
var unmarked = strings.NewReplacer("ß", "ss", "ø", "o", "ł", "l", "đ", "d", "æ", "ae", "œ", "oe", "ı", "i", "ð", "d", "þ", "th", "ħ", "h")

// bare returns a word without the marks of its letters, in scripts whose readers leave
// them out.
func bare(word string) string {
	if ascii(word) {
		return word
	}
	for _, r := range word {
		if unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew) {
			return word
		}
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(unmarked.Replace(word)) {
		if !unicode.IsMark(r) {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return word
	}
	return b.String()
}

// bareOf stands in an index between a word without its marks and what it was: that of a word
// which says nothing says nothing either, and no list of such words has it.
const bareOf = "="

// indexed are the words of a chunk: each once, with its places as a tsvector has them.
type indexed struct {
	words, places []string
	// length counts the words that are its length.
	length int
}

// The weights of words, as a tsvector has them: of the headings, of the name of the
// document, of the text (which has none).
const (
	inHeadings = "A"
	inName     = "C"
)

// maxPlace is the last place a tsvector knows, maxPlaces how many of one word.
const (
	maxPlace  = 16383
	maxPlaces = 255
)

// indexOf returns the words of a chunk under its headings, of a document of this name.
func indexOf(headings []string, name, text string) indexed {
	ix := indexer{at: map[string]int{}}
	ix.add(strings.Join(headings, "\n"), inHeadings)
	ix.next += 10 // no word stands beside one of another field
	length := ix.length
	ix.add(name, inName)
	ix.length = length
	ix.next += 10
	ix.add(text, "")
	out := indexed{words: ix.words, length: ix.length}
	for _, p := range ix.places {
		out.places = append(out.places, strings.Join(p[:min(len(p), maxPlaces)], ","))
	}
	return out
}

type indexer struct {
	words  []string
	places [][]string
	at     map[string]int
	next   int
	length int
}

func (ix *indexer) add(text, weight string) {
	last := 0
	for _, t := range tokens(text) {
		place := strconv.Itoa(min(ix.next+t.at+1, maxPlace)) + weight
		ix.put(t.text, place)
		if b := bare(t.text); b != t.text {
			ix.put(b+bareOf+t.text, place)
		}
		if !t.joined {
			ix.length++
			last = t.at + 1
		}
	}
	ix.next += last
}

func (ix *indexer) put(word, place string) {
	i, ok := ix.at[word]
	if !ok {
		i = len(ix.words)
		ix.at[word] = i
		ix.words, ix.places = append(ix.words, word), append(ix.places, nil)
	}
	ix.places[i] = append(ix.places[i], place)
}

package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clause is a part of a message that says one thing.
type clause struct {
	text string
	asks bool // it ends in a question mark
}

// clauses cuts a message into what can be said of one thing each: sentences, and
// what commas, dashes and brackets set apart. A full stop behind an abbreviation
// ends nothing.
func clauses(text string) []clause {
	var out []clause
	from, inWord := 0, false // in the bracket of "file(s)"
	cut := func(end, next int, asks bool) {
		if s := strings.TrimSpace(text[from:end]); s != "" {
			out = append(out, clause{s, asks})
		} else if asks && len(out) > 0 {
			out[len(out)-1].asks = true
		}
		from = next
	}
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			next = i + 1
		}
		switch r {
		case '(':
			if inWord = i > 0 && !spaceBefore(text, i); !inWord {
				cut(i, next, false)
			}
		case ')':
			if !inWord {
				cut(i, next, false)
			}
			inWord = false
		case '?', '？', '؟':
			cut(i, next, true)
		case '!', '！', '。', '।', '¡', '¿', '\n', '·', '•', '|', ';', '；', '（', '）', '[', ']', '、', '，', '،', '—', '–', '…':
			cut(i, next, false)
		case ',':
			if !digitAt(text, next) {
				cut(i, next, false)
			}
		case '.', ':', '：':
			if ends(text, i, next) {
				cut(i, next, false)
			}
		case '-':
			if spaceBefore(text, i) && spaceAt(text, next) {
				cut(i, next, false)
			}
		}
	}
	cut(len(text), len(text), false)
	return out
}

// ends reports whether a stop or colon ends a clause: not within a word or number,
// before a small letter, or where it belongs to "No. 5".
func ends(text string, at, next int) bool {
	rest := strings.TrimLeftFunc(text[next:], unicode.IsSpace)
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return true
	case len(rest) == len(text[next:]) && r < unicode.MaxLatin1, text[at] == '.' && unicode.IsLower(r):
		return false
	case text[at] == ':' && len(rest) <= longestValue && !strings.ContainsFunc(rest, unicode.IsSpace):
		return false // "subscribed: no"
	case !unicode.IsDigit(r) && r != '#':
		return true
	}
	word := text[:at]
	if i := strings.LastIndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != 'º' }); i >= 0 {
		_, n := utf8.DecodeRuneInString(word[i:])
		word = word[i+n:]
	}
	_, abbreviates := read().concepts[number][strings.ToLower(word)]
	zero := text[at] != '.' && strings.HasPrefix(rest, "0") // "errors: 0"
	return !abbreviates && !zero
}

// longestValue is how long a word may be that is the value of a label, in bytes.
const longestValue = 12

func digitAt(text string, at int) bool { return at < len(text) && text[at] >= '0' && text[at] <= '9' }

func spaceAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsSpace(r)
}

func spaceBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return unicode.IsSpace(r)
}

// quotes are pairs of marks around what something is called.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '‘': '’', '「': '」', '『': '』', '《': '》', '\'': '\''}

// longestName is how long a quoted name may be, in bytes; longer ones are sentences.
const longestName = 200

// withoutNames is a message without the names it quotes: what a file is called says
// nothing of what became of it. A message that is all name is left as it is.
func withoutNames(text string) string {
	if !strings.ContainsAny(text, "\"“„«‘「『《'") {
		return text
	}
	var b strings.Builder
	last, skip := rune(' '), 0
	for i, r := range text {
		if i < skip {
			continue
		}
		end, ok := quotes[r]
		if ok && (r != '\'' || !unicode.IsLetter(last) && !unicode.IsDigit(last)) {
			if n := nameEnd(text[i+utf8.RuneLen(r):], end); n > 0 {
				b.WriteString(" “” ")
				skip = i + utf8.RuneLen(r) + n
				last = end
				continue
			}
		}
		b.WriteRune(r)
		last = r
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return b.String()
	}
	return text
}

// nameEnd is how many bytes a name has with the mark at its end, 0 if it has none.
func nameEnd(rest string, mark rune) int {
	rest = rest[:min(len(rest), longestName)]
	for i, r := range rest {
		switch after := i + utf8.RuneLen(r); {
		case r == '\n':
			return 0
		case r == mark || mark == '”' && r == '"' || mark == '“' && r == '”':
			next, _ := utf8.DecodeRuneInString(rest[after:])
			if i > 0 && (mark != '\'' && mark != '’' || !unicode.IsLetter(next) && !unicode.IsDigit(next)) {
				return after
			}
		}
	}
	return 0
}

package act

import (
	"slices"
	"unicode"
	"unicode/utf8"

	val "github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// list reads values separated by commas and "and". A piece that is not itself
// "name value" may go on with the unquoted value before it. With named the
// first piece is the main value as a whole: "named Jas".
func (r *reader) list(ts []token, named bool) []field {
	var out []field
	var from, to int // the tokens of the last value, when it may go on
	pieces := split(ts)
	for i, pc := range pieces {
		toks := ts[pc[0]:pc[1]]
		f, open, ok := r.field(toks)
		if i == 0 && named {
			f, open = r.main(toks)
			ok = true
		}
		switch {
		case ok:
			out = append(out, f)
			from, to = 0, 0
			if open > 0 {
				from, to = pc[1]-open, pc[1]
			}
		case to > 0 && goesOn(out[len(out)-1], ts[to:pc[0]], toks):
			to = pc[1]
			out[len(out)-1].value = r.text(ts[from:to])
		default:
			r.unclear = append(r.unclear, r.text(toks))
		}
	}
	return out
}

// goesOn reports whether a piece belongs to the value before it: "Salt and Pepper",
// "January 2, 1990", "12 High Street, Oslo". After a comma anything else ("Jas, Male")
// is another value.
func goesOn(f field, between, piece []token) bool {
	if !continues(piece[0]) {
		return false
	}
	if !slices.ContainsFunc(between, func(t token) bool { return t.low == "," }) {
		return true
	}
	return val.IsDate(f.value+", "+piece[0].text) || slices.ContainsFunc(text.LabelKey(f.name), func(w string) bool { return placeWords[w] })
}

var placeWords = words.Set("place-field")

// main reads the main value, which needs no name.
func (r *reader) main(ts []token) (f field, open int) {
	if len(ts) == 1 && ts[0].quoted {
		return field{value: ts[0].text}, 0
	}
	return field{value: r.text(ts)}, len(ts)
}

// continues reports whether a word begins as the words of a value do.
func continues(t token) bool {
	first, _ := utf8.DecodeRuneInString(t.text)
	return !t.quoted && (unicode.IsUpper(first) || unicode.IsDigit(first))
}

var listWords = words.Set("list-joint")

// split returns the pieces of a list as index pairs, without empty ones.
func split(ts []token) (out [][2]int) {
	start := 0
	for i := 0; i <= len(ts); i++ {
		if i < len(ts) && (ts[i].quoted || !listWords[ts[i].low]) {
			continue
		}
		a, b := start, i
		for a < b && !ts[a].quoted && (text.Fillers[ts[a].low] && !slices.Contains(toWords, ts[a].low) || ts[a].mark) {
			a++
		}
		for b > a && ts[b-1].mark {
			b--
		}
		if b > a {
			out = append(out, [2]int{a, b})
		}
		start = i + 1
	}
	return out
}

// separators stand between a name and its value.
var separators = words.Set("separator")

// prepositions lead from a value to the name of its field.
var prepositions = words.Set("preposition")

var (
	// assigns stand between a name and its value, intos between a value and the name of
	// its field, toWords between the name of a known field and its value.
	assigns = words.List("assign")
	intos   = words.List("into")
	toWords = words.List("becomes")
)

// field reads one piece. open is how many tokens at its end are an unquoted
// value that the next piece may continue.
func (r *reader) field(ts []token) (f field, open int, ok bool) {
	if q := slices.IndexFunc(ts, func(t token) bool { return t.quoted }); q >= 0 {
		return r.quotedField(ts, q)
	}
	for _, sep := range assigns {
		if i := indexWord(ts, sep); i > 0 && i < len(ts)-1 {
			return r.pair(ts[:i], ts[i+1:])
		}
	}
	for _, sep := range intos {
		if i := indexWord(ts, sep); i > 0 && i < len(ts)-1 {
			name := dropGeneric(ts[i+1:], fieldWords)
			if hasWord(ts[i+1:], fieldWords) || r.lex.knows(r.text(name)) {
				return field{name: r.text(name), value: r.text(ts[:i])}, 0, len(name) > 0
			}
		}
	}
	if i := indexWord(ts, toWords...); i > 0 && i < len(ts)-1 && r.lex.knows(r.text(dropGeneric(ts[:i], fieldWords))) {
		return r.pair(ts[:i], ts[i+1:])
	}
	return r.adjacent(ts)
}

func (r *reader) pair(name, value []token) (field, int, bool) {
	value = trim(value)
	f := field{name: r.text(dropGeneric(dropArticles(name), fieldWords)), value: r.text(value)}
	return f, len(value), f.name != "" && f.value != ""
}

// quotedField reads a piece with a quoted text at q: its name stands before it
// or, with a preposition, after it.
func (r *reader) quotedField(ts []token, q int) (field, int, bool) {
	f := field{value: ts[q].text}
	before := dropGeneric(dropArticles(ts[:q]), fieldWords, separators)
	after := ts[q+1:]
	if len(after) > 0 && prepositions[after[0].low] {
		after = dropGeneric(after[1:], fieldWords)
	}
	calledField := len(after) > 0 && hasWord(ts[q+1:], fieldWords)
	switch {
	case len(before) > 0 && !calledField:
		f.name = r.text(before)
	case len(after) > 0:
		f.name = r.text(after)
	}
	return f, 0, !slices.ContainsFunc(ts[q+1:], func(t token) bool { return t.quoted })
}

// adjacent reads a name and a value with nothing between: by the longest known
// name, by what the value looks like, or by the first capital.
func (r *reader) adjacent(ts []token) (field, int, bool) {
	if f, open, ok := r.byKnownName(ts); ok {
		return f, open, true
	}
	shaped := slices.IndexFunc(ts, func(t token) bool { return shapeOf(t) != "" })
	switch {
	case shaped > 0:
		return r.cutAt(ts, shaped)
	case shaped == 0 && len(ts) > 1 && r.lex.knows(r.text(ts[1:])): // 10001 zip code
		return field{name: r.text(ts[1:]), value: ts[0].text}, 0, true
	case shaped == 0 && len(ts) == 1 && shapeOf(ts[0]) == "email":
		return field{name: "email", value: ts[0].text}, 0, true
	}
	if i := slices.IndexFunc(ts, continues); i > 0 && i <= 3 {
		return r.cutAt(ts, i)
	}
	return field{}, 0, false
}

func (r *reader) byKnownName(ts []token) (field, int, bool) {
	for n := min(len(ts)-1, 6); n > 0; n-- {
		if !r.lex.knows(r.text(ts[:n])) {
			continue
		}
		value := ts[n:]
		for len(value) > 1 && separators[value[0].low] {
			value = value[1:]
		}
		return field{name: r.text(ts[:n]), value: r.text(value)}, len(value), true
	}
	return field{}, 0, false
}

// cutAt takes the tokens before i for the name and the others for the value.
func (r *reader) cutAt(ts []token, i int) (field, int, bool) {
	return field{name: r.text(dropGeneric(ts[:i], separators)), value: r.text(ts[i:])}, len(ts) - i, true
}

package lexicon

import (
	"slices"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// hit is a word found in a clause.
type hit struct {
	sign
	first, last, at, after, length int
	inside                         bool
}

// reading is a clause under reading, from its first word to its last.
type reading struct {
	words Words
	text  vocabulary.Text
	raw   string
	said  saying
	// not, later and maybe are the languages in which the words to come are denied,
	// still to come, or only thought of; notAt is where that was said last.
	not, later, maybe languages
	notAt             int
	notYet            languages // those in which they are denied so far only
	spent             bool      // the denial behind the last word is of a failure, and was counted
	done, failed      languages // those of the good news so far, and of the bad
}

func (r *reading) read() saying {
	hits := r.hits()
	for i, h := range hits {
		rest := hits[i+1 : min(i+1+fewBehind, len(hits))] // what stands right behind it
		switch h.concept {
		case not:
			r.not, r.notAt = r.not|h.in, h.after
			r.said.denies = true
		case notYet:
			r.not, r.notAt, r.notYet = r.not|h.in, h.after, r.notYet|h.in
			r.said.denies = true
		case notAfter:
			r.said.denies = r.said.denies || !r.spent
		case undone:
			r.undone(h)
		case later:
			r.later |= h.in
		case until:
			r.not, r.maybe = r.not&^h.in, r.maybe|h.in
		case ifWord:
			r.condition(h)
		case andWord:
			r.next(h.in)
		case Failure, Refusal, Error:
			r.failure(h, rest)
		case Success:
			r.success(h, rest)
		case Busy, wait:
			r.said.busy = r.said.busy || r.not&h.in == 0
		}
	}
	return r.said
}

// next begins another clause in the same sentence, in languages that have the word
// for it.
func (r *reading) next(in languages) {
	for _, until := range []*languages{&r.not, &r.notYet, &r.later, &r.maybe, &r.done, &r.failed} {
		*until &^= in
	}
}

// condition takes back a success said before it: "sent if the account exists".
func (r *reading) condition(h hit) {
	if r.done&h.in != 0 && h.last < len(r.text.Tokens)-1 {
		r.said.success, r.said.later = false, true
	}
	r.not, r.maybe = r.not&^h.in, r.maybe|h.in
}

// undone is what is not done, and no complaint: "unsaved changes".
func (r *reading) undone(h hit) {
	if r.denied(h) {
		r.not = 0 // there are none
		return
	}
	r.said.undone = r.said.undone || r.maybe&h.in == 0
}

// failure counts unless it is denied ("no errors") or only thought of ("if it fails").
// A denial is about one thing: it does not reach past it.
func (r *reading) failure(h hit, rest []hit) {
	r.spent = false
	switch {
	case !r.isDenial(h) && r.denied(h):
		r.not, r.said.denies = 0, false
	case !r.isDenial(h) && r.deniedBehind(h, rest):
		r.spent = true
	case r.maybe&h.in != 0:
	default:
		r.failed, r.said.failure = r.failed|h.in, true
		r.said.error = r.said.error || h.concept == Error
		r.said.refused = r.said.refused || h.concept == Refusal
	}
}

// isDenial reports a failure that begins with a "not" of its own: two of them in a row
// are one in many languages.
func (r *reading) isDenial(h hit) bool {
	return read().concepts[not][r.text.Tokens[h.first].Text]&h.in != 0
}

// success counts unless it is denied, still to come, or what a failure is about:
// "could not be saved".
func (r *reading) success(h hit, rest []hit) {
	r.spent = false
	switch {
	case r.maybe&h.in != 0:
		r.said.later = true
	case r.notYet&h.in != 0 && r.near(h):
		r.said.undone = true
	case r.denied(h), r.deniedBehind(h, rest), r.none(h):
		r.said.failure, r.said.refused, r.said.denies = true, true, true
	case r.later&h.in != 0 && r.near(h), r.comesBehind(h, rest):
		r.said.later = true
	case r.failed&h.in != 0:
	default:
		r.said.success = true
		r.done |= h.in
	}
}

// fewBehind is how many hits can stand right behind one.
const fewBehind = 4

// reach is how far a word reaches in scripts without spaces, in letters.
const reach = 8

// denied reports whether a "not" of the same language is in force.
func (r *reading) denied(h hit) bool { return r.not&h.in != 0 && r.near(h) || r.zeroBefore(h.first) }

// near reports whether what was said before a word still reaches it.
func (r *reading) near(h hit) bool {
	return !h.inside || r.notAt == 0 || utf8.RuneCountInString(r.text.Between(r.notAt, h.at)) <= reach
}

// deniedBehind reports a denial right behind a word: "保存されませんでした", "errors: 0".
func (r *reading) deniedBehind(h hit, rest []hit) bool {
	return r.behind(h, rest, notAfter, reach/2) || h.concept != Success && r.zero(h.last+1) || r.lastIsNot(h, rest)
}

// comesBehind reports what puts off what it stands right behind: "保存されます".
func (r *reading) comesBehind(h hit, rest []hit) bool { return r.behind(h, rest, laterAfter, 0) }

func (r *reading) behind(h hit, rest []hit, c Concept, letters int) bool {
	return slices.ContainsFunc(rest, func(o hit) bool {
		if o.concept != c || o.in&h.in == 0 {
			return false
		}
		if h.inside {
			return o.at >= h.after && utf8.RuneCountInString(r.text.Between(h.after, o.at)) <= letters
		}
		return o.first == h.last+1
	})
}

// lastIsNot reports a "not" that ends a clause right behind a word: "subscribed: no".
func (r *reading) lastIsNot(h hit, rest []hit) bool {
	return slices.ContainsFunc(rest, func(o hit) bool {
		return o.concept == not && o.in&h.in != 0 && o.first == h.last+1 && o.last == len(r.text.Tokens)-1
	})
}

// none reports that a clause begins with how little was done: "0 of 2 updated".
func (r *reading) none(h hit) bool {
	return r.zero(0) && h.first <= 4 || h.concept == Success && r.zero(h.last+1)
}

// zeroBefore reports a count of none right before a word: "0 errors".
func (r *reading) zeroBefore(i int) bool { return i > 0 && r.zero(i-1) }

// zero reports whether a word is the number 0, and no part of another: 2.0, 10:00.
func (r *reading) zero(i int) bool {
	if i >= len(r.text.Tokens) || r.text.Tokens[i].Text != "0" {
		return false
	}
	t := r.text.Tokens[i]
	part := func(c byte) bool { return c == '.' || c == ',' || c == '-' || c == '/' || c == '\'' }
	return (t.From <= 1 || !part(r.raw[t.From-1]) || !digitAt(r.raw, t.From-2)) && (t.To >= len(r.raw) || !part(r.raw[t.To]) || !digitAt(r.raw, t.To+1) || r.raw[t.To] == '/')
}

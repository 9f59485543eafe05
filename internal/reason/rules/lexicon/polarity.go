package lexicon

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// Polarity is what a message says of what was to be done.
type Polarity int

// What messages say.
const (
	Neither Polarity = iota // nothing of it
	Failed
	Succeeded
	Pending  // it is under way, still to come, or not done yet
	Question // it asks whether
	Mixed    // good and bad: nobody can tell without understanding it
)

// String is the polarity as a word.
func (p Polarity) String() string {
	return [...]string{"neither", "failed", "succeeded", "pending", "question", "mixed"}[p]
}

// Polarity reads a message. A text without any of the words says Neither: whoever
// goes by it has to go by something else as well.
func (w Words) Polarity(text string) Polarity {
	said := w.listen(text)
	switch {
	case said.error:
		return Failed
	case said.success && said.failure:
		return Mixed
	case said.failure && said.asked: // "please" is a failure's word in many languages
		return Pending
	case said.failure:
		return Failed
	case said.busy, said.undone, trailsOff(text):
		return Pending
	case said.success:
		return Succeeded
	case said.later:
		return Pending
	case said.question:
		return Question
	}
	return Neither
}

// Denies reports whether a text says that something is not, has not, or was not.
func (w Words) Denies(text string) bool { return w.listen(text).denies }

// Reports tells of an error, which no good news in the same text makes better.
func (w Words) Reports(text string) bool { return w.listen(text).error }

// Complains reports a text that says of something tried that it did not work: what is
// wanted first, or not to be had, is no complaint.
func (w Words) Complains(text string) bool {
	said := w.listen(text)
	return said.error || said.refused
}

// saying is what the clauses of a message say between them.
type saying struct {
	success, failure, error         bool
	refused                         bool // a failure of something tried
	busy, asked                     bool // under way; asks to wait
	undone, later, denies, question bool
}

// maxMessage is how much of a message is read, in bytes: what it has to say it says
// first.
const maxMessage = 4 << 10

// listen reads the clauses one by one: what is good, bad or under way in one of them
// is changed only by what stands in the same.
func (w Words) listen(text string) saying {
	text = beginning(text, maxMessage)
	w = w.spoken(text)
	all := saying{asked: w.In(wait, text)} // also where a comma follows "please"
	for _, c := range clauses(withoutNames(text)) {
		r := reading{words: w, text: vocabulary.Read(c.text), raw: c.text}
		said := r.read()
		if c.asks {
			all.question = all.question || said != (saying{})
			continue
		}
		all.add(said)
	}
	return all
}

// spoken narrows the words of every language to those of the one that most of a message
// is in, and English: a message is in one language.
func (w Words) spoken(text string) Words {
	b := read()
	if ^w.in != 0 {
		return w
	}
	var lengths [64]int
	b.messages.Find(vocabulary.Read(text), func(f vocabulary.Found[sign]) bool {
		for in := f.Tag.in; in != 0; in &= in - 1 {
			lengths[bits.TrailingZeros64(uint64(in))] += f.Length
		}
		return true
	})
	most := slices.Max(lengths[:])
	if most == 0 {
		return w
	}
	w.in = b.bit("en")
	for i, n := range lengths {
		if n == most {
			w.in |= 1 << i
		}
	}
	return w
}

func (s *saying) add(o saying) {
	s.success, s.failure, s.error = s.success || o.success, s.failure || o.failure, s.error || o.error
	s.busy, s.refused = s.busy || o.busy, s.refused || o.refused
	s.undone, s.later, s.denies = s.undone || o.undone, s.later || o.later, s.denies || o.denies
}

// trailsOff reports a short text that ends in dots: "Saving…".
func trailsOff(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...")) && len(vocabulary.Read(text).Tokens) <= 3
}

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
		case undone:
			r.undone(h)
			r.not, r.notAt = r.not|h.in, h.after
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
	for _, until := range []*languages{&r.not, &r.later, &r.maybe, &r.done, &r.failed} {
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
	switch {
	case !r.isDenial(h) && (r.denied(h) || r.deniedBehind(h, rest)):
		r.not = 0
		r.said.denies = false
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
	switch {
	case r.maybe&h.in != 0:
		r.said.later = true
	case r.denied(h), r.deniedBehind(h, rest), r.none(h):
		r.said.failure = r.said.failure || !r.said.undone
		r.said.refused = r.said.refused || !r.said.undone
		r.said.denies = true
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
	return !(t.From > 1 && part(r.raw[t.From-1]) && digitAt(r.raw, t.From-2)) && !(t.To < len(r.raw) && part(r.raw[t.To]) && digitAt(r.raw, t.To+1) && r.raw[t.To] != '/')
}

// hits are the words of a clause that say something, in order: of those that overlap
// the first and longest.
func (r *reading) hits() []hit {
	var all []hit
	read().messages.Find(r.text, func(f vocabulary.Found[sign]) bool {
		s := f.Tag
		if s.in &= r.words.in; s.in != 0 {
			all = append(all, hit{s, f.First, f.Last, f.At, f.After, f.Length, f.Inside})
		}
		return true
	})
	all = r.withPrefixes(all)
	slices.SortStableFunc(all, func(a, b hit) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return b.length - a.length
	})
	kept, end := all[:0], 0
	for i := 0; i < len(all); {
		h := all[i]
		j := i + 1
		for ; j < len(all) && all[j].at == h.at && all[j].length == h.length; j++ {
		}
		if h.at >= end {
			n := len(kept)
			kept = append(kept, all[i:j]...)
			kept = r.withoutNumbers(kept, n)
			if h.concept != notAfter && h.concept != laterAfter { // they may be the beginning of another
				end = h.after
			}
		}
		i = j
	}
	return kept
}

// withPrefixes adds what is undone by the beginning of a word: "unsaved".
func (r *reading) withPrefixes(hits []hit) []hit {
	taken := make([]bool, len(r.text.Tokens))
	for _, h := range hits {
		for i := h.first; i <= h.last; i++ {
			taken[i] = true
		}
	}
	b := read()
	for i, t := range r.text.Tokens {
		if taken[i] {
			continue
		}
		for n := 1; n <= min(len(t.Text)-shortestRest, longestPrefix); n++ {
			in := b.concepts[unPrefix][t.Text[:n]] & r.words.in
			if in == 0 {
				continue
			}
			if in &= b.beginsWithSuccess(t.Text[n:]); in != 0 {
				at := r.text.At(i)
				hits = append(hits, hit{sign{undone, in}, i, i, at, at + len(t.Text), len(t.Text), false})
			}
		}
	}
	return hits
}

// Bounds on what is taken for a word with a prefix, in bytes, and on what may be at its
// end, in letters.
const (
	longestPrefix = 10
	shortestRest  = 3
	longestEnding = 3
)

// beginsWithSuccess are the languages of the successes that a word begins with: of an
// inflected one too, "ungespeicherte".
func (b *book) beginsWithSuccess(word string) languages {
	in := b.concepts[Success][word]
	b.indexes[Success].Find(vocabulary.Read(word), func(f vocabulary.Found[languages]) bool {
		in |= f.Tag
		return true
	})
	for range longestEnding {
		_, n := utf8.DecodeLastRuneInString(word)
		if word = word[:len(word)-n]; len(word) <= shortestRest {
			break
		}
		in |= b.concepts[Success][word]
	}
	return in
}

// withoutNumbers drops a "no" that only announces a number, "order no. 5", from the
// hits from n on.
func (r *reading) withoutNumbers(hits []hit, n int) []hit {
	if !slices.ContainsFunc(hits[n:], func(h hit) bool { return h.concept == number }) {
		return hits
	}
	if r.announces(hits[n].last) {
		return hits[:n]
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return h.concept == number })
}

// announces reports whether a number stands behind a word, or what has one in it:
// "No. A-4711". With its stop it is short for number whatever follows.
func (r *reading) announces(i int) bool {
	if i+1 >= len(r.text.Tokens) {
		return false
	}
	between := strings.TrimSpace(r.raw[r.text.Tokens[i].To:r.text.Tokens[i+1].From])
	next := r.text.Tokens[i+1]
	if next.Text == "º" || next.Text == "o" {
		return true
	}
	switch between {
	case "":
		return next.Text[0] >= '0' && next.Text[0] <= '9' && (next.Text != "0" || !r.zero(i+1))
	case ".", "°", "#", ".#", ". #", ".º", ".°":
		return true
	case ":":
		return strings.ContainsAny(next.Text, "0123456789")
	}
	return false
}

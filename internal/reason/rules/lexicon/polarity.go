package lexicon

import (
	"math/bits"
	"slices"
	"strings"

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

package verdict

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// messages are the texts that say how the action went, told from what the page is there
// to tell.
type messages struct {
	events []string // what the client saw come, and may have gone again since
	// complaints are errors by their kind, whatever their words. errors are those and
	// what messages, new texts and the client's event stream say in words for one;
	// successes and waits likewise. mixed: one says good and bad at once.
	complaints, errors, successes, waits []string
	mixed                                bool
}

// Facts about what the page says.
var (
	saysError   = fact{"page says error", func(e *evidence) bool { return len(e.errors) > 0 }}
	complains   = fact{"alert of kind error", func(e *evidence) bool { return len(e.complaints) > 0 }}
	saysSuccess = fact{"page says success", func(e *evidence) bool { return len(e.successes) > 0 }}
	saysWait    = fact{"page says wait", func(e *evidence) bool { return len(e.waits) > 0 }}
	saysBoth    = fact{"page says good and bad", func(e *evidence) bool { return e.mixed || len(e.errors) > 0 && len(e.successes) > 0 }}
)

// listen takes in what the page and the client's event stream say in words.
func (e *evidence) listen() {
	e.takeTexts()
	if len(e.relabelled) == 1 && !e.moved { // several are other controls: a view was replaced
		e.take(e.relabelled[0].To)
	}
	if e.q.Page.Busy && !e.q.Before.Busy {
		e.waits = append(e.waits, "it is loading")
	}
	for _, event := range e.events {
		if !shownOnPage(e, event) && !partOfPage(e, event) && e.lex.Polarity(event) != lexicon.Pending { // what is over is not under way
			e.take(event)
		}
	}
}

const (
	// fewTexts is how many new lines there are at most for them to be messages: on a page
	// full of new content every second line has a word that could be one.
	fewTexts = 4
	// longText is from how many characters on a text is no message.
	longText = 150
	// fewWords is how many words a message has that came alone.
	fewWords = 8
)

// takeTexts takes new lines of text for messages, where few came.
func (e *evidence) takeTexts() {
	if e.moved || len(e.texts) > fewTexts || len(e.appeared) > 1 {
		return
	}
	for _, o := range e.texts {
		if pickRoles[e.q.Target.Role] && strings.Contains(o.To, e.name) || len([]rune(o.To)) >= longText || listsControls(e, o.To) ||
			targetOpened(e) && !e.lex.Reports(o.To) {
			continue // what was picked, beside what is still to be; what a page is there to tell; what was opened to be read
		}
		switch {
		case witnessed(e, o) || len(e.events) == 0:
			e.take(o.To)
		case e.lex.Polarity(o.To) == lexicon.Failed: // shown and not brought: a banner, or a message that was hidden
			e.mixed = true
		}
	}
}

// take takes a text that has no kind but its words.
func (e *evidence) take(s string) {
	switch e.lex.Polarity(s) {
	case lexicon.Failed:
		e.errors = append(e.errors, s)
	case lexicon.Succeeded:
		e.successes = append(e.successes, s)
	case lexicon.Pending:
		e.waits = append(e.waits, s)
	case lexicon.Mixed:
		e.mixed = true
	case lexicon.Neither, lexicon.Question:
	}
}

// takeMarked takes a message to which the page or the client gives a kind.
func (e *evidence) takeMarked(o page.Observation) {
	said := o.To
	if said == "" {
		said = o.Text
	}
	switch {
	case o.Alert == page.AlertError && namesControls(e, said):
		// a dialog with its buttons asks and does not complain
	case o.Alert == page.AlertError:
		e.errors, e.complaints = append(e.errors, said), append(e.complaints, said)
	case o.Alert == page.AlertSuccess:
		e.takeSuccess(said)
	case o.Kind == page.AlertAppeared:
		e.take(said)
	}
}

// takeSuccess takes a message that looks like a success. The look decides where the
// words do not.
func (e *evidence) takeSuccess(said string) {
	switch e.lex.Polarity(said) {
	case lexicon.Failed, lexicon.Mixed:
		e.mixed = true
	case lexicon.Pending:
		e.waits = append(e.waits, said)
	case lexicon.Question:
	case lexicon.Succeeded, lexicon.Neither:
		e.successes = append(e.successes, said)
	}
}

// listsControls reports a line in which the names of two controls stand side by side,
// as in a bar.
func listsControls(e *evidence, line string) bool {
	for _, el := range e.q.Page.Elements {
		if name := el.Label(); len([]rune(name)) > 2 && name != line {
			line = strings.ReplaceAll(line, name, "\x00")
		}
	}
	return strings.Contains(strings.ReplaceAll(line, " ", ""), "\x00\x00")
}

// targetOpened reports that the target says that it is open now.
func targetOpened(e *evidence) bool {
	return slices.ContainsFunc(e.own, func(o page.Observation) bool { return o.Attr == page.AttrExpanded && o.To == "true" })
}

// witnessed reports whether the client saw a new text come.
func witnessed(e *evidence, o page.Observation) bool {
	line := solid(o.To)
	return slices.ContainsFunc(e.events, func(event string) bool {
		event = solid(event)
		return strings.Contains(event, line) || len(event) > 2 && strings.Contains(line, event)
	})
}

// partOfPage reports a text that is no message but a part of the page with its
// controls, or came with much else.
func partOfPage(e *evidence, s string) bool {
	icons := 0
	for _, r := range s {
		if unicode.In(r, unicode.So, unicode.Sm) {
			icons++
		}
	}
	w := e.q.Witness
	return icons >= 2 || namesControls(e, s) || min(w.Added, w.Removed) > fewNodes && len(text.Words(s)) > fewWords
}

// namesControls reports a text with the names of two controls of the page and more, or
// of what they offer.
func namesControls(e *evidence, s string) bool {
	n, has := 0, trigramsOf(s)
	for _, name := range e.names() {
		if name != s && has.mayHold(name) && strings.Contains(s, name) {
			if n++; n >= 2 {
				return true
			}
		}
	}
	return false
}

// shownOnPage reports whether the page shows what the client saw come: then it is
// judged with what is new, or was there before and only drawn again.
func shownOnPage(e *evidence, s string) bool {
	return strings.Contains(e.solid(), solid(s)) || strings.HasPrefix(s, "a dialog (")
}

// solid is a text without spaces: how lines are joined differs.
func solid(s string) string { return strings.Join(strings.Fields(s), "") }

// eventTexts are the texts of a client's event stream.
func eventTexts(stream []string) []string {
	var out []string
	for _, line := range stream {
		if _, said, ok := strings.Cut(line, "Added: '"); ok {
			out = append(out, strings.TrimSuffix(said, "'"))
		}
	}
	return out
}

// trigrams are the runs of three bytes of a text, by hash: a text of a thousand
// characters is asked for twenty thousand names, and has hardly one of them.
type trigrams [1 << 9]uint64

func trigramsOf(s string) *trigrams {
	var set trigrams
	for i := 0; i+3 <= len(s); i++ {
		h := trigram(s[i:])
		set[h>>6] |= 1 << (h & 63)
	}
	return &set
}

func trigram(s string) uint32 {
	return (uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2])) * 2654435761 >> 17
}

// mayHold reports whether all runs of three bytes of a name are among those of the
// text: else the text does not hold it.
func (set *trigrams) mayHold(name string) bool {
	for i := 0; i+3 <= len(name); i++ {
		if h := trigram(name[i:]); set[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return true
}

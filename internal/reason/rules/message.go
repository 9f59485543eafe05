package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// What is heard of a case: the messages and new lines of text that say how the action
// went, told from what the page is there to tell.

// hearTexts takes new lines of text for messages, where few came: on a page full
// of new content every second line has a word that could be one.
func (c *evidenceCase) hearTexts() {
	if c.moved || len(c.texts) > 4 || len(c.appeared) > 1 {
		return
	}
	heard := events(c.q.Witness.RecentEvents)
	for _, o := range c.texts {
		if picks[c.q.Target.Role] && strings.Contains(o.To, label(c.q.Target)) || len([]rune(o.To)) >= longText || c.listsControls(o.To) ||
			c.opened() && !c.lex.Reports(o.To) {
			continue // what was picked, beside what is still to be; what a page is there to tell; what was opened to be read
		}
		switch told := c.told(o, heard); {
		case told || len(heard) == 0:
			c.hear(o.To)
		case c.lex.Polarity(o.To) == lexicon.Failed: // shown and not brought: a banner, or a message that was hidden
			c.mixed = true
		}
	}
}

// listsControls reports a line in which the names of two controls stand side by side,
// as in a bar.
func (c *evidenceCase) listsControls(text string) bool {
	for _, e := range c.q.Page.Elements {
		if name := label(e); len([]rune(name)) > 2 && name != text {
			text = strings.ReplaceAll(text, name, "\x00")
		}
	}
	return strings.Contains(strings.ReplaceAll(text, " ", ""), "\x00\x00")
}

// opened reports that the target says that it is open now.
func (c *evidenceCase) opened() bool {
	return slices.ContainsFunc(c.own, func(o page.Observation) bool { return o.Attr == page.AttrExpanded && o.To == "true" })
}

// longText is from how many characters on a text is no message.
const longText = 150

// told reports whether the client saw a new text come.
func (c *evidenceCase) told(o page.Observation, heard []string) bool {
	text := solid(o.To)
	return slices.ContainsFunc(heard, func(e string) bool {
		e = solid(e)
		return strings.Contains(e, text) || len(e) > 2 && strings.Contains(text, e)
	})
}

// redrawn reports a text that is no message but a part of the page with its
// controls, come with much else.
func (c *evidenceCase) redrawn(text string) bool {
	icons := 0
	for _, r := range text {
		if unicode.In(r, unicode.So, unicode.Sm) {
			icons++
		}
	}
	w := c.q.Witness
	return icons >= 2 || c.namesControls(text) || min(w.Added, w.Removed) > banner && len(words(text)) > fewWords
}

// fewWords is how many words a message has that came alone.
const fewWords = 8

// namesControls reports a text with the names of two controls of the page and more, or
// of what they offer.
func (c *evidenceCase) namesControls(text string) bool {
	n, has := 0, trigrams(text)
	for _, name := range c.controlNames() {
		n += count(name != text && has.mayHold(name) && strings.Contains(text, name))
		if n >= 2 {
			return true
		}
	}
	return false
}

// showing reports whether the page shows what the client saw come: then it is
// judged with what is new, or was there before and only drawn again.
func (c *evidenceCase) showing(text string) bool {
	if c.solid == "" {
		c.solid = solid(c.q.Page.Text)
	}
	return strings.Contains(c.solid, solid(text)) || strings.HasPrefix(text, "a dialog (")
}

// solid is a text without spaces: how lines are joined differs.
func solid(s string) string { return strings.Join(strings.Fields(s), "") }

// message takes a message the page or the client gives a kind to.
func (c *evidenceCase) message(o page.Observation) {
	text := o.To
	if text == "" {
		text = o.Text
	}
	switch {
	case o.Alert == page.AlertError && c.namesControls(text):
		// a dialog with its buttons asks and does not complain
	case o.Alert == page.AlertError:
		c.errors, c.complaints = append(c.errors, text), append(c.complaints, text)
	case o.Alert == page.AlertSuccess:
		c.marked(text)
	case o.Kind == page.AlertAppeared:
		c.hear(text)
	}
}

// marked takes a message that looks like a success. The mark decides where the words
// do not.
func (c *evidenceCase) marked(text string) {
	switch c.lex.Polarity(text) {
	case lexicon.Failed, lexicon.Mixed:
		c.mixed = true
	case lexicon.Pending:
		c.waits = append(c.waits, text)
	case lexicon.Question:
	case lexicon.Succeeded, lexicon.Neither:
		c.successes = append(c.successes, text)
	}
}

// hear takes a text that has no kind but its words.
func (c *evidenceCase) hear(text string) {
	switch c.lex.Polarity(text) {
	case lexicon.Failed:
		c.errors = append(c.errors, text)
	case lexicon.Succeeded:
		c.successes = append(c.successes, text)
	case lexicon.Pending:
		c.waits = append(c.waits, text)
	case lexicon.Mixed:
		c.mixed = true
	case lexicon.Neither, lexicon.Question:
	}
}

// events are the texts of a client's event stream: what came, and may have gone
// again since.
func events(stream []string) []string {
	var out []string
	for _, line := range stream {
		_, text, ok := strings.Cut(line, "Added: '")
		if ok {
			out = append(out, strings.TrimSuffix(text, "'"))
		}
	}
	return out
}

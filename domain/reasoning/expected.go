package reasoning

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// expectedConfidence is the verdict on an action after which the page shows, newly,
// the text that was expected.
const expectedConfidence = 0.85

// ExpectedShown gives the verdict on an action if a text that was expected of it, by
// what the next step needs, in quotes or in words that appeared as they stand there, is
// new on the page, and nothing speaks against it.
// Nobody else need be asked then. Of a final action it is still asked whether all is
// done.
func (q VerifyQuestion) ExpectedShown() (Verdict, bool) {
	w := q.Witness
	if q.Final || q.SubTask != "" || w.Error != nil || w.Status == "failure" || len(w.Refused)+len(w.ErrorsDetected) > 0 ||
		slices.ContainsFunc(q.Observations, func(o page.Observation) bool { return o.Alert == page.AlertError }) {
		return Verdict{}, false
	}
	for _, text := range q.expectedTexts() {
		if word := folded(text); isShort(word) || !hasWordRune(word) || !q.appeared(word) {
			continue
		}
		return Verdict{
			ActionSucceeded: true, Confidence: expectedConfidence, Tier: 1, By: ByRules, Rule: "expected-shown",
			Reason: "The page now shows “" + page.Cut(page.Clean(text), maxQuote) + "”, as expected.",
			Proof:  Proof{Source: InChange, Quote: page.Cut(page.Clean(text), maxQuote)},
		}, true
	}
	return Verdict{}, false
}

// expectedTexts are the texts that were expected to appear.
func (q VerifyQuestion) expectedTexts() []string {
	out := quotes(q.Expected.Description)
	for i, part := range strings.Split(q.Expected.Description, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	if g := q.Expected.NextGoal; g != nil && g.Text != "" {
		out = append(out, g.Text)
	}
	said := folded(q.Expected.Description)
	for _, o := range q.Observations {
		if text := folded(o.To); isTelling(text) && containsWords(said, text) {
			out = append(out, o.To)
		}
	}
	return out
}

// isTelling reports a text of several words that is no accident where it was expected.
func isTelling(text string) bool {
	return len(strings.Fields(text)) > 1 && len(text) >= minTelling
}

// minTelling is how long such a text is, in bytes: "the next page" says less than
// "January 2016".
const minTelling = 10

// appeared reports whether a text is part of something new on the page.
func (q VerifyQuestion) appeared(text string) bool {
	return slices.ContainsFunc(q.Observations, func(o page.Observation) bool {
		switch o.Kind {
		case page.TextAppeared, page.ElementChanged, page.AlertAppeared:
			return containsWords(folded(o.To), text)
		case page.ElementAppeared:
			return containsWords(folded(o.Text), text)
		}
		return false
	})
}

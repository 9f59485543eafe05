package rules

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// evidenceCase is a question with the facts rules ask for over and over.
type evidenceCase struct {
	q       reasoning.VerifyQuestion
	ctx     context.Context
	lex     lexicon.Words // those the page is read by
	target  page.Element  // as it is now
	present bool
	// moved: another place was opened; jumped: only the fragment of the URL changed,
	// which need not lead anywhere.
	moved, jumped bool
	net           bool // the client saw traffic
	// complaints are errors by their kind, whatever their words. errors are those and
	// what messages, new texts and the client's event stream say in words for one;
	// successes and waits likewise.
	complaints, errors, successes, waits []string
	mixed                                bool
	// own are changes of the target itself, changed those of other elements.
	own, changed   []page.Observation
	appeared, gone []page.Observation
	// uncovered came out from under something, covered went there.
	uncovered, covered []page.Observation
	alerts             []page.Observation
	texts              []page.Observation // new lines of text
	numbers            []page.Observation // lines in which only a number changed
	asked              bool               // the focus went to a field nobody named
	lines              []string           // of the page's text, read when asked for
	solid              string             // the page's text without spaces, likewise
	compared           *page.Comparison   // of both pages, likewise
	keys               map[string][]string
	said               map[string]bool // words of all that came, likewise
	index              caseIndex
}

func caseOf(q reasoning.VerifyQuestion) *evidenceCase {
	c := &evidenceCase{q: q, lex: lexicon.For(q.Page.Language), net: isTrue(q.Witness.NetworkOccurred)}
	c.target, c.present = c.now()
	for _, o := range q.Observations {
		c.sort(o)
	}
	c.appeared, c.gone = withoutNewRoles(c.appeared, c.gone)
	if isFalse(q.Witness.DOMMutated) && !c.moved {
		c.texts, c.numbers = nil, nil // the client knows them to change by themselves
	}
	c.hearTexts()
	if q.Page.Busy && !q.Before.Busy {
		c.waits = append(c.waits, "it is loading")
	}
	for _, e := range events(q.Witness.RecentEvents) {
		if !c.showing(e) && !c.redrawn(e) && c.lex.Polarity(e) != lexicon.Pending { // what is over is not under way
			c.hear(e)
		}
	}
	return c
}

// key are the words of a text, which rules ask for over and over. Where a script has
// no spaces, they end where another script begins.
func (c *evidenceCase) key(s string) []string {
	ws, ok := c.keys[s]
	if !ok {
		for _, w := range key(s) {
			for _, run := range runs(w) {
				ws = append(ws, singular(run))
			}
		}
		if c.keys == nil {
			c.keys = map[string][]string{}
		}
		c.keys[s] = ws
	}
	return ws
}

// manyRoles is how many elements may come back in another role before nothing is
// made of what else came and went.
const manyRoles = 5

// withoutNewRoles leaves out what only came back in another role: a heading that
// can be clicked is now taken for a button and now not.
func withoutNewRoles(appeared, gone []page.Observation) (came, went []page.Observation) {
	split := func(o page.Observation) (role, name string) {
		_, what, _ := strings.Cut(o.Text, ": ")
		role, name, _ = strings.Cut(what, " ")
		return role, name
	}
	left := map[string]string{}
	for _, o := range gone {
		if role, name := split(o); name != "" {
			left[name] = role
		}
	}
	back := map[string]bool{}
	for _, o := range appeared {
		role, name := split(o)
		if was, ok := left[name]; ok && was != role {
			back[name] = true
			continue
		}
		came = append(came, o)
	}
	if len(back) > manyRoles {
		return nil, nil // the list of lines is bounded, and the rest of both is more of the same
	}
	for _, o := range gone {
		if _, name := split(o); !back[name] {
			went = append(went, o)
		}
	}
	return came, went
}

// counts reports two texts that differ in their numbers alone: how many wait in a
// queue, how many have come by. They change by themselves.
func counts(from, to string) bool {
	bare := func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}
	return strings.Map(bare, from) == strings.Map(bare, to)
}

// sort puts one line of the observations where rules look for it.
func (c *evidenceCase) sort(o page.Observation) {
	switch o.Kind {
	case page.URLChangedTo:
		c.moved = elsewhere(o.From, o.To)
		c.jumped = !c.moved
	case page.ElementAppeared:
		c.appeared = append(c.appeared, o)
	case page.ElementGone:
		c.gone = append(c.gone, o)
	case page.ElementChanged:
		switch {
		case o.Attr == page.AttrOccluded && o.To == "false":
			c.uncovered = append(c.uncovered, o)
			return
		case o.Attr == page.AttrOccluded:
			c.covered = append(c.covered, o)
			return
		case c.present && o.Key == c.target.Key:
			c.own = append(c.own, o)
		case o.Attr == page.AttrText && counts(o.From, o.To):
			c.numbers = append(c.numbers, o)
			return
		default:
			c.changed = append(c.changed, o)
		}
		if role, _, _ := strings.Cut(o.Key, "|"); o.Attr == page.AttrText && role != "combobox" && role != "listbox" { // whose text is what they offer
			c.hear(o.To)
		}
	case page.AlertAppeared:
		c.alerts = append(c.alerts, o)
		c.message(o)
	case page.Witnessed:
		c.message(o)
	case page.TextAppeared:
		if o.Attr == page.AttrNumber {
			c.numbers = append(c.numbers, o)
			return
		}
		c.texts = append(c.texts, o)
	case page.FocusMoved:
		e, ok := c.q.Page.ByID(o.To)
		c.asked = ok && isField(e) && e.ID != c.target.ID && e.ID != c.q.Action.Target && c.q.Before.Skeleton.Has(e.Key)
	}
}

// elsewhere reports whether two URLs are different places: a fragment is one only
// where it is a route ("#/patients").
func elsewhere(from, to string) bool {
	a, b := place(from), place(to)
	return a != b
}

func place(raw string) string {
	base, fragment, _ := strings.Cut(raw, "#")
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") {
		base += "#" + fragment
	}
	return strings.TrimSuffix(strings.TrimSuffix(base, "?"), "/")
}

// blind reports a page read without its text: what it says beside its elements is
// not known, and nothing can be made of its silence.
func (c *evidenceCase) blind() bool { return len(c.q.Before.Lines) == 0 }

// stirred are changes a person could see, beside those of the target: without
// them nothing came of the action that can be read.
func (c *evidenceCase) stirred() bool {
	return len(c.changed)+len(c.appeared)+len(c.gone)+len(c.alerts)+len(c.texts) > 0
}

// mutated reports a change of the document that the new texts and the clocks do
// not explain.
func (c *evidenceCase) mutated() bool {
	w := c.q.Witness
	if !isTrue(w.DOMMutated) && w.Added+w.Removed == 0 {
		return false
	}
	heard := events(w.RecentEvents)
	for _, text := range heard {
		if !c.explains(text) {
			return true
		}
	}
	return len(heard) == 0
}

// explains reports whether an event is what changes by itself on the page: a
// clock, or a line that is there and is about something else.
func (c *evidenceCase) explains(text string) bool {
	if clock.MatchString(text) && len([]rune(text)) <= 20 {
		return true
	}
	same := func(o page.Observation) bool { return strings.Contains(o.To, text) || strings.Contains(text, o.To) }
	switch {
	case slices.ContainsFunc(c.numbers, same):
		return true
	case wordless(label(c.q.Target)) || c.isAboutTarget(text) || c.answers(text):
		return false
	}
	isNew, w := slices.ContainsFunc(c.texts, same), c.q.Witness
	if isNew {
		return len(c.texts) == 1 && len(words(text)) > 1 && !c.near(c.texts[0])
	}
	return w.Added+w.Removed <= banner && c.showing(text)
}

// isAboutTarget reports whether a text has a word of the target's name.
func (c *evidenceCase) isAboutTarget(text string) bool {
	return mentions(text, words(label(c.q.Target)))
}

// mentions reports whether a text has one of the words, short ones of Latin script
// aside.
func mentions(text string, ws []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(ws, func(w string) bool { return (len(w) > 2 || len(w) > len([]rune(w))) && strings.Contains(text, w) })
}

// banner is how many nodes at most come and go with what turns by itself; what is
// drawn anew with more of them was drawn because of the action.
const banner = 4

var clock = regexp.MustCompile(`\b\d{1,2}:\d{2}(:\d{2})?\b`)

// pageLines are the lines of text of the page now.
func (c *evidenceCase) pageLines() []string {
	if c.lines == nil {
		c.lines = c.q.Page.TextLines()
	}
	return c.lines
}

// nearby is how many lines of text away something may stand that has to do with
// a control.
const nearby = 6

// near reports whether a new line of text stands so close to the target that it
// may be its doing.
func (c *evidenceCase) near(o page.Observation) bool {
	at := c.lineOfTarget()
	return at >= 0 && max(o.Line-at, at-o.Line) <= nearby
}

// lineOfTarget is the line of text that is the target's name, -1 where there is
// none or more than one.
func (c *evidenceCase) lineOfTarget() int {
	name, at := label(c.target), -1
	if !c.present || name == "" {
		return -1
	}
	for i, line := range c.pageLines() {
		if line == name {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// beside reports whether a new line of text stands right behind the target, or a
// count right before it. What stands before a heading belongs to another one.
func (c *evidenceCase) beside(o page.Observation) bool {
	at := c.lineOfTarget()
	return at >= 0 && (o.Line == at+1 || o.Line == at-1 && isCount(o.To))
}

// isCount reports a text that is a number with hardly anything to it: "2",
// "21.0 °C", "1 / 3".
func isCount(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 2 && digits(s) != "" && len([]rune(s)) <= 10
}

// clicks reports whether the action was to press something: what the page makes
// of it is all there is to judge by.
func (c *evidenceCase) clicks() bool {
	return c.q.Action.Name == action.Click || c.q.Action.Name == action.Press
}

// sends reports whether the action was to send a form.
func (c *evidenceCase) sends() bool {
	a := c.q.Action
	return a.Name == action.Press && a.Text == "Enter" ||
		a.Name == action.Click && c.q.Target.Role == "button" && !c.pages() && (c.lex.In(lexicon.Send, label(c.q.Target)) || isSubmitWord(label(c.q.Target)) || c.target.Type == "submit")
}

// pages reports a control that turns to the next one of something, as another that is
// called alike turns back.
func (c *evidenceCase) pages() bool {
	mine := c.key(label(c.q.Target))
	return len(mine) > 1 && c.lex.In(lexicon.Next, label(c.q.Target)) && slices.ContainsFunc(c.namesOfRole(), func(name string) bool {
		return sharesEnd(mine, c.key(name))
	})
}

// filled are the fields that held a text before the action: of three characters,
// as shorter ones are found anywhere.
func (c *evidenceCase) filled() []page.Descriptor {
	var out []page.Descriptor
	for _, d := range c.q.Before.Skeleton.Elements {
		if (d.Role == "textbox" || d.Role == "searchbox" || d.Role == "combobox") && len([]rune(d.Value)) >= 3 {
			out = append(out, d)
		}
	}
	return out
}

// nowhere reports a link that is known to lead nowhere else: a place on the page,
// a script, a mail or phone program.
func nowhere(href string) bool {
	href = strings.ToLower(strings.TrimSpace(href))
	u, err := weburl.Parse(href)
	if err != nil || href == "" {
		return false
	}
	return len(href) > 1 && strings.HasPrefix(href, "#") && !strings.HasPrefix(href, "#/") && !strings.HasPrefix(href, "#!") ||
		u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "javascript"
}

// wordless reports a name without a word: an icon, "A+".
func wordless(name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters == 0 || letters == 1 && len([]rune(name)) > 1
}

// asksFor reports whether the user's words have one of a concept, in whatever language
// they are.
func (c *evidenceCase) asksFor(what lexicon.Concept) bool { return lexicon.For("").In(what, c.q.Query) }

// narrowing reports whether the action was to change what a list shows: by the
// control, or by the user's words.
func (c *evidenceCase) narrowing() bool {
	return c.narrows(c.target) || c.asksFor(lexicon.Narrow) || c.clicks() && c.lex.In(lexicon.Search, label(c.q.Target))
}

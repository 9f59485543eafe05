package verdict

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// evidence is a question with what was observed, sorted by what it says of the action.
// Nothing of it changes once read returns; what is costly to find out is found out when
// it is first asked for.
type evidence struct {
	q       reasoning.VerifyQuestion
	lex     lexicon.Words // those the page is read by
	name    string        // what the target was called
	target  page.Element  // as it is now
	present bool
	// moved: another place was opened. jumped: only the fragment of the address changed,
	// which need not lead anywhere.
	moved, jumped bool
	net           bool // the client saw traffic
	// own are changes of the target itself, changed those of other elements.
	own, changed   []page.Observation
	appeared, gone []page.Observation
	// uncovered came out from under something, covered went there.
	uncovered, covered []page.Observation
	alerts             []page.Observation
	texts              []page.Observation // new lines of text
	numbers            []page.Observation // lines in which only a number changed
	relabelled         []page.Observation // controls besides the target that say something else
	focusWent          bool               // the focus went to another element
	fieldFocused       bool               // the focus went to a field nobody named
	messages
	again  func() *page.Comparison // the elements of the page before, on the page now
	lines  func() []string         // of the page's text
	solid  func() string           // the page's text without spaces
	filled []page.Descriptor
	said   func() map[string]bool // words of all that came or changed
	user   func() map[string]bool // words of the task
	had    func() map[string]bool // the keys of the page before
	names  func() []string        // what controls and their options are called
	alike  func() siblings        // the controls that do the same to other things
	keys   map[string][]string    // the words of texts, remembered
}

// read sorts what was observed of an action.
func read(q reasoning.VerifyQuestion) *evidence {
	e := &evidence{
		q: q, lex: lexicon.For(q.Page.Language), name: q.Target.Label(), net: isTrue(q.Witness.NetworkOccurred),
		messages: messages{events: eventTexts(q.Witness.RecentEvents)}, keys: map[string][]string{},
	}
	e.again = sync.OnceValue(func() *page.Comparison { return page.Compare(q.Before.Skeleton, q.Page) })
	e.lines = sync.OnceValue(q.Page.TextLines)
	e.solid = sync.OnceValue(func() string { return solid(q.Page.Text) })
	e.said = sync.OnceValue(e.newWords)
	e.user = sync.OnceValue(func() map[string]bool { return text.SetOf(e.key(q.Query)) })
	e.had = sync.OnceValue(e.keysBefore)
	e.names = sync.OnceValue(e.controlNames)
	e.alike = sync.OnceValue(e.siblings)
	e.target, e.present = e.now()
	e.filled = filledIn(q.Before)
	for _, o := range q.Observations {
		e.sort(o)
	}
	e.appeared, e.gone = withoutNewRoles(e.appeared, e.gone)
	if isFalse(q.Witness.DOMMutated) && !e.moved {
		e.texts, e.numbers = nil, nil // the client knows them to change by themselves
	}
	e.listen()
	return e
}

// key are the words of a text by which it is compared.
func (e *evidence) key(s string) []string {
	ws, ok := e.keys[s]
	if !ok {
		ws = text.Key(s)
		e.keys[s] = ws
	}
	return ws
}

// now is the element the action was on, as it is on the page after it.
func (e *evidence) now() (page.Element, bool) {
	q := e.q
	if id := q.Witness.RecoveredID; id != "" {
		if el, ok := q.Page.ByID(id); ok {
			return el, true
		}
	}
	if q.Before.Skeleton.Has(q.Target.Key) {
		el, ok, _ := e.find(q.Target.Key)
		return el, ok
	}
	for _, el := range q.Page.Elements {
		if q.Target.Key != "" && el.Key == q.Target.Key {
			return el, true
		}
	}
	if el, ok := q.Page.ByID(q.Action.Target); ok && el.Role == q.Target.Role {
		return el, true
	}
	return page.Element{}, false
}

// find looks on the page for an element of the page before. twins says that there are
// several of which it may be one.
func (e *evidence) find(key string) (el page.Element, ok, twins bool) { return e.again().Find(key) }

// sort puts one line of the observations where rules look for it.
func (e *evidence) sort(o page.Observation) {
	switch o.Kind {
	case page.URLChangedTo:
		e.moved = place(o.From) != place(o.To)
		e.jumped = !e.moved
	case page.ElementAppeared:
		e.appeared = append(e.appeared, o)
	case page.ElementGone:
		e.gone = append(e.gone, o)
	case page.ElementChanged:
		e.sortChange(o)
	case page.AlertAppeared:
		e.alerts = append(e.alerts, o)
		e.takeMarked(o)
	case page.Witnessed:
		e.takeMarked(o)
	case page.TextAppeared:
		if o.Attr == page.AttrNumber {
			e.numbers = append(e.numbers, o)
			return
		}
		e.texts = append(e.texts, o)
	case page.FocusMoved:
		el, ok := e.q.Page.ByID(o.To)
		e.focusWent = true
		e.fieldFocused = ok && el.IsField() && el.ID != e.target.ID && el.ID != e.q.Action.Target && e.q.Before.Skeleton.Has(el.Key)
	}
}

func (e *evidence) sortChange(o page.Observation) {
	switch {
	case o.Attr == page.AttrOccluded && o.To == "false":
		e.uncovered = append(e.uncovered, o)
		return
	case o.Attr == page.AttrOccluded:
		e.covered = append(e.covered, o)
		return
	case o.Attr == page.AttrOnHover && e.q.Action.Name != action.Hover:
		return // that the mouse went there
	case e.present && o.Key == e.target.Key:
		e.own = append(e.own, o)
		if isLabel(o) {
			e.take(o.To)
		}
	case o.Attr == page.AttrText && onlyNumbers(o.From, o.To):
		e.numbers = append(e.numbers, o)
		return
	default:
		e.changed = append(e.changed, o)
		if isLabel(o) {
			e.relabelled = append(e.relabelled, o)
		}
	}
}

// isLabel reports the text of a control, apart from lists, whose text is what they offer.
func isLabel(o page.Observation) bool {
	role := roleOf(o)
	return o.Attr == page.AttrText && role != "combobox" && role != "listbox"
}

// roleOf is the role of the element an observation is about.
func roleOf(o page.Observation) string {
	role, _, _ := strings.Cut(o.Key, "|")
	return role
}

// place is an address by which two pages are told apart: a fragment counts only where
// it is a route ("#/patients").
func place(raw string) string {
	base, fragment, _ := strings.Cut(raw, "#")
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") {
		base += "#" + fragment
	}
	return strings.TrimSuffix(strings.TrimSuffix(base, "?"), "/")
}

// onlyNumbers reports two texts that differ in their numbers alone: how many wait in a
// queue, how many have come by. They change by themselves.
func onlyNumbers(from, to string) bool {
	bare := func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}
	return strings.Map(bare, from) == strings.Map(bare, to)
}

// manyRoles is how many elements may come back in another role before nothing is
// made of what else came and went.
const manyRoles = 5

// withoutNewRoles leaves out what only came back in another role: a heading that
// can be clicked is now taken for a button and now not.
func withoutNewRoles(appeared, gone []page.Observation) (came, went []page.Observation) {
	split := func(o page.Observation) (role, name string) {
		role, name, _ = strings.Cut(described(o), " ")
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

// described is what an observation says of its element: role and name.
func described(o page.Observation) string {
	_, what, _ := strings.Cut(o.Text, ": ")
	return what
}

// filledIn are the fields that held a text before the action: of three characters, as
// shorter ones are found anywhere.
func filledIn(before page.Before) []page.Descriptor {
	var filled []page.Descriptor
	for _, d := range before.Skeleton.Elements {
		if (d.Role == "textbox" || d.Role == "searchbox" || d.Role == "combobox") && utf8.RuneCountInString(d.Value) >= 3 {
			filled = append(filled, d)
		}
	}
	return filled
}

// element is an element that appeared.
func (e *evidence) element(o page.Observation) (page.Element, bool) {
	at := slices.IndexFunc(e.q.Page.Elements, func(el page.Element) bool { return el.Key == o.Key })
	if at < 0 {
		return page.Element{}, false
	}
	return e.q.Page.Elements[at], true
}

func (e *evidence) keysBefore() map[string]bool {
	had := map[string]bool{}
	for _, d := range e.q.Before.Skeleton.Elements {
		had[d.Key] = d.Key != ""
	}
	return had
}

// newWords are the words of all that came or changed.
func (e *evidence) newWords() map[string]bool {
	said := map[string]bool{}
	say := func(texts ...string) {
		for _, s := range texts {
			for _, w := range e.key(s) {
				said[w] = true
			}
		}
	}
	for _, o := range slices.Concat(e.texts, e.alerts) {
		say(o.To)
	}
	for _, o := range e.appeared {
		if el, ok := e.element(o); ok {
			say(el.Name, el.Value, el.Group)
		}
	}
	for _, o := range e.changed {
		if o.Attr == page.AttrDisabled {
			continue
		}
		say(o.To)
		if el, ok, _ := e.find(o.Key); ok {
			say(el.Name, el.Value, el.Group)
		}
	}
	say(e.eventsWithNews()...)
	return said
}

// eventsWithNews are the events of the client that brought something new together with
// more: the row it stands in, the title above it. What several of them brought tells of
// none.
func (e *evidence) eventsWithNews() []string {
	var news, with []string
	for _, o := range e.texts {
		news = append(news, o.To)
	}
	for _, o := range e.appeared {
		if el, ok := e.element(o); ok {
			news = append(news, el.Label())
		}
	}
	for _, s := range news {
		of := slices.DeleteFunc(slices.Clone(e.events), func(event string) bool { return !strings.Contains(event, s) })
		if len(of) == 1 && len([]rune(s)) > 2 {
			with = append(with, of...)
		}
	}
	return with
}

// names are what the controls of the page and their options are called, where that is
// more than two characters.
func (e *evidence) controlNames() []string {
	var names []string
	add := func(s string) {
		if len([]rune(s)) > 2 {
			names = append(names, s)
		}
	}
	for _, el := range e.q.Page.Elements {
		add(el.Label())
		for _, o := range el.Options {
			add(o.Label)
		}
	}
	return names
}

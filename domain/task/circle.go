package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// An agent goes in circles in two ways that each verdict by itself cannot see:
// its steps work and bring nothing new (MayGoOn), or it does the same again, one
// thing or a few in turn, on pages that mean the same as before (MayDo). A page
// that means something else each time is progress, however often the same button
// was pressed: the months of a date picker, the next page of a list.

// Place is the page an attempt was decided on: its meaning hash, its URL, and the hash of
// its words.
type Place struct {
	Meaning string `json:"meaning,omitempty"`
	URL     string `json:"url,omitempty"`
	Words   string `json:"words,omitempty"`
}

// same reports whether two pages mean the same. It is false for a page that was not
// read.
func (p Place) same(o Place) bool { return p.Meaning != "" && p.Meaning == o.Meaning }

// shows reports whether a page means the same and says the same.
func (p Place) shows(o Place) bool {
	return p.same(o) && (p.Words == o.Words || p.Words == "" || o.Words == "")
}

func (o Observed) place() Place { return Place{o.MeaningHash, o.URL, o.WordsHash} }

// MayDo returns an error with a message for the user if an action would close a
// circle: the same action again and again on a page that does not change, or a few
// actions in turn.
func (s State) MayDo(a action.Action, target Target, l Limits) error {
	return s.mayDo(actionIDOf(a, target), l)
}

// MayDoChain is MayDo for a chain that begins with the action.
func (s State) MayDoChain(first action.Action, target Target, items []ChainItem, l Limits) error {
	return s.mayDo(actionIDOf(first, target).withChain(items), l)
}

func (s State) mayDo(id actionID, l Limits) error {
	trail := append(s.sinceReply(), actionOnPage{id, s.Observed.place()})
	switch n := l.MaxRepeats + 1; {
	case repeats(trail, 1, n):
		return domain.Errorf(domain.Invalid, domain.CodeLoop,
			"I did the same %d times in a row (%s), and the page stayed as it was", l.MaxRepeats, trail[len(trail)-1].action)
	case repeats(trail, 2, l.MaxRounds+1) && trail[len(trail)-1].place.URL != trail[len(trail)-2].place.URL:
		return domain.Errorf(domain.Invalid, domain.CodeLoop,
			"I keep going back and forth between two pages (%s)", describeActions(trail[len(trail)-2:]))
	}
	for around := 2; around <= maxCircle; around++ {
		if repeats(trail, around, l.MaxRounds+1) {
			return domain.Errorf(domain.Invalid, domain.CodeLoop,
				"I keep doing the same %d things in turn (%s)", around, describeActions(trail[len(trail)-around:]))
		}
	}
	return nil
}

// maxCircle is the longest circle recognised by its actions. MayGoOn ends longer
// ones, since they find nothing new for too long.
const maxCircle = 6

// actionOnPage is an attempt as circles are recognised by it.
type actionOnPage struct {
	action actionID
	place  Place
}

// sinceReply returns the attempts since the user last replied, oldest first.
func (s State) sinceReply() []actionOnPage {
	var out []actionOnPage
	for _, a := range s.attemptsByAge()[s.AttemptsBeforeReply:] {
		act, err := action.Parse(a.Action)
		if err != nil { // erased: like nothing else
			act = action.Action{}
		}
		id := actionIDOf(act, a.Target)
		for _, l := range a.Chain {
			id = id.with(l.ChainItem)
		}
		out = append(out, actionOnPage{id, a.On})
	}
	return out
}

// attemptsByAge returns the attempts of all steps, oldest first. Steps alone do not
// give the order: a step that is corrected moves behind the looks made since.
func (s State) attemptsByAge() []Attempt {
	var out []Attempt
	for _, step := range s.Steps {
		out = append(out, step.Attempts...)
	}
	slices.SortStableFunc(out, func(a, b Attempt) int { return a.Turn - b.Turn })
	return out
}

// actionID identifies an action by what it does. The element's id, which may change
// between turns, counts only if nothing else is known of the element.
type actionID struct {
	kind       action.Name
	target     reasoning.Target
	elementKey string
	text       string
	seconds    float64
	chain      string // what a chain does, "" for a single action
}

// withChain is the id of a chain that begins with the action.
func (d actionID) withChain(items []ChainItem) actionID {
	for _, i := range items {
		d = d.with(i)
	}
	return d
}

func (d actionID) with(i ChainItem) actionID {
	a, _ := action.Parse(i.Action)
	next := actionIDOf(a, i.Target)
	d.chain += fmt.Sprintf("%s %q %q %q\n", next.kind, next.target.Name, next.elementKey, next.text)
	return d
}

func actionIDOf(a action.Action, t Target) actionID {
	d := actionID{kind: a.Name, target: t.Target, elementKey: t.Key, text: a.Text + a.To, seconds: a.Seconds}
	if d.elementKey == "" && d.target == (reasoning.Target{}) {
		d.elementKey = a.Target
	}
	return d
}

// String describes the action for the user.
func (d actionID) String() string {
	on := page.Describe(page.Element{Role: d.target.Role, Name: d.target.Name})
	switch d.kind {
	case action.Click:
		return "clicking " + on
	case action.SetValue:
		return "filling in " + on
	case action.Press:
		return "pressing " + d.text
	case action.Type:
		return "typing " + on
	case action.VerifySuccess:
		return "checking whether it is done"
	}
	return strings.TrimSpace(string(d.kind) + " " + on)
}

func describeActions(trail []actionOnPage) string {
	var words []string
	for _, f := range trail {
		words = append(words, f.action.String())
	}
	return strings.Join(words, ", then ")
}

// repeats reports whether the actions end with the same few, repeated so many times,
// on pages that mean the same. Going back and forth between two pages by two actions, it
// suffices if one of them means the same each time and the other has the same URL: a
// clock or a visit counter is no progress. One action again and again leads on where the
// pages differ, though every second may look alike, as months do.
func repeats(trail []actionOnPage, around, times int) bool {
	n := around * times
	if n > len(trail) {
		return false
	}
	tail := trail[len(trail)-n:]
	alternates := around == 2 && tail[0].action != tail[1].action
	var changed [2]bool
	for i, f := range tail[:n-around] {
		next := tail[i+around]
		switch {
		case f.action != next.action || f.action.kind == "":
			return false
		case f.place.same(next.place):
		case alternates && f.place.URL != "" && f.place.URL == next.place.URL:
			changed[i%2] = true
		default:
			return false
		}
	}
	return !changed[0] || !changed[1]
}

// foundNothingNew reports whether a success led to nothing new: no part of the task
// was completed, and an action had been decided on a page of the same meaning and the
// same words before the attempt.
func (s State) foundNothingNew(e ActionVerified, of Attempt) bool {
	if e.TaskCompleted || e.SubTaskCompleted != nil && *e.SubTaskCompleted {
		return false
	}
	for _, step := range s.Steps {
		for _, a := range step.Attempts {
			if a.Turn <= of.Turn && a.On.shows(s.Observed.place()) {
				return true
			}
		}
	}
	return false
}

// idleAfter returns Idle after a verdict on an attempt. Undecided verdicts,
// confirmations and looks at the page are not expected to bring anything new.
func (s State) idleAfter(e ActionVerified, a Attempt) int {
	_, waits := s.newestAction()
	switch {
	case e.Undecided, a.Kind == action.VerifySuccess, a.Kind.LooksOnly() && waits:
		return s.Idle
	case !e.Succeeded || !s.foundNothingNew(e, a):
		return 0
	}
	return s.Idle + 1
}

// countAttempts counts the attempts of all steps.
func (s State) countAttempts() (n int) {
	for _, step := range s.Steps {
		n += len(step.Attempts)
	}
	return n
}

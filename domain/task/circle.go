package task

import (
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

// Place is the page an attempt was decided on: what it means, and its address.
type Place struct {
	Meaning string `json:"meaning,omitempty"`
	URL     string `json:"url,omitempty"`
}

// same holds for pages that mean the same. Of a page without a reading nobody
// knows.
func (p Place) same(o Place) bool { return p.Meaning != "" && p.Meaning == o.Meaning }

func (o Observed) place() Place { return Place{o.MeaningHash, o.URL} }

// MayDo refuses an action that would close a circle: the same one again and again
// on a page that stays what it was, or a few in turn, going round. The error says
// so for the user.
func (s State) MayDo(a action.Action, target Target, l Limits) error {
	trail := append(s.trail(), footstep{deedOf(a, target), s.Observed.place()})
	switch n := l.MaxRepeats + 1; {
	case returns(trail, 1, n):
		return domain.Errorf(domain.Invalid, domain.CodeLoop,
			"I did the same %d times in a row (%s), and the page stayed as it was", l.MaxRepeats, trail[len(trail)-1].deed)
	case returns(trail, 2, l.MaxRounds+1) && trail[len(trail)-1].place.URL != trail[len(trail)-2].place.URL:
		return domain.Errorf(domain.Invalid, domain.CodeLoop,
			"I keep going back and forth between two pages (%s)", inTurn(trail[len(trail)-2:]))
	}
	for around := 2; around <= maxAround; around++ {
		if returns(trail, around, l.MaxRounds+1) {
			return domain.Errorf(domain.Invalid, domain.CodeLoop,
				"I keep doing the same %d things in turn (%s)", around, inTurn(trail[len(trail)-around:]))
		}
	}
	return nil
}

// maxAround is the longest circle that is recognised by its actions. Longer ones
// bring nothing new for so long that MayGoOn ends them.
const maxAround = 6

// footstep is an attempt as a circle shows it.
type footstep struct {
	deed  deed
	place Place
}

// trail are the attempts since the user last spoke, oldest first.
func (s State) trail() []footstep {
	var out []footstep
	for _, a := range s.byAge()[s.Heard:] {
		act, err := action.Parse(a.Action)
		if err != nil { // erased: like nothing else
			act = action.Action{}
		}
		out = append(out, footstep{deedOf(act, a.Target), a.On})
	}
	return out
}

// byAge are the attempts of all steps, oldest first. A step whose correction came
// after looks at the page stands behind them, with its older attempts too.
func (s State) byAge() []Attempt {
	var out []Attempt
	for _, step := range s.Steps {
		out = append(out, step.Attempts...)
	}
	slices.SortStableFunc(out, func(a, b Attempt) int { return a.Turn - b.Turn })
	return out
}

// deed is an action by what it is for. The id of an element is no part of it,
// unless there is nothing else to tell it by: ids move.
type deed struct {
	kind    action.Name
	target  reasoning.Target
	key     string
	text    string
	seconds float64
}

func deedOf(a action.Action, t Target) deed {
	d := deed{a.Name, t.Target, t.Key, a.Text, a.Seconds}
	if d.key == "" && d.target == (reasoning.Target{}) {
		d.key = a.Target
	}
	return d
}

// String is the deed as a person would say it.
func (d deed) String() string {
	on := page.Describe(page.Element{Role: d.target.Role, Name: d.target.Name})
	switch d.kind {
	case action.Click:
		return "clicking " + on
	case action.SetValue:
		return "filling in " + on
	case action.Press:
		return "pressing " + d.text
	case action.VerifySuccess:
		return "checking whether it is done"
	}
	return strings.TrimSpace(string(d.kind) + " " + on)
}

func inTurn(trail []footstep) string {
	var words []string
	for _, f := range trail {
		words = append(words, f.deed.String())
	}
	return strings.Join(words, ", then ")
}

// returns reports whether a trail ends with the same few footsteps, gone round
// so many times. Of two pages gone back and forth between it suffices that one
// means the same each time, if the other has the same address: a clock or a count
// of visits makes no progress.
func returns(trail []footstep, around, times int) bool {
	n := around * times
	if n > len(trail) {
		return false
	}
	tail := trail[len(trail)-n:]
	var changed [2]bool
	for i, f := range tail[:n-around] {
		next := tail[i+around]
		switch {
		case f.deed != next.deed || f.deed.kind == "":
			return false
		case f.place.same(next.place):
		case around == 2 && f.place.URL != "" && f.place.URL == next.place.URL:
			changed[i%2] = true
		default:
			return false
		}
	}
	return !changed[0] || !changed[1]
}

// broughtNothing reports whether a good verdict found nothing new: no part of the
// task completed, and a page whose meaning the task has acted on up to the attempt.
// What was looked at since is what the attempt may have brought.
func (s State) broughtNothing(e ActionVerified, of Attempt) bool {
	if e.TaskCompleted || e.SubTaskCompleted != nil && *e.SubTaskCompleted {
		return false
	}
	for _, step := range s.Steps {
		for _, a := range step.Attempts {
			if a.Turn <= of.Turn && a.On.same(s.Observed.place()) {
				return true
			}
		}
	}
	return false
}

// idleAfter is Idle after a verdict on an attempt. What is not decided, and a look at
// the page, whether all is done or whether the last action worked, are no steps that
// could have brought anything.
func (s State) idleAfter(e ActionVerified, a Attempt) int {
	_, waits := s.newestAction()
	switch {
	case e.Undecided, a.Kind == action.VerifySuccess, a.Kind.LooksOnly() && waits:
		return s.Idle
	case !e.Succeeded || !s.broughtNothing(e, a):
		return 0
	}
	return s.Idle + 1
}

// attempts counts those of all steps.
func (s State) attempts() (n int) {
	for _, step := range s.Steps {
		n += len(step.Attempts)
	}
	return n
}

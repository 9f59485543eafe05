package verdicts

import (
	"slices"
	"testing"
)

// TestCommitted holds what the committed set promises: who measures with it
// relies on that.
func TestCommitted(t *testing.T) {
	t.Parallel()
	pages, err := Find("../../../verdicts")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*tally{Train: newTally(), Test: newTally()}
	var all []Judged
	names := map[string]string{}
	for _, p := range pages {
		split, ok := of[p.Split]
		if !ok {
			t.Fatalf("%s is in no split", p.ID())
		}
		if other, twice := names[p.Name]; twice {
			t.Errorf("%s is also %s: a page held out must not be one rules are written with", p.ID(), other)
		}
		names[p.Name] = p.ID()
		recorded, err := p.Recorded()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, inStep(t, p, recorded)...)
		split.add(p, recorded)
	}
	whole := newTally()
	least := map[string][2]int{"train": {340, 7900}, "test": {23, 460}}
	for name, split := range of {
		split.promises(t, name, least[name][0], least[name][1])
		whole.join(split)
	}
	whole.promises(t, "the set", 42, 1000)
	for _, kind := range wantedKinds {
		if !whole.kinds[kind] {
			t.Errorf("no case is of the kind %q", kind)
		}
	}
	everyRuleIsNeeded(t, all)
}

// everyRuleIsNeeded holds the rules to what the recorded cases say for them: enough
// pages by more than one hand need each, and its example is one of them.
func everyRuleIsNeeded(t *testing.T, all []Judged) {
	t.Helper()
	of := map[string]Judged{}
	for _, j := range all {
		of[j.ID()] = j
	}
	for _, s := range SupportOf(all) {
		if s.UnderTheBar() {
			t.Errorf("%s: %d cases on %d pages by %d hands need it", s.ID, s.Cases, s.Pages, s.Hands)
		}
		if j, ok := of[s.Example]; s.Cases > 0 && (!ok || !spoke(s.Row, j)) {
			t.Errorf("%s: its example %q is judged by %q, %q", s.ID, s.Example, j.Verdict.Rule, j.Verdict.Veto)
		}
	}
}

// inStep reports cases that were never recorded, are no more, or cannot be
// judged any more, and gives the verdicts.
func inStep(t *testing.T, p Page, recorded []Recorded) (judged []Judged) {
	t.Helper()
	var written, driven []string
	for _, c := range p.Cases {
		written = append(written, c.Name)
	}
	for _, r := range recorded {
		driven = append(driven, r.Name)
		if r.Page != p.Name || r.Split != p.Split {
			t.Errorf("%s: the recording of %s says it is of %s", p.ID(), r.Name, r.ID())
		}
	}
	for _, r := range recorded {
		j, err := Judge(t.Context(), r)
		if err != nil {
			t.Error(err)
		}
		j.Hand = p.Hand
		judged = append(judged, j)
	}
	if !slices.Equal(written, driven) {
		t.Errorf("%s is not recorded as written (make verdicts-record):\nwritten  %q\nrecorded %q", p.ID(), written, driven)
	}
	return judged
}

// tally counts a part of the set.
type tally struct {
	pages, foreign, cases, failures int
	kinds                           map[string]bool
}

func newTally() *tally { return &tally{kinds: map[string]bool{}} }

func (y *tally) add(p Page, recorded []Recorded) {
	y.pages++
	if p.Language != "en" {
		y.foreign++
	}
	y.cases += len(recorded)
	for _, r := range recorded {
		y.kinds[r.Kind] = true
		if !r.Worked {
			y.failures++
		}
	}
}

func (y *tally) join(z *tally) {
	y.pages, y.foreign, y.cases, y.failures = y.pages+z.pages, y.foreign+z.foreign, y.cases+z.cases, y.failures+z.failures
	for kind := range z.kinds {
		y.kinds[kind] = true
	}
}

func (y *tally) promises(t *testing.T, name string, pages, cases int) {
	t.Helper()
	if y.pages < pages || y.cases < cases {
		t.Errorf("%s has %d cases on %d pages, promised are %d on %d", name, y.cases, y.pages, cases, pages)
	}
	if 100*y.failures < 40*y.cases {
		t.Errorf("of the %d cases of %s only %d did not work", y.cases, name, y.failures)
	}
	if 3*y.foreign < y.pages {
		t.Errorf("of the %d pages of %s only %d are in another language than English", y.pages, name, y.foreign)
	}
}

// wantedKinds are those without which the set would not be what it says.
var wantedKinds = []string{
	"click did nothing", "navigated", "menu opened", "silent validation error", "success text over a failed request",
	"date picker paged four times", "master checkbox", "vanishing toast", "spinner captured too early", "page changes on its own",
	"SPA route change", "download", "value reverted at once", "value reverted after a moment", "checkbox toggled twice",
	"same-url form post", "modal opened", "modal not opened", "modal closed", "infinite list", "load more",
}

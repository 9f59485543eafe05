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
		inStep(t, p, recorded)
		split.add(p, recorded)
	}
	all := newTally()
	least := map[string][2]int{"train": {340, 7900}, "test": {23, 460}}
	for name, split := range of {
		split.promises(t, name, least[name][0], least[name][1])
		all.join(split)
	}
	all.promises(t, "the set", 42, 1000)
	for _, kind := range wantedKinds {
		if !all.kinds[kind] {
			t.Errorf("no case is of the kind %q", kind)
		}
	}
}

// inStep reports cases that were never recorded, are no more, or cannot be
// judged any more.
func inStep(t *testing.T, p Page, recorded []Recorded) {
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
		if _, err := Judge(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(written, driven) {
		t.Errorf("%s is not recorded as written (make verdicts-record):\nwritten  %q\nrecorded %q", p.ID(), written, driven)
	}
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

package projections_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/skills"
)

// corrected is a task that teaches a skill; all its texts hold the word.
func corrected(e *projtest.Env, session, word string) *projtest.Task {
	k := e.Task(session, "https://"+word+".example/", "add "+word)
	save, other := projtest.Target("1", "button", "Save "+word), projtest.Target("2", "button", "Store "+word)
	k.Turn(k.URL).Act(projtest.Click("1"), save).End()
	k.Turn(k.URL).Verdict(false).Correct("ALTERNATIVE_SELECTOR", projtest.Click("2"), other).End()
	return k.Turn(k.URL).Verdict(true).Ask("Which " + word + "?").End()
}

// What is left of an erased task is the same for tables that had its texts and for tables
// that are built without the key.
func TestRunner_ErasedTasks(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Story(3, 60)
	alone, shared := e.Session(), e.Session()
	lonely, first, second := corrected(e, alone, "zanzibar"), corrected(e, shared, "zerzura"), corrected(e, shared, "thule")
	e.CatchUp(all...)
	for _, p := range all {
		if rows := e.Dump(p); p.Name == "sessions" && !strings.Contains(rows, "zanzibar") {
			t.Fatal("there is nothing to erase")
		}
	}
	for _, k := range []*projtest.Task{lonely, first} {
		k.Erase()
		e.Keys.Drop(k.ID)
	}
	e.CatchUp(all...)
	for _, p := range all {
		rows := e.Dump(p)
		for _, word := range []string{"zanzibar", "zerzura"} {
			if strings.Contains(rows, word) {
				t.Errorf("%s: %q is left in %s", p.Name, word, rows)
			}
		}
		if kept := p.Name == "sessions" || p.Name == "tasks" || p.Name == "skills"; kept && !strings.Contains(rows, "thule") {
			t.Errorf("%s: what was not erased is gone", p.Name)
		}
	}
	second.Turn("https://thule.example/").Complete("done")
	e.CatchUp(all...)
	live := dumps(e)
	fresh := projtest.New(t)
	fresh.Store, fresh.Keys = e.Store, e.Keys
	fresh.CatchUp(all...)
	if diff := cmp.Diff(live, dumps(fresh)); diff != "" {
		t.Errorf("tables that had the texts and tables built without the keys (-had +without):\n%s", diff)
	}
}

// What is put aside of a task is not kept back from its erasure.
func TestRunner_ErasureOfAParkedStream(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := corrected(e, e.Session(), "zanzibar")
	e.Keys.Spoil(k.ID)
	e.CatchUp(skills.Projection)
	if n := e.Count(`select count(*) from read.parked`); n == 0 {
		t.Fatal("nothing was put aside")
	}
	e.Keys.Mend()
	k.Erase()
	e.CatchUp(skills.Projection)
	if n := e.Count(`select count(*) from read.parked`); n != 0 {
		t.Errorf("%d events are still put aside", n)
	}
	if h, err := projections.NewRunner(e.Config(skills.Projection)).Health(t.Context()); err != nil || h[0].Parked != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

// A task whose stream nothing was kept of is erased all the same.
func TestRunner_ErasureWithoutRows(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Task(e.Session(), "https://a.example/", "x").Erase()
	e.CatchUp(all...)
	if n := e.Count(`select count(*) from read.parked`); n != 0 {
		t.Errorf("%d events were put aside", n)
	}
}

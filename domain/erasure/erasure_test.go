package erasure_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/erasure"
)

var (
	noon      = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	requested = erasure.ErasureRequested{
		Erasure: erasure.ID("acme", erasure.User, "jo"), Tenant: "acme", Kind: erasure.User, Subject: "jo", By: "ann", Reason: erasure.Asked, At: noon,
	}
	report = erasure.Report{
		Erased: []erasure.Count{{Store: "content", What: "data keys", Count: 2}},
		Kept:   []erasure.Kept{{Store: "log", What: "model calls and their bills", Why: "the accounts are kept, without a text"}},
	}
	completed = erasure.ErasureCompleted{Erasure: requested.Erasure, At: noon.Add(time.Minute), Report: report}
	again     = erasure.ErasureCompleted{Erasure: requested.Erasure, At: noon.Add(time.Minute), Again: true, Report: report}
)

func TestDecide(t *testing.T) {
	t.Parallel()
	nothing := erasure.Report{Erased: []erasure.Count{{Store: "content", What: "data keys"}}}
	ask := func(change func(*erasure.ErasureRequested)) erasure.Request {
		r := requested
		r.Erasure = ""
		change(&r)
		return erasure.Request{Requested: r}
	}
	same := func(*erasure.ErasureRequested) {}
	done := erasure.Complete{Erasure: requested.Erasure, At: completed.At, Report: report}
	for _, c := range []struct {
		name  string
		given []erasure.Event
		when  erasure.Command
		then  []erasure.Event
		err   domain.Kind
	}{
		{name: "somebody is to be forgotten", when: ask(same), then: []erasure.Event{requested}},
		{name: "asking again changes nothing", given: []erasure.Event{requested}, when: ask(same)},
		{
			name: "asking again by another, for another reason, changes nothing", given: []erasure.Event{requested, completed},
			when: ask(func(r *erasure.ErasureRequested) { r.By, r.Reason, r.At = "eve", erasure.Law, noon.Add(time.Hour) }),
		},
		{name: "it is done", given: []erasure.Event{requested}, when: done, then: []erasure.Event{completed}},
		{name: "it is done though nothing was there", given: []erasure.Event{requested}, when: erasure.Complete{Erasure: requested.Erasure, At: completed.At, Report: nothing}, then: []erasure.Event{
			erasure.ErasureCompleted{Erasure: requested.Erasure, At: completed.At, Report: nothing},
		}},
		{name: "something was left", given: []erasure.Event{requested, completed}, when: done, then: []erasure.Event{again}},
		{name: "nothing was left", given: []erasure.Event{requested, completed}, when: erasure.Complete{Erasure: requested.Erasure, Report: nothing}},
		{
			name: "a backup was restored", given: []erasure.Event{requested, completed},
			when: erasure.Complete{Erasure: requested.Erasure, At: completed.At, Report: report, Restored: true}, then: []erasure.Event{again},
		},
		{name: "nobody asked for it", when: done, err: domain.Conflict},
		{name: "an unknown kind", when: ask(func(r *erasure.ErasureRequested) { r.Kind = "planet" }), err: domain.Invalid},
		{name: "a reason in words of one's own", when: ask(func(r *erasure.ErasureRequested) { r.Reason = "Jo asked me on the phone" }), err: domain.Invalid},
		{name: "another tenant", when: ask(func(r *erasure.ErasureRequested) { r.Kind, r.Subject = erasure.Tenant, "globex" }), err: domain.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := erasure.Decide(c.when, erasure.Decider.Fold(erasure.State{}, c.given...))
			if domain.KindOf(err) != c.err {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.then, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestState_InOrder(t *testing.T) {
	t.Parallel()
	later := requested
	later.Erasure, later.Subject, later.At = "0", "ann", noon.Add(time.Hour)
	first := erasure.Decider.Fold(erasure.State{}, later)
	both := erasure.Decider.Fold(first, requested, completed)
	got := both.InOrder()
	if len(got) != 2 || got[0].Subject != "jo" || got[0].Completed == nil || got[1].Completed != nil {
		t.Errorf("%+v", got)
	}
	if len(first.Erasures) != 1 {
		t.Error("a state was changed in place")
	}
}

// Files are added, never edited.
func TestEvents_frozenSamplesAreReadForEver(t *testing.T) {
	t.Parallel()
	want := map[string]erasure.Event{erasure.NameErasureRequested: requested, erasure.NameErasureCompleted: again}
	for _, name := range erasure.Codec.Names() {
		data, err := os.ReadFile(filepath.Join("testdata", "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := erasure.Codec.Decode(name, data, "id", nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[name], got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

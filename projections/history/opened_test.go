package history_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// What is held changes no answer: each is that of a reader that holds nothing, also of many
// at once, after further events and after an erasure; and it is no other tenant's.
func TestOpened(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := e.Task(e.Session(), url, "Save it for Jas, hunter2zz").Turn(url).
		Act(projtest.Click("1"), projtest.Target("1", "button", "Save")).Typed("hunter2zz").Turn(url).Verdict(false).
		Correct("ALTERNATIVE_SELECTOR", projtest.Click("2"), projtest.Target("2", "button", "Save all")).End()
	plain := history.Reader{Log: e.Store, Keys: e.Keys}
	holding := plain
	holding.Opened = &history.Opened{}
	same := func(when string) (shown string) {
		t.Helper()
		newest, err := plain.StateAt(t.Context(), projtest.Tenant, k.ID, history.Latest)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			for revision := range newest.Head + 1 {
				wg.Go(func() {
					want, err := plain.StateAt(t.Context(), projtest.Tenant, k.ID, revision)
					if err != nil {
						t.Error(err)
					}
					got, err := holding.StateAt(t.Context(), projtest.Tenant, k.ID, revision)
					if diff := cmp.Diff(want, got); diff != "" || err != nil {
						t.Errorf("%s, revision %d: %v (-not held +held):\n%s", when, revision, err, diff)
					}
				})
			}
		}
		wg.Wait()
		if _, err := holding.StateAt(t.Context(), "globex", k.ID, 0); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%s another tenant is told %v", when, err)
		}
		return string(newest.State)
	}
	if shown := same("at first"); !strings.Contains(shown, "Jas") || strings.Contains(shown, "hunter2zz") {
		t.Errorf("the state is %s", shown)
	}
	k.Turn(url).Append(task.UserInputProvided{Turn: 3, Text: "It is Save all", Secrets: []string{"Save all"}}).End()
	if shown := same("after a secret that became known later"); strings.Contains(shown, "Save all") {
		t.Errorf("the state is %s", shown)
	}
	e.Keys.Drop(k.ID)
	if shown := same("after an erasure"); strings.Contains(shown, "Jas") || !strings.Contains(shown, domain.Erased) {
		t.Errorf("the state is %s", shown)
	}
}

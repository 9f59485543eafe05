package page_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
)

var isSo, isNot = new(true), new(false)

func TestWitness_Since(t *testing.T) {
	t.Parallel()
	failure := &page.ActionError{Message: "it is gone", Code: "ELEMENT_NOT_FOUND"}
	refused := page.Refusal{Method: "POST", Path: "/orders", Status: 500}
	for _, c := range []struct {
		name               string
		first, later, want page.Witness
	}{
		{"nothing and nothing", page.Witness{}, page.Witness{}, page.Witness{}},
		{"yes stays yes", page.Witness{NetworkOccurred: isSo}, page.Witness{NetworkOccurred: isNot}, page.Witness{NetworkOccurred: isSo}},
		{"yes comes later", page.Witness{DOMMutated: isNot}, page.Witness{DOMMutated: isSo}, page.Witness{DOMMutated: isSo}},
		{"no and no", page.Witness{URLChanged: isNot}, page.Witness{URLChanged: isNot}, page.Witness{URLChanged: isNot}},
		{"no, and then nobody says", page.Witness{NetworkOccurred: isNot}, page.Witness{}, page.Witness{}},
		{"nobody says, and then no", page.Witness{}, page.Witness{NetworkOccurred: isNot}, page.Witness{}},
		{"the report on the action is the first one's",
			page.Witness{Status: "failure", Result: "r", Error: failure, RecoveredID: "3", RecoveredFrom: "2", Chain: &page.ChainProgress{LastExecuted: 1}},
			page.Witness{Status: "success", Result: "waited", Error: &page.ActionError{Code: "X"}, RecoveredID: "9", Chain: &page.ChainProgress{LastExecuted: 5}},
			page.Witness{Status: "failure", Result: "r", Error: failure, RecoveredID: "3", RecoveredFrom: "2", Chain: &page.ChainProgress{LastExecuted: 1}}},
		{"a report on a look is none on the action", page.Witness{}, page.Witness{Status: "failure", Error: failure}, page.Witness{}},
		{"what is pending is the later one's", page.Witness{Pending: new(2)}, page.Witness{Pending: new(0)}, page.Witness{Pending: new(0)}},
		{"or not known", page.Witness{Pending: new(2)}, page.Witness{}, page.Witness{}},
		{"counts are added", page.Witness{Direct: new(1), ScriptErrors: new(2), Added: 3, Removed: 1}, page.Witness{ScriptErrors: new(1), Added: 1},
			page.Witness{Direct: new(1), ScriptErrors: new(3), Added: 4, Removed: 1}},
		{"refused requests of both", page.Witness{Refused: []page.Refusal{refused}}, page.Witness{Refused: []page.Refusal{{Status: 404}}}, page.Witness{Refused: []page.Refusal{refused, {Status: 404}}}},
		{"each message once", page.Witness{ErrorsDetected: []string{"a", "b"}, SuccessMessages: []string{"s"}}, page.Witness{ErrorsDetected: []string{"b", "c"}, RecentEvents: []string{"e"}},
			page.Witness{ErrorsDetected: []string{"a", "b", "c"}, SuccessMessages: []string{"s"}, RecentEvents: []string{"e"}}},
		{"the newest word of the sentinel", page.Witness{SentinelPassed: isNot, SentinelMessage: "not there"}, page.Witness{SentinelPassed: isSo, SentinelMessage: "there"},
			page.Witness{SentinelPassed: isSo, SentinelMessage: "there"}},
		{"a list that opened", page.Witness{DropdownOpened: true, DropdownOptions: []string{"N"}}, page.Witness{DropdownOptions: []string{"S"}}, page.Witness{DropdownOpened: true, DropdownOptions: []string{"N", "S"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, c.first.FollowedBy(c.later)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWitness_Saying(t *testing.T) {
	t.Parallel()
	w := page.Witness{ErrorsDetected: []string{"not saved"}}
	got := w.WithAlerts([]page.Alert{
		{Kind: page.AlertError, Text: "not saved"}, {Kind: page.AlertError, Text: "try again"}, {Kind: page.AlertSuccess, Text: "saved"}, {Kind: page.AlertOther, Text: "hello"},
	})
	want := page.Witness{ErrorsDetected: []string{"not saved", "try again"}, SuccessMessages: []string{"saved"}, RecentEvents: []string{"hello"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(page.Witness{ErrorsDetected: []string{"not saved"}}, w); diff != "" {
		t.Errorf("it was changed in place: %s", diff)
	}
}

func TestWitness_Silent(t *testing.T) {
	t.Parallel()
	quiet := page.Witness{NetworkOccurred: isNot, DOMMutated: isNot, URLChanged: isNot, Pending: new(0)}
	for _, c := range []struct {
		name string
		w    page.Witness
		want bool
	}{
		{"it says so of everything", quiet, true},
		{"it says so of what counts", page.Witness{NetworkOccurred: isNot, DOMMutated: isNot}, true},
		{"it says nothing", page.Witness{}, false},
		{"it says nothing of requests", page.Witness{DOMMutated: isNot, URLChanged: isNot}, false},
		{"it says nothing of the page", page.Witness{NetworkOccurred: isNot}, false},
		{"a request was made", page.Witness{NetworkOccurred: isSo, DOMMutated: isNot}, false},
		{"something moved", page.Witness{NetworkOccurred: isNot, DOMMutated: isSo}, false},
		{"an address was opened", page.Witness{NetworkOccurred: isNot, DOMMutated: isNot, URLChanged: isSo}, false},
		{"a request has no answer yet", page.Witness{NetworkOccurred: isNot, DOMMutated: isNot, Pending: new(1)}, false},
		{"silent twice", quiet.FollowedBy(quiet), true},
		{"silent once, and then it does not say", quiet.FollowedBy(page.Witness{}), false},
		{"silent only later", page.Witness{}.FollowedBy(quiet), false},
		{"a request in between", quiet.FollowedBy(page.Witness{NetworkOccurred: isSo, DOMMutated: isNot}).FollowedBy(quiet), false},
		{"something was refused", page.Witness{NetworkOccurred: isNot, DOMMutated: isNot, Refused: []page.Refusal{{Status: 500}}}, false},
	} {
		if got := c.w.SawNoEffect(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func anyReport(t *rapid.T) page.Witness {
	said := func(what string) *bool { return rapid.SampledFrom([]*bool{nil, isSo, isNot}).Draw(t, what) }
	texts := func(what string) []string {
		return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 4).Draw(t, what)
	}
	return page.Witness{
		NetworkOccurred: said("network"), DOMMutated: said("mutated"), URLChanged: said("url"), HasErrors: said("errors"),
		ErrorsDetected: texts("error texts"), RecentEvents: texts("events"), Added: rapid.IntRange(0, 3).Draw(t, "added"),
	}
}

// In whatever order reports are put together, the same has been seen; what was heard
// is heard; and neither report is changed.
func TestWitness_Since_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyReport(t), anyReport(t), anyReport(t)
		was := a.FollowedBy(page.Witness{}) // a copy of what it says
		if diff := cmp.Diff(a.FollowedBy(b).FollowedBy(c), a.FollowedBy(b.FollowedBy(c)), cmp.Transformer("set", func(s []string) map[string]bool {
			set := map[string]bool{}
			for _, e := range s {
				set[e] = true
			}
			return set
		})); diff != "" {
			t.Fatal(diff)
		}
		all := a.FollowedBy(b).FollowedBy(c)
		for _, w := range []page.Witness{a, b, c} {
			for _, text := range w.ErrorsDetected {
				if !slices.Contains(all.ErrorsDetected, text) {
					t.Fatalf("%q was not heard", text)
				}
			}
			if all.SawNoEffect() && !w.SawNoEffect() {
				t.Fatalf("silent, and once not: %+v", w)
			}
		}
		if diff := cmp.Diff(was, a.FollowedBy(page.Witness{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A client that talks without end is heard to a bound, the newest last.
func TestWitness_Since_isBounded(t *testing.T) {
	t.Parallel()
	var w page.Witness
	for i := range 200 {
		w = w.FollowedBy(page.Witness{RecentEvents: []string{strconv.Itoa(i)}, Refused: []page.Refusal{{Status: 400 + i}}})
	}
	if n := len(w.RecentEvents); n > 50 || w.RecentEvents[n-1] != "199" || len(w.Refused) > 50 {
		t.Errorf("%d events up to %s, %d refused", n, w.RecentEvents[n-1], len(w.Refused))
	}
}

package agentbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/runner"
)

// TestReport counts a few episodes of two sets.
func TestReport(t *testing.T) {
	t.Parallel()
	episode := func(set, task, end string, status runner.Status, requests, actions int, truth Truth) Episode {
		return Episode{
			Set: set, Task: task, Words: "Click the button.", End: end, Status: status, Requests: requests, Actions: actions, Truth: truth,
		}
	}
	all := []Episode{
		episode("pages", "press", Solved, runner.Stopped, 1, 1, Truth{Solved: true, Over: true}),
		episode("pages", "press", Wrong, runner.Stopped, 2, 1, Truth{Over: true}),
		episode("pages", "type", Wrong, runner.Completed, 4, 3, Truth{Over: true}), // it ended while the agent said it was done
		episode("apps", "press", Solved, runner.Asked, 4, 3, Truth{Solved: true, Changed: []string{"notes"}}),
		episode("apps", "tidy", FalseDone, runner.Completed, 7, 8, Truth{Changed: []string{"notes", "user"}}),
		episode("apps", "idle", Solved, runner.Failed, 3, 0, Truth{Solved: true}),
	}
	var out strings.Builder
	if err := Report(&out, all, Goal{"pages", 50}, Goal{"apps", 20}, Goal{"gone", 10}); err != nil {
		t.Fatal(err)
	}
	want := `task   solved  requests  the others
press  1/2     1.5       wrong 1
type   0/1     4         wrong 1
press  1/1     4         
tidy   0/1     7         false done 1
idle   1/1     3         
BAR agent.pages_pct ours=33.333 ref=50.000 ratio=0.667 unit=%
BAR agent.apps_pct ours=66.667 ref=20.000 ratio=3.333 unit=%
all: 3/6 solved, requests 3.5: wrong 2, false done 1
BAR agent.requests_per_episode ours=3.000 ref=2.500 ratio=1.200 unit=requests
BAR agent.requests_per_episode_all ours=3.500 ref=2.500 ratio=1.400 unit=requests
BAR agent.false_done_pct ours=33.333 ref=2.000 ratio=16.667 unit=%
BAR agent.wrong_target_pct ours=12.500 ref=1.000 ratio=12.500 unit=%
BAR agent.asked_pct ours=16.667 ref=100.000 ratio=0.167 unit=%
BAR agent.holes_pct ours=0.000 ref=100.000 ratio=0.000 unit=%
BAR agent.changed_unasked ours=1.000 ref=1.000 ratio=1.000 unit=episodes
changed unasked: tidy (false done): notes, user
held already, and counts as solved: idle
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestEnding asks which of several ways to end counts.
func TestEnding(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		truth  Truth
		status runner.Status
		cause  error
		want   string
	}{
		"solved, though it asked":             {Truth{Solved: true}, runner.Asked, nil, Solved},
		"ended by the page without a reward":  {Truth{Over: true}, runner.Stopped, errOver, Wrong},
		"done, as it says":                    {Truth{}, runner.Completed, nil, FalseDone},
		"given up":                            {Truth{}, runner.Failed, nil, Failed},
		"asked":                               {Truth{}, runner.Asked, nil, Asked},
		"one action more than allowed":        {Truth{}, runner.Stopped, errUsedUp, UsedUp},
		"out of time":                         {Truth{}, runner.Stopped, errTime, TimedOut},
		"out of time before the first answer": {Truth{}, runner.NotStarted, errTime, TimedOut},
		"without its browser":                 {Truth{}, runner.BrokenOff, nil, Lost},
		"stopped from outside":                {Truth{}, runner.Stopped, context.Canceled, Lost},
	}
	for name, tt := range tests {
		if got := ending(tt.truth, tt.status, tt.cause); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := Tell(&out, Episode{
		Task: "press", Seed: 3, Words: "Press it.", End: Lost, Status: runner.BrokenOff, Requests: 2, Actions: 1, Seconds: 1.25, Error: "no page",
		Steps: []Step{{
			Thought: "I press it.", Actions: []string{`click("1")`}, Element: `button "It"`, Again: "RETRY", Refused: "OCCLUDED", Verdict: "failed: nothing happened",
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `
press seed 3: Press it.
   1  I press it.
      click("1")  on button "It"  (another way: RETRY)  refused: OCCLUDED
      failed: nothing happened
   => lost after 2 requests, 1 actions, 1.2 s; it says broken_off
      error: no page
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "split.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"about": "…", "train": ["a", "b"], "test": ["c"]}`)
	open, err := Split(file)
	if diff := cmp.Diff([]string{"a", "b"}, open); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	write(`{"test": ["c"]}`)
	if open, err := Split(file); !errors.Is(err, errNoTrain) {
		t.Errorf("a split without a list is read as %q, %v", open, err)
	}
}

// TestPages_Open never opens what is not on the list.
func TestPages_Open(t *testing.T) {
	t.Parallel()
	for wanted, want := range map[string]string{"": "a0 a1 b0 b1", "b": "b0 b1", "c": "", "b,c": "b0 b1"} {
		var tasks []string
		if wanted != "" {
			tasks = strings.Split(wanted, ",")
		}
		trials, stop, err := Pages(t.Context(), "pages", t.TempDir(), []string{"a", "b"}, tasks, 2)
		if err != nil {
			t.Fatal(err)
		}
		stop()
		var got []string
		for _, trial := range trials {
			got = append(got, fmt.Sprintf("%s%d", trial.Task, trial.Seed))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("wanted %q: %q, want %q", wanted, got, want)
		}
	}
}

func TestDiffering(t *testing.T) {
	t.Parallel()
	before := map[string]any{"same": []any{"a", 1.0}, "moved": []any{"a", "b"}, "gone": true}
	after := map[string]any{"same": []any{"a", 1.0}, "moved": []any{"b", "a"}, "new": nil, "more": 1.0}
	if diff := cmp.Diff([]string{"gone", "more", "moved"}, differing(before, after)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

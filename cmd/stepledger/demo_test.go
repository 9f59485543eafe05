package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/pgtest"
)

// The demo is the end to end test in a real browser: it does the canonical
// task on a page that works, on one whose button is dead, and once more with
// what was learnt. The second demo begins with what the first has learnt.
func TestDemo(t *testing.T) {
	t.Parallel()
	ctx, _ := chromiumPath(t)
	env := map[string]string{
		"DATABASE_URL": pgtest.Database(t, "stepledger", migrate), "STEPLEDGER_STATE_DIR": t.TempDir(), "LOG_LEVEL": "error",
	}
	first := demo(ctx, t, env)
	checkRuns(t, "first", first, demoRuns, []int{0, 1, 0}, []bool{false, true, true})
	second := demo(ctx, t, env)
	checkRuns(t, "second", second, append([]demoRun{demoAgain}, demoRuns...), []int{0, 0, 1, 0}, []bool{true, false, true, true})
	if t.Failed() {
		return
	}
	if siteOf(first[2]) != siteOf(second[0]) || siteOf(first[0]) == siteOf(second[1]) {
		t.Errorf("the first demo is on %s, the second on %s and %s: it goes on there, then begins anew",
			siteOf(first[2]), siteOf(second[0]), siteOf(second[1]))
	}
}

// demo is what a demo prints, by runs.
func demo(ctx context.Context, t *testing.T, env map[string]string) []string {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &errOut)
	cmd.SetArgs([]string{"demo"})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &errOut)
	}
	return strings.Split(out.String(), "   task: ")[1:]
}

func checkRuns(t *testing.T, demo string, runs []string, titles []demoRun, corrections []int, learnt []bool) {
	t.Helper()
	if len(runs) != len(titles) {
		t.Fatalf("%s demo: %d runs, want %d:\n%s", demo, len(runs), len(titles), strings.Join(runs, "\n"))
	}
	for i, r := range runs {
		for _, want := range []string{
			"completed after", fmt.Sprintf("%d of them corrections", corrections[i]), "   finance   0 model calls", "stepledger task at ",
		} {
			if !strings.Contains(r, want) {
				t.Errorf("%s demo, %s: nothing of %q:\n%s", demo, titles[i].title, want, r)
			}
		}
		if n := strings.Count(r, "     correct   "); n != corrections[i] || strings.Contains(r, "   learnt    ") != learnt[i] {
			t.Errorf("%s demo, %s: %d corrections, want %d; learnt %v, want %v:\n%s",
				demo, titles[i].title, n, corrections[i], !learnt[i], learnt[i], r)
		}
		if triesDead := strings.Contains(r, `on button "New patient"`); triesDead != (corrections[i] > 0 || !titles[i].broken) {
			t.Errorf("%s demo, %s: the prominent button is clicked: %v:\n%s", demo, titles[i].title, triesDead, r)
		}
	}
}

func siteOf(run string) string {
	_, after, _ := strings.Cut(run, "   site: ")
	site, _, _ := strings.Cut(after, "\n")
	return site
}

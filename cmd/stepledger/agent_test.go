package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/cmd/internal/agentbench"
)

// TestAgent plays a small set of pages and an application from beginning to end: what is
// counted is what the pages and the verifier say, not what the agent says.
func TestAgent(t *testing.T) {
	t.Parallel()
	ctx, _ := chromiumPath(t)
	lines := filepath.Join(t.TempDir(), "episodes.jsonl")
	var out, errOut bytes.Buffer
	cmd := newRoot(func(string) string { return "" }, &out, &errOut)
	cmd.SetArgs([]string{
		"agent", "--miniwob", "testdata/agent/pages/tasks", "--split", "testdata/agent/split.json", "--seeds", "2",
		"--infinity", "testdata/agent/apps", "--apps", "notes", "--json", lines, "--verbose",
	})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &errOut)
	}
	ends := map[string]int{}
	for line := range strings.Lines(readAll(t, lines)) {
		var e agentbench.Episode
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		ends[e.Task+": "+e.End]++
	}
	want := map[string]int{
		"press: solved": 2, "press-other: wrong": 2, "ask: asked": 2, "notes/save: solved": 1, "notes/delete: false done": 1,
	}
	bars := []string{
		"BAR agent.miniwob_train_pct ours=33.333 ref=50.000", "BAR agent.infinity_seen_function_pct ours=50.000 ref=15.000",
		"BAR agent.false_done_pct ours=12.500", "BAR agent.asked_pct ours=25.000", "BAR agent.changed_unasked ours=1.000",
		"changed unasked: notes/delete (false done): deleted\n",
	}
	if _, err := exec.LookPath("python3"); err != nil { // the applications cannot be served
		delete(want, "notes/save: solved")
		delete(want, "notes/delete: false done")
		want["notes/save: lost"], want["notes/delete: lost"] = 1, 1
		bars = []string{"BAR agent.infinity_seen_function_pct ours=0.000", "BAR agent.changed_unasked ours=0.000"}
	}
	if diff := cmp.Diff(want, ends); diff != "" {
		t.Errorf("episodes (-want +got)\n%s\n%s", diff, &out)
	}
	for _, bar := range bars {
		if !strings.Contains(out.String(), bar) {
			t.Errorf("the report lacks %q:\n%s", bar, &out)
		}
	}
}

// TestAgent_Refused leaves out what there is to measure.
func TestAgent_Refused(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no set":              nil,
		"no split":            {"--miniwob", "testdata/agent/pages/tasks"},
		"a split without any": {"--miniwob", "testdata/agent/pages/tasks", "--split", "testdata/agent/apps/notes/function-tasks.json"},
		"no task of the name": {"--miniwob", "testdata/agent/pages/tasks", "--split", "testdata/agent/split.json", "--tasks", "secret"},
		"no application":      {"--infinity", "testdata/agent/apps"},
		"none of the name":    {"--infinity", "testdata/agent/apps", "--apps", "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := newRoot(func(string) string { return "" }, &bytes.Buffer{}, &bytes.Buffer{})
			cmd.SetArgs(append([]string{"agent"}, args...))
			if err := cmd.ExecuteContext(t.Context()); err == nil {
				t.Error("it measured nothing and said nothing")
			}
		})
	}
}

func readAll(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

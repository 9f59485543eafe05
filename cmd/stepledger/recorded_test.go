package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// The corpus are exported tasks, a folder a release. Those of the newest are made by the
// tests that drive tasks over HTTP, with -record-tasks (make tasks-record), and replay
// without a difference. Those of the releases before it are never made anew: their events
// are folded for ever.
const (
	corpusFolder = "testdata/tasks"
	corpusLeast  = 50
)

var recordInto = flag.String("record-tasks", "", "a release, such as v1: write the tasks that the tests make to "+corpusFolder)

// releases are the folders of the corpus, the newest last.
func releases() (names []string) {
	folders, err := filepath.Glob(filepath.Join(corpusFolder, "v*"))
	if err != nil {
		panic(err) // the pattern is right
	}
	for _, f := range folders {
		names = append(names, filepath.Base(f))
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return names
}

// newestFiles are those of the release under work.
func newestFiles() []string {
	all := releases()
	if len(all) == 0 {
		return nil
	}
	return taskFiles(all[len(all)-1])
}

// fileName is what a test's name is as that of a file.
func fileName(test string) string {
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(strings.TrimPrefix(test, "Test")), "-")
	return strings.Trim(name, "-") + ".html" + packedSuffix
}

func recordTask(t *testing.T, name string, x replay.Export) {
	t.Helper()
	folder := filepath.Join(corpusFolder, *recordInto)
	err := os.MkdirAll(folder, 0o755) //nolint:gosec // of the repository
	if err == nil {
		file := filepath.Join(folder, fileName(name))
		if err = writeExportFile(file, x); err == nil {
			err = os.Chmod(file, 0o644) //nolint:gosec // of the repository
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// taskFiles are the files of a release, sorted.
func taskFiles(release string) []string {
	files, err := filepath.Glob(filepath.Join(corpusFolder, release, "*"+packedSuffix))
	if err != nil {
		panic(err) // the pattern is right
	}
	return files
}

// recordedTask is a file of the corpus with what became of it in a replay.
type recordedTask struct {
	file   string
	task   replay.Task
	export replay.Export
	report replay.Report
	err    error
}

// nowhere is the command line of a machine without a database, a model or settings.
var nowhere = program{env: func(string) string { return "" }}

func (r *recordedTask) replay() (err error) {
	if r.task, r.export, err = readExport(r.file); err != nil {
		return err
	}
	if err = r.export.Verify(r.task); err != nil {
		return err
	}
	minds, err := nowhere.mindsOf(r.task, r.export)
	if err != nil {
		return err
	}
	r.report, err = replay.Run(context.Background(), r.task, minds)
	return err
}

// recordedTasks are the corpus of the newest release, replayed once for all tests.
var recordedTasks = sync.OnceValue(func() []recordedTask {
	files := newestFiles()
	all := make([]recordedTask, len(files))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range next {
				all[i].file = files[i]
				all[i].err = all[i].replay()
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	return all
})

// walked are the edges of the graph that reports went along, each with how often.
func walked(reports ...replay.Report) map[string]int {
	edges := map[string]int{}
	for _, r := range reports {
		for _, turn := range r.Turns {
			for _, e := range turn.Way {
				edges[e]++
			}
		}
	}
	return edges
}

var corpusWalked = sync.OnceValue(func() map[string]int {
	var reports []replay.Report
	for _, r := range recordedTasks() {
		reports = append(reports, r.report)
	}
	return walked(reports...)
})

// corpusKnows requires that the corpus goes along every edge that a task of a test does.
func corpusKnows(t *testing.T, r replay.Report) {
	t.Helper()
	known := corpusWalked()
	for e := range walked(r) {
		if known[e] == 0 {
			t.Errorf("no recorded task goes along %q, as this one does: make tasks-record", e)
		}
	}
}

// unwalked are edges that no task over HTTP goes along, with the reason.
var unwalked = map[string]string{
	"search: asked": "a model that proposes a search where none is possible is told so before the graph hears of it",
}

// The corpus replays to what was recorded, event by event, and asks nobody; it goes along
// every edge of the graph but those that are named.
func TestRecordedTasks(t *testing.T) {
	t.Parallel()
	all, stories := recordedTasks(), map[string]bool{}
	for _, r := range all {
		if r.err != nil {
			t.Errorf("%s: %v", r.file, r.err)
			continue
		}
		if d := differences(r.report); len(d) > 0 {
			t.Errorf("%s is decided otherwise: %q", r.file, d)
		}
		for _, turn := range r.report.Turns {
			if len(turn.Missed) > 0 {
				t.Errorf("%s: turn %d puts questions that nothing is recorded of: %+v", r.file, turn.Turn, turn.Missed)
			}
		}
		stories[storyOf(r)] = true
	}
	if len(stories) < corpusLeast {
		t.Errorf("%d files tell %d stories, fewer than %d", len(all), len(stories), corpusLeast)
	}
	edges, nodes := corpusWalked(), map[string]bool{}
	var missing []string
	for _, e := range interact.Edges() {
		node, _, _ := strings.Cut(e, ":")
		nodes[node] = nodes[node] || edges[e] > 0
		_, known := unwalked[e]
		switch {
		case edges[e] == 0 && !known:
			missing = append(missing, e)
		case edges[e] > 0 && known:
			t.Errorf("%s is gone along, and need not be named as an exception", e)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no recorded task goes along %q", missing)
	}
	for _, e := range slices.Sorted(maps.Keys(edges)) {
		t.Logf("%5d %s", edges[e], e)
	}
	t.Logf("%d tasks, %d stories, %d of %d edges, nodes %v", len(all), len(stories), len(edges), len(interact.Edges()), slices.Sorted(maps.Keys(nodes)))
}

// storyOf is a task without what differs each time it is recorded.
func storyOf(r recordedTask) string {
	var b strings.Builder
	for _, e := range r.export.Events {
		b.WriteString(e.Type + " ")
	}
	for _, turn := range r.report.Turns {
		b.WriteString(turn.Verdict.Was + " " + turn.Action.Was + " " + turn.Status.Was + " " + strings.Join(turn.Way, ", ") + "\n")
	}
	return b.String()
}

// The events of every release fold, to the end that they tell.
func TestRecordedTasks_ofEveryReleaseFold(t *testing.T) {
	t.Parallel()
	ends := map[string]task.Status{
		task.NameTaskCompleted: task.Completed, task.NameTaskFailed: task.Failed, task.NameTaskInterrupted: task.Interrupted, task.NameTaskResumed: task.Active,
	}
	for _, release := range releases() {
		files := taskFiles(release)
		if len(files) < corpusLeast {
			t.Errorf("%s has %d tasks, fewer than %d", release, len(files), corpusLeast)
		}
		for _, file := range files {
			folded, x, err := readExport(file)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			turns, status := 0, task.Status("")
			for _, e := range x.Events {
				if e.Type == task.NamePageObserved {
					turns++
				}
				if end, ok := ends[e.Type]; ok {
					status = end
				}
			}
			if len(folded.Turns) != turns || turns == 0 || status != "" && folded.Final.Status != status {
				t.Errorf("%s folds to %d turns of %d, %s and not %s", file, len(folded.Turns), turns, folded.Final.Status, status)
			}
		}
	}
}

// onFiles runs a command with the files of the corpus, without a database.
func onFiles(t *testing.T, env map[string]string, command ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &out)
	cmd.SetArgs(append(append([]string{"task"}, command...), newestFiles()...))
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// Nothing is decided otherwise by the settings of the recording. With fewer failures in a
// row allowed, batch names exactly the tasks in which bisect finds a failure, from the turn
// on in which it finds it.
func TestRecordedTasks_AChangedThresholdIsFound(t *testing.T) {
	t.Parallel()
	if out, err := onFiles(t, nil, "batch"); err != nil || !strings.Contains(out, " 0 decided otherwise") {
		t.Errorf("%v\n%s", err, out)
	}
	stricter := map[string]string{"STEPLEDGER_MAX_FAILURES": "1"}
	text, err := onFiles(t, stricter, "batch")
	if !errors.Is(err, errFlips) || !strings.Contains(text, "-> fail CONSECUTIVE_FAILURES_EXCEEDED") {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = onFiles(t, stricter, "batch", "--json")
	var batch replay.Batch
	if !errors.Is(err, errFlips) || json.Unmarshal([]byte(text), &batch) != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	first := map[string]int{}
	for _, f := range batch.Flips {
		if _, seen := first[f.File]; !seen {
			first[f.File] = f.Turn
		}
	}
	text, err = onFiles(t, nil, "bisect", "/consecutiveFailures >= 1", "--json")
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var found replay.Found
		if err := d.Decode(&found); err != nil {
			t.Fatal(err)
		}
		if turn, flips := first[found.File]; flips != found.Holds || turn != found.Turn {
			t.Errorf("%s: batch says turn %d, bisect %d (%s at %d)", found.File, turn, found.Turn, found.Event, found.Revision)
		}
	}
}

// Files that cannot be read are named, and the others are replayed all the same. Tasks and
// files are not mixed: a database would be needed for some of them.
func TestTask_BatchAndBisectOfFiles(t *testing.T) {
	t.Parallel()
	file := newestFiles()[0]
	missing, broken := filepath.Join(t.TempDir(), "missing.html"), filepath.Join(t.TempDir(), "broken.html.zst")
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(broken, b[:len(b)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		cmd := newRoot(nowhere.env, &out, &out)
		cmd.SetArgs(append([]string{"task"}, args...))
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	out, err := run("batch", missing, file, broken)
	if !errors.Is(err, errUnreadable) || !strings.Contains(out, "3 tasks, ") || !strings.Contains(out, missing+" cannot be read") || !strings.Contains(out, broken+" cannot be read") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, args := range [][]string{{"batch", file, domain.NewUUID()}, {"bisect", "/status = active", file, domain.NewUUID()}} {
		if out, err := run(args...); err == nil || !strings.Contains(err.Error(), "cannot be named together") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	if out, err := run("bisect", "/steps/# = 1", file); err != nil || !strings.Contains(out, file) || !strings.Contains(out, task.NameActionGenerated) {
		t.Errorf("%v\n%s", err, out)
	}
}

package commands_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// shelf notes what was put on it, and is the cursor too.
type shelf struct {
	t      *testing.T
	log    *memory.Store
	now    time.Time
	calls  [][]string
	at     int64
	last   int64 // what everybody has passed; 0 is all there is
	fault  error
	begins time.Time
}

func newShelf(t *testing.T) *shelf {
	s := &shelf{t: t, begins: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.now = s.begins
	s.log = memory.New(memory.Options{Now: func() time.Time { return s.now }})
	return s
}

func (s *shelf) Archive(_ context.Context, streams []string) (commands.Archived, error) {
	s.calls = append(s.calls, slices.Clone(streams))
	return commands.Archived{Streams: int64(len(streams)), Events: 1, Bytes: 10}, s.fault
}

func (s *shelf) At(context.Context) (int64, error) { return s.at, nil }

func (s *shelf) Move(_ context.Context, position int64) error {
	if position <= s.at {
		s.t.Errorf("the cursor is moved from %d to %d", s.at, position)
	}
	s.at = position
	return nil
}

// says appends events of these types to a stream, a minute after what came before.
func (s *shelf) says(stream string, types ...string) {
	s.t.Helper()
	for _, name := range types {
		s.now = s.now.Add(time.Minute)
		in := []eventstore.Proposed{{ID: domain.NewUUID(), Type: name, Data: []byte(`{}`), Meta: []byte(`{}`)}}
		if _, err := s.log.Append(s.t.Context(), stream, eventstore.Any, in); err != nil {
			s.t.Fatal(err)
		}
	}
}

// run archives what ended before a time, and returns what came upon the shelf by it.
func (s *shelf) run(before time.Time) (streams []string, done commands.Archived, err error) {
	s.t.Helper()
	already := len(s.calls)
	done, err = commands.ArchiveEnded{Log: s.log, Feed: s.log, Place: s, Cursor: s, Passed: func(ctx context.Context) (int64, error) {
		if s.last > 0 {
			return s.last, nil
		}
		return s.log.Head(ctx)
	}}.Run(s.t.Context(), before)
	for _, call := range s.calls[already:] {
		streams = append(streams, call...)
	}
	slices.Sort(streams)
	return streams, done, err
}

func (s *shelf) wants(what string, before time.Time, want ...string) {
	s.t.Helper()
	slices.Sort(want)
	got, _, err := s.run(before)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		s.t.Errorf("%s: %v, (-want +got)\n%s", what, err, diff)
	}
}

var ended = map[string][]string{
	"task-completed":   {task.NamePageObserved, task.NameTaskStarted, task.NameActionGenerated, task.NameTurnEnded, task.NamePageObserved, task.NameTaskCompleted, task.NameTurnEnded},
	"task-failed":      {task.NamePageObserved, task.NameTaskStarted, task.NameTaskFailed, task.NameTurnEnded},
	"task-interrupted": {task.NamePageObserved, task.NameTaskStarted, task.NameTurnAbandoned, task.NameTaskInterrupted},
	"task-erased":      {task.NamePageObserved, task.NameTaskStarted, task.NameTurnEnded, task.NameTaskErased},
	"task-unasked":     {task.NamePageObserved, task.NameUserInputRequested, task.NameTurnEnded},
	"task-of-long-end": append(append([]string{task.NameTaskStarted}, slices.Repeat([]string{task.NameSynthesisChecked}, 30)...), task.NameTaskCompleted, task.NameTurnEnded),
	"session-archived": {session.NameSessionStarted, session.NameSessionArchived},
	"fork-ended":       {fork.NameForkStarted, fork.NameForkEnded},
	"fork-that-died":   {fork.NameForkStarted, fork.NameModelCalled},
	"usage-of-a-crawl": {usage.NameLLMCallStarted, usage.NameLLMCallCompleted},
}

var unended = map[string][]string{
	"task-open":          append([]string{task.NamePageObserved, task.NameTaskStarted}, slices.Repeat([]string{task.NameActionGenerated}, 45)...),
	"task-gone-on-with":  {task.NameTaskStarted, task.NameTaskInterrupted, task.NamePageObserved, task.NameTaskResumed, task.NameTurnEnded},
	"task-held":          {task.NamePageObserved, task.NameTaskStarted, task.NameTurnEnded, task.NameTaskPaused},
	"session-open":       {session.NameSessionStarted},
	"erasure-of-someone": {"erasure.erasure_requested.v1", "erasure.erasure_completed.v1"},
	"document-known":     {"knowledge.text_added.v1"},
}

// What has ended is archived, with a task its ledger, though nothing of that came last; what
// has not is left.
func TestArchiveEnded(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	var want []string
	for stream, types := range ended {
		category, subject, _ := strings.Cut(stream, "-")
		want = append(want, stream)
		if category == "task" {
			s.says("usage-"+subject, usage.NameLLMCallStarted)
			want = append(want, "usage-"+subject)
		}
		s.says(stream, types...)
	}
	for stream, types := range unended {
		s.says("usage-"+strings.TrimPrefix(stream, "task-"), usage.NameLLMCallStarted)
		s.says(stream, types...)
	}
	for _, stream := range []string{"session-open", "erasure-of-someone", "document-known"} {
		want = append(want, "usage-"+stream) // of no task
	}
	s.wants("all that ended", s.now.Add(time.Second), want...)
	s.wants("once more", s.now.Add(time.Second))
}

// A stream is archived when its last event is old enough, and again when more came.
func TestArchiveEnded_Time(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.says("task-a", task.NameTaskStarted)
	s.says("task-b", task.NameTaskStarted, task.NameTaskInterrupted)
	bEnded := s.now
	s.says("task-a", task.NameTaskCompleted, task.NameTurnEnded)
	aEnded := s.now
	s.wants("before anything ended", s.begins)
	s.wants("at the moment of an end", bEnded)
	s.wants("after it", bEnded.Add(time.Second), "task-b", "usage-b")
	s.wants("while the other's last event is too young", aEnded)
	s.wants("after both", aEnded.Add(time.Second), "task-a", "usage-a")
	s.says("task-b", task.NamePageObserved, task.NameTaskResumed)
	s.wants("gone on with", s.now.Add(time.Second))
	s.says("usage-a", usage.NameUsageCorrected)
	s.says("task-b", task.NameTaskCompleted)
	s.wants("ended again, and a bill corrected", s.now.Add(time.Second), "task-a", "usage-a", "task-b", "usage-b")
}

// Nothing is moved that somebody who follows the log has not passed.
func TestArchiveEnded_Followers(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.says("task-a", task.NameTaskStarted, task.NameTaskCompleted)
	s.says("task-b", task.NameTaskStarted, task.NameTaskCompleted)
	s.says("session-c", session.NameSessionStarted)
	for _, tt := range []struct {
		last int64
		want []string
	}{{1, nil}, {3, []string{"task-a", "usage-a"}}, {2, nil}, {5, []string{"task-b", "usage-b"}}} {
		s.last = tt.last
		s.wants(fmt.Sprintf("passed %d", tt.last), s.now.Add(time.Hour), tt.want...)
	}
}

// Many are moved a bounded number at a time, and what fails is tried again with the next run.
func TestArchiveEnded_Batches(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	const tasks = 2600
	for i := range tasks {
		s.says(fmt.Sprintf("task-%d", i), task.NameTaskStarted, task.NameTaskFailed)
	}
	s.fault = errors.New("the bucket is gone")
	if _, done, err := s.run(s.now.Add(time.Hour)); !errors.Is(err, s.fault) || done.Streams == 0 || s.at != 0 || len(s.calls) != 1 {
		t.Errorf("failed: %+v, %v, at %d after %d calls", done, err, s.at, len(s.calls))
	}
	s.fault, s.calls = nil, nil
	streams, done, err := s.run(s.now.Add(time.Hour))
	if err != nil || len(streams) != 2*tasks || done.Streams != 2*tasks || done.Bytes != 10*int64(len(s.calls)) {
		t.Errorf("%d streams, %+v, %v", len(streams), done, err)
	}
	for _, call := range s.calls {
		if len(call) >= 2*1000 {
			t.Errorf("%d at a time", len(call))
		}
	}
	if streams, _, err = s.run(s.now.Add(time.Hour)); len(streams) > 0 || err != nil || s.at != 2*tasks {
		t.Errorf("once more: %d, at %d, %v", len(streams), s.at, err)
	}
}

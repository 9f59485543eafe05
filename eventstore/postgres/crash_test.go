package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
	"github.com/stepledger/stepledger/eventstore/storetest"
)

// TestMain lets the test binary play the processes that are killed, or measured.
func TestMain(m *testing.M) {
	if point := os.Getenv("CRASH_AT"); point != "" {
		crash(point)
	}
	if kind := os.Getenv(wakeEnv); kind != "" {
		fmt.Fprintln(os.Stderr, playWaker(kind))
		os.Exit(1)
	}
	if point := os.Getenv("ARCHIVE_CRASH_AT"); point != "" {
		crashArchiving(point)
	}
	storetest.Main(m, dial)
}

// crashing is the append of the process that dies: the same in both processes.
func crashing() []eventstore.Proposed {
	out := make([]eventstore.Proposed, 3)
	for i := range out {
		out[i] = eventstore.Proposed{
			ID:   fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
			Type: "test.happened.v1", Data: []byte(`{}`),
		}
	}
	return out
}

// along is what goes with it: the beginning of another stream.
func along() Along {
	return Along{Beside: []Beside{{Stream: "session-1", At: eventstore.NoStream, Events: []eventstore.Proposed{
		{ID: "00000000-0000-4000-8000-999999999999", Type: "test.happened.v1", Data: []byte(`{}`)},
	}}}}
}

// crash appends and kills itself, as SIGKILL does, at a point within.
func crash(point string) {
	s, err := Open(context.Background(), os.Getenv("CRASH_URL"), Options{Hook: dyingAt(point)})
	if err == nil {
		_, err = s.AppendAlong(context.Background(), "task-1", eventstore.NoStream, crashing(), along())
	}
	fmt.Println("survived", point, err)
	os.Exit(1)
}

func TestCrash(t *testing.T) {
	t.Parallel()
	for point, kept := range map[string]bool{
		"append.begin": false, "append.partly": false, "append.sent": true, "append.committed": true, "append.acknowledged": true,
	} {
		t.Run("killed at "+point+" an append is whole or not there, and may be repeated", func(t *testing.T) {
			t.Parallel()
			url := database(t)
			child := exec.CommandContext(bounded(t), os.Args[0])
			child.Env = append(os.Environ(), "CRASH_AT="+point, "CRASH_URL="+url)
			out, err := child.CombinedOutput()
			if err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("the process was to be killed: %v\n%s", err, out)
			}
			s := open(t, url, Options{})
			if point != "append.sent" { // the server may still be at it
				head := headOf(t, s)
				if want := map[bool]int64{true: 4, false: 0}[kept]; head != want {
					t.Errorf("head is %d after the crash, want %d", head, want)
				}
			}
			in := crashing()
			for range 2 {
				r, err := s.AppendAlong(t.Context(), "task-1", eventstore.NoStream, in, along())
				if err != nil || r.Revision != 2 {
					t.Fatalf("the repeat gave %+v, %v", r, err)
				}
			}
			wantOnce(t, s, append(in, along().Beside[0].Events...))
		})
	}
}

// dyingAt kills the process, as SIGKILL does, when it comes to a point.
func dyingAt(point string) func(string) {
	return func(at string) {
		if at == point {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// crashArchiving archives two streams and dies at a point within.
func crashArchiving(point string) {
	place, err := archive.Open(os.Getenv("CRASH_ARCHIVE"), archive.Credentials{})
	if err == nil {
		var s *Store
		if s, err = Open(context.Background(), os.Getenv("CRASH_URL"), Options{Hook: dyingAt(point), Archive: place}); err == nil {
			_, err = s.Archive(context.Background(), []string{"task-1", "task-2"})
		}
	}
	fmt.Println("survived", point, err)
	os.Exit(1)
}

func TestCrash_archiving(t *testing.T) {
	t.Parallel()
	for point, want := range map[string]struct {
		moved  bool
		orphan bool
	}{
		"archive.begin": {}, "archive.stored": {orphan: true}, "archive.moved": {orphan: true}, "archive.committed": {moved: true},
	} {
		t.Run("killed at "+point+" events are in one of the two places, whole", func(t *testing.T) {
			t.Parallel()
			url, folder := database(t), t.TempDir()
			s := open(t, url, Options{Archive: folderPlace(t, folder)})
			in := events(6)
			mustAppend(t, s, "task-1", eventstore.NoStream, in[:3]...)
			mustAppend(t, s, "task-2", eventstore.NoStream, in[3:]...)
			before := readOn(t, s, 0)
			child := exec.CommandContext(bounded(t), os.Args[0])
			child.Env = append(os.Environ(), "ARCHIVE_CRASH_AT="+point, "CRASH_URL="+url, "CRASH_ARCHIVE="+folder)
			if out, err := child.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("the process was to be killed: %v\n%s", err, out)
			}
			if moved, err := s.Archived(t.Context(), "task-1"); err != nil || moved != want.moved {
				t.Errorf("archived: %v, %v; want %v", moved, err, want.moved)
			}
			if diff := cmp.Diff(before, readOn(t, s, 0)); diff != "" {
				t.Errorf("the log (-before +after):\n%s", diff)
			}
			s.sweepAfter = 0
			if n, _, err := s.SweepArchive(t.Context()); err != nil || (n == 1) != want.orphan {
				t.Errorf("%d objects were swept, %v; an orphan is expected: %v", n, err, want.orphan)
			}
			s = open(t, url, Options{Archive: folderPlace(t, folder)})
			mustArchive(t, s, "task-1", "task-2")
			mustAppend(t, s, "task-1", 2, events(1)...)
			if diff := cmp.Diff(before, readOn(t, s, 0)[:len(before)]); diff != "" {
				t.Errorf("the log, archived again (-before +after):\n%s", diff)
			}
		})
	}
}

func headOf(t testing.TB, s eventstore.Feed) int64 {
	t.Helper()
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stepledger/stepledger/eventstore"
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
	s, err := Open(context.Background(), os.Getenv("CRASH_URL"), Options{Hook: func(at string) {
		if at == point {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
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

func headOf(t testing.TB, s eventstore.Feed) int64 {
	t.Helper()
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

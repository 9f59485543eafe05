package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stoppedChild is a process that was told to stop in the middle of a turn: its model has
// been asked, and answers once it may.
type stoppedChild struct {
	*child
	client
	pursuit  *pursuit
	answered chan error
	release  func()
}

func stopInATurn(t *testing.T) stoppedChild {
	t.Helper()
	asked, released := make(chan struct{}), make(chan struct{})
	model := newFakeGemini(t)
	reached := sync.OnceFunc(func() { close(asked) })
	model.asked = func() {
		reached()
		<-released
	}
	rig := newCrashRig(t, model)
	c := rig.start(t, "")
	s := stoppedChild{child: c, client: rig.client(c), pursuit: newPursuit(), answered: make(chan error, 1), release: sync.OnceFunc(func() { close(released) })}
	t.Cleanup(s.release) // before the model's server is closed, which waits for its answers
	if r := s.get(t, "/api/health/ready"); r.status != http.StatusOK {
		t.Fatalf("at first: %d %s", r.status, r.body)
	}
	go func() { s.answered <- s.pursuit.step(context.WithoutCancel(t.Context()), s.client) }()
	await(t, "the model is asked", asked)
	s.signal(t)
	eventually(t, "it is not ready", func() bool {
		r := s.get(t, "/api/health/ready")
		return r.status == http.StatusServiceUnavailable && strings.Contains(string(r.body), `"status":"stopping"`)
	})
	return s
}

func (s stoppedChild) signal(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// The balancer is told first; the turn under way gets its answer, new requests are sent
// elsewhere, and the process ends well.
func TestShutdown_EndsTheTurn(t *testing.T) {
	t.Parallel()
	s := stopInATurn(t)
	r, err := s.do(t.Context(), http.MethodGet, "/api/session", nil, nil)
	if err != nil || r.status != http.StatusServiceUnavailable || r.code() != "SERVER_BUSY" || r.header.Get("Retry-After") == "" {
		t.Errorf("a new request: %d %v %s, %v", r.status, r.header, r.body, err)
	}
	if r := s.get(t, "/api/health/live"); r.status != http.StatusOK {
		t.Errorf("alive: %d", r.status)
	}
	s.release()
	if err := await(t, "the answer", s.answered); err != nil {
		t.Errorf("the turn under way: %v", err)
	}
	await(t, "the end of the process", s.dead)
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ended with %d: %s", code, &s.said)
	}
}

func TestShutdown_ASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := stopInATurn(t)
	s.signal(t)
	awaitWithin(t, "the end of the process", 20*time.Second, s.dead) // without the signal it takes STEPLEDGER_DRAIN_SECONDS, 30
	if code := s.cmd.ProcessState.ExitCode(); code == 0 {
		t.Error("a process that broke a turn off says that all is well")
	}
	if err := await(t, "the client's end", s.answered); err == nil {
		t.Error("the model never answered, and the turn has an answer")
	}
}

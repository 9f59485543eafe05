package api

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
)

// minuteTurn answers after a minute.
type minuteTurn struct{ *world }

func (s minuteTurn) Interact(ctx context.Context, r interact.Request) (interact.Result, error) {
	time.Sleep(time.Minute)
	return s.world.Interact(ctx, r)
}

func TestClose_EndsWhatRunsAndTakesNothingMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s := w.server()
		s.Interactor = minuteTurn{w}
		began := time.Now()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			if res := postInteract(t, s, goodInteract); res.Code != http.StatusOK || res.Header().Get("Connection") != "close" {
				t.Errorf("the running turn: %d, Connection %q", res.Code, res.Header().Get("Connection"))
			}
		}()
		synctest.Wait()
		s.Close()
		s.Close()
		res := postInteract(t, s, goodInteract)
		wantFailure(t, res, http.StatusServiceUnavailable, "SERVER_BUSY", "")
		if res.Header().Get("Retry-After") == "" || res.Header().Get("Connection") != "close" {
			t.Errorf("a new one: headers %v", res.Header())
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if n := s.Closed(impatient); n != 1 {
			t.Errorf("after a second %d run, want 1", n)
		}
		if n := s.Closed(t.Context()); n != 0 || time.Since(began) != time.Minute {
			t.Errorf("%d run after %v, want none after a minute", n, time.Since(began))
		}
		<-answered
	})
}

func TestClose_WithNothingToDo(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	s.Close()
	if n := s.Closed(t.Context()); n != 0 {
		t.Errorf("%d run", n)
	}
}

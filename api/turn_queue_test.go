package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
)

// heldTurns are turns that last until they are let go, and say when they begin.
type heldTurns struct {
	*world
	began chan context.Context
	end   chan struct{}
}

func (h heldTurns) Interact(ctx context.Context, r interact.Request) (interact.Result, error) {
	h.began <- ctx
	<-h.end
	return h.world.Interact(ctx, r)
}

func TestTurns_WaitAndAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s := w.server()
		s.turns = newTurnQueue(1)
		s.turns.length, s.turns.each = 2, 2
		turns := heldTurns{w, make(chan context.Context, 9), make(chan struct{})}
		s.Interactor = turns
		answers := make(chan *httptest.ResponseRecorder, 9)
		for range 3 {
			go func() { answers <- postInteract(t, s, goodInteract) }()
		}
		synctest.Wait()
		if q := s.TurnQueue(); q.Working != 1 || q.Waiting != 2 || len(turns.began) != 1 {
			t.Errorf("%+v, and %d turns began", q, len(turns.began))
		}
		refused := postInteract(t, s, goodInteract)
		wantFailure(t, refused, http.StatusServiceUnavailable, "SERVER_BUSY", "")
		if refused.Header().Get("Retry-After") != strconv.Itoa(int(retryBusy/time.Second)) {
			t.Errorf("headers %v", refused.Header())
		}
		if w := send(t, s, ask{method: get, target: "/api/session", token: tokenA}); w.Code != http.StatusOK {
			t.Errorf("what is no turn waits for none: %d", w.Code)
		}
		turns.end <- struct{}{}
		synctest.Wait()
		if res := <-answers; res.Code != http.StatusOK || len(turns.began) != 2 {
			t.Errorf("status %d, %d turns began", res.Code, len(turns.began))
		}
		time.Sleep(patience) // the third has waited in vain
		synctest.Wait()
		wantFailure(t, <-answers, http.StatusServiceUnavailable, "SERVER_BUSY", "")
		turns.end <- struct{}{}
		synctest.Wait()
		<-answers
		if q := s.TurnQueue(); q.Working != 0 || q.Waiting != 0 || q.Refused != 2 || len(s.turns.by) != 0 || len(turns.began) != 2 {
			t.Errorf("afterwards %+v, %d turns began", q, len(turns.began))
		}
		if s.bodies.now != 0 {
			t.Errorf("%d bytes are held", s.bodies.now)
		}
	})
}

// A client that hangs up gives up its place in the line.
func TestTurns_HangUpWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newTurnQueue(1)
		first, err := q.enter(t.Context(), "a", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := q.enter(ctx, "a", time.Minute)
			failed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		first.leave()
		if q.working != 0 || q.line.Len() != 0 || len(q.by) != 0 {
			t.Errorf("%d work, %d wait, of %v", q.working, q.line.Len(), q.by)
		}
	})
}

func TestTurns_NoTenantTakesAllOfTheLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newTurnQueue(1)
		q.length, q.each = 4, 2
		first, err := q.enter(t.Context(), "a", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var order []string
		join := func(tenant string) {
			wg.Go(func() {
				p, err := q.enter(t.Context(), tenant, time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, tenant) // one at a time works
				p.leave()
			})
			synctest.Wait()
		}
		join("a")
		join("a")
		if _, err := q.enter(t.Context(), "a", time.Minute); domain.KindOf(err) != domain.Unavailable {
			t.Errorf("a tenant took more than half of the line: %v", err)
		}
		join("b")
		first.leave()
		wg.Wait()
		if len(order) != 3 || order[2] != "b" {
			t.Errorf("order %v", order)
		}
	})
}

// While a turn waits for a model another works in its place, and it goes on before those
// who have not begun.
func TestTurns_StepAside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s := w.server()
		s.turns = newTurnQueue(1)
		turns := heldTurns{w, make(chan context.Context, 9), make(chan struct{})}
		s.Interactor = turns
		answers := make(chan *httptest.ResponseRecorder, 9)
		for range 3 {
			go func() { answers <- postInteract(t, s, goodInteract) }()
			synctest.Wait()
		}
		call, over := context.WithCancel(<-turns.began)
		back := StepAside(call)
		over() // what it waits for is given up, not the turn
		synctest.Wait()
		if len(turns.began) != 1 || s.TurnQueue().Working != 1 {
			t.Fatalf("%d turns began in the place of one that waits, %+v", len(turns.began), s.TurnQueue())
		}
		returned := make(chan struct{})
		go func() {
			back()
			back() // once more does nothing
			close(returned)
		}()
		synctest.Wait()
		select {
		case <-returned:
			t.Error("two work at one place")
		default:
		}
		turns.end <- struct{}{} // whichever: one of two ends
		synctest.Wait()
		turns.end <- struct{}{}
		<-returned
		turns.end <- struct{}{}
		for range 3 {
			if res := <-answers; res.Code != http.StatusOK {
				t.Errorf("status %d", res.Code)
			}
		}
		if q := s.TurnQueue(); q.Working != 0 || q.Waiting != 0 {
			t.Errorf("afterwards %+v", q)
		}
	})
}

// A turn that steps aside twice at a time, or beyond its end, takes no place for good.
func TestTurns_StepAsideAndEnd(t *testing.T) {
	t.Parallel()
	q := newTurnQueue(2)
	p, err := q.enter(t.Context(), "a", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	one, other := p.stepAside(), p.stepAside()
	if q.working != 0 {
		t.Errorf("aside: %d work", q.working)
	}
	one()
	if q.working != 0 {
		t.Errorf("half of it aside: %d work", q.working)
	}
	other()
	if q.working != 1 {
		t.Errorf("back: %d work", q.working)
	}
	late := p.stepAside()
	p.leave()
	late()
	p.stepAside()()
	if q.working != 0 {
		t.Errorf("after the end: %d work", q.working)
	}
	StepAside(t.Context())() // of no request
}

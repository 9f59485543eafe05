package interact_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// died is what a process leaves behind that ends in the middle of its first
// turn: a claim without an end.
func died(t *testing.T, r *rig, instance string, req interact.Request) string {
	t.Helper()
	r.reasons.acts = append([]any{click("14")}, r.reasons.acts...)
	deps := r.deps
	deps.Instances = instances{instance, r.alive}
	deps.Log = brokenAfterClaim{r.log}
	if _, err := interact.New(deps).Interact(t.Context(), req); err == nil {
		t.Fatal("the dying process answered")
	}
	return domain.DeriveUUID("task", req.Tenant, req.User, req.Key)
}

// brokenAfterClaim takes the first append of a turn and no second.
type brokenAfterClaim struct{ eventstore.Log }

func (b brokenAfterClaim) Append(ctx context.Context, stream string, at int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	if events[len(events)-1].Type == task.NameTurnEnded {
		return eventstore.Receipt{}, &eventstore.UnavailableError{Op: "append", Cause: errors.New("killed")}
	}
	return b.Log.Append(ctx, stream, at, events)
}

func TestProtocol_TakeOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		instance string // of the dead turn's owner
		alive    bool
		after    time.Duration
		same     bool // the same request comes again, or another
		taken    bool
	}{
		{name: "the owner's process is gone, same request", instance: "i2", same: true, taken: true},
		{name: "the owner's process is gone, another request", instance: "i2", taken: true},
		{name: "the owner's process is alive", instance: "i2", alive: true, same: true},
		{name: "the owner's process is alive, but its lease is over", instance: "i2", alive: true, after: 3 * time.Minute, taken: true},
		{name: "the turn was this process's own and failed", instance: "i1", same: true, taken: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			req := request(t, form, "a")
			id := died(t, r, c.instance, req)
			r.alive[c.instance] = c.alive
			r.now = noon.Add(c.after)
			r.reasons.acts = []any{click("14")}
			if !c.same {
				req = request(t, form, "b")
				req.TaskID = id
			}
			res, err := r.Interact(t.Context(), req)
			if !c.taken {
				wantCode(t, err, domain.Conflict, domain.CodeConflict)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.TaskID != id || a.StepIndex != 0 {
				t.Errorf("answer %+v", a)
			}
			want := []string{
				task.NamePageObserved, task.NameTurnAbandoned, task.NamePageObserved,
				task.NameTaskStarted, task.NameActionGenerated, task.NameTurnEnded,
			}
			if diff := cmp.Diff(want, names(r.eventsOf(t, id))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProtocol_AStalledOwnerIsFencedOff(t *testing.T) {
	t.Parallel()
	stalled, resume := make(chan struct{}), make(chan struct{})
	r := newRig(t, func(d *interact.Deps) {
		d.Hook = func(point string) {
			if point == "turn.decided" {
				close(stalled)
				<-resume
			}
		}
	})
	r.reasons.acts = []any{click("14"), click("3")}
	req := request(t, form, "a")
	var wg sync.WaitGroup
	var stalledErr error
	wg.Go(func() { _, stalledErr = r.Interact(t.Context(), req) })
	<-stalled
	r.deps.Hook = nil
	res, err := r.other("i2").Interact(t.Context(), req) // i1 counts as dead
	if err != nil {
		t.Fatal(err)
	}
	close(resume)
	wg.Wait()
	wantCode(t, stalledErr, domain.Conflict, domain.CodeConflict)
	a := answerOf(t, res)
	ends := 0
	for _, e := range r.eventsOf(t, a.TaskID) {
		if e, ok := e.(task.TurnEnded); ok {
			ends++
			if e.Turn != 2 {
				t.Errorf("turn %d ended", e.Turn)
			}
		}
	}
	if ends != 1 {
		t.Errorf("%d turns ended", ends)
	}
	again, err := r.Interact(t.Context(), req)
	if err != nil || string(again.Answer) != string(res.Answer) {
		t.Errorf("the request repeated gets %s, %v", again.Answer, err)
	}
}

func TestProtocol_ARequestSentDuringATurnIsNoContinuation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3")}, []any{worked}
	first, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	early := request(t, form, "b")
	early.TaskID, early.ReceivedAt = first.TaskID, noon.Add(-time.Millisecond)
	_, err = r.Interact(t.Context(), early)
	wantCode(t, err, domain.Conflict, domain.CodeConflict)
	early.ReceivedAt = noon.Add(time.Millisecond)
	if _, err := r.Interact(t.Context(), early); err != nil {
		t.Errorf("sent afterwards: %v", err)
	}
}

func TestProtocol_RacingClaims(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, err := func() (interact.Result, error) {
		r.reasons.acts = []any{click("14")}
		return r.Interact(t.Context(), request(t, form, "a"))
	}()
	if err != nil {
		t.Fatal(err)
	}
	const racers = 8
	block := make(chan struct{})
	r.deps.Hook = func(point string) {
		if point == "turn.claimed" {
			<-block // the winner works until all others have been turned away
		}
	}
	r.alive["i1"], r.alive["i2"] = true, true
	r.reasons.acts, r.reasons.verdicts = []any{click("14")}, []any{worked}
	handlers := []*interact.Handler{r.other("i1"), r.other("i2")}
	results := make(chan error, racers)
	for i := range racers {
		req := request(t, form, "race"+string(rune('0'+i)))
		req.TaskID = first.TaskID
		go func() {
			_, err := handlers[i%2].Interact(t.Context(), req)
			results <- err
		}()
	}
	for range racers - 1 {
		wantCode(t, <-results, domain.Conflict, domain.CodeConflict)
	}
	close(block)
	if err := <-results; err != nil {
		t.Errorf("the winner failed: %v", err)
	}
}

func TestProtocol_WhoseTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14")}
	res, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*interact.Request){
		"another tenant": func(req *interact.Request) { req.Tenant = "globex" },
		"another user":   func(req *interact.Request) { req.User = "eve" },
	} {
		req := request(t, form, "b")
		req.TaskID = res.TaskID
		change(&req)
		_, err := r.Interact(t.Context(), req)
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != domain.CodeTaskNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProtocol_Sessions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14"), click("14"), click("14")}
	first, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	opened := answerOf(t, first).SessionID
	second := request(t, form, "b")
	second.SessionID = opened
	res, err := r.Interact(t.Context(), second)
	if err != nil || answerOf(t, res).SessionID != opened {
		t.Fatalf("a second task of the session: %v", err)
	}
	archive, err := r.log.ReadStream(t.Context(), session.Stream(opened), eventstore.ReadOptions{})
	if err != nil || len(archive.Events) != 1 {
		t.Fatalf("the session's stream has %d events, %v", len(archive.Events), err)
	}
	_, err = r.log.Append(t.Context(), session.Stream(opened), 0, []eventstore.Proposed{
		{ID: domain.NewUUID(), Type: session.NameSessionArchived, Data: []byte(`{"by":"jo"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	third := request(t, form, "c")
	third.SessionID = opened
	_, err = r.Interact(t.Context(), third)
	wantCode(t, err, domain.Conflict, "RESOURCE_CONFLICT")
	stranger := request(t, form, "d")
	stranger.User, stranger.SessionID = "eve", opened
	_, err = r.Interact(t.Context(), stranger)
	wantCode(t, err, domain.NotFound, "SESSION_NOT_FOUND")
}

func TestProtocol_AClientThatHangsUpDoesNotStopItsTurn(t *testing.T) {
	t.Parallel()
	ctx, hangUp := context.WithCancel(t.Context())
	r := newRig(t, func(d *interact.Deps) {
		d.Hook = func(point string) {
			if point == "turn.claimed" {
				hangUp()
			}
		}
	})
	r.reasons.acts = []any{click("14")}
	req := request(t, form, "a")
	if _, err := r.Interact(ctx, req); err != nil {
		t.Fatalf("the turn was given up: %v", err)
	}
	res, err := r.Interact(t.Context(), req)
	if err != nil || !res.Replayed {
		t.Errorf("the client asks again: replayed %v, %v", res.Replayed, err)
	}
}

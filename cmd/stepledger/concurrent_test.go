package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// all sends n requests at once and waits for their answers.
func all(t *testing.T, n int, send func(context.Context) (reply, error)) []reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	replies, failed := make([]reply, n), make([]error, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			replies[i], failed[i] = send(ctx)
		})
	}
	close(start)
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	return replies
}

func TestInteract_EightAtOnceOnOneTask(t *testing.T) {
	t.Parallel()
	race := &claimRace{losers: 7, over: make(chan struct{})}
	s := newServer(t, hooks{turn: race.at})
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	before := len(streamOf(t, s.system, p.task))
	race.on.Store(true)
	body := map[string]any{"url": p.page.url(), "dom": p.page.dom(), "taskId": p.task}
	replies := all(t, 8, func(ctx context.Context) (reply, error) {
		defer race.answered()
		return s.interact(ctx, domain.NewUUID(), body)
	})
	wantOneServed(t, s.system, p.task, before, replies)
}

// wantOneServed fails unless one of the requests of a task was served, the others were told
// to come again, and one turn ran since the stream had so many events.
func wantOneServed(t *testing.T, s *system, id string, before int, replies []reply) {
	t.Helper()
	won := 0
	for _, r := range replies {
		switch {
		case r.status == http.StatusOK:
			won++
		case r.status != http.StatusConflict || r.code() != "RESOURCE_CONFLICT" || r.header.Get("Retry-After") == "":
			t.Errorf("status %d, Retry-After %q: %s", r.status, r.header.Get("Retry-After"), r.body)
		}
	}
	if turns, _ := count(streamOf(t, s, id)[before:]); won != 1 || turns != 1 {
		t.Errorf("%d requests were answered, %d turns ran", won, turns)
	}
}

// claimRace keeps the winner of a race at work until all losers have their
// answers, or until there is a second winner and nothing left to wait for.
type claimRace struct {
	losers          int32
	on              atomic.Bool
	claims, replies atomic.Int32
	ending          sync.Once
	over            chan struct{}
}

func (r *claimRace) at(point string) {
	if point != "turn.claimed" || !r.on.Load() {
		return
	}
	if r.claims.Add(1) > 1 {
		r.end()
	}
	<-r.over
}

func (r *claimRace) answered() {
	if r.replies.Add(1) == r.losers {
		r.end()
	}
}

func (r *claimRace) end() { r.ending.Do(func() { close(r.over) }) }

// count is how many turns were claimed and how many actions decided.
func count(events []task.Event) (turns, actions int) {
	for _, e := range events {
		switch e.(type) {
		case task.PageObserved:
			turns++
		case task.ActionGenerated:
			actions++
		}
	}
	return turns, actions
}

func TestInteract_HundredRepeatsWithOneKey(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	p := newPursuit()
	key, body := p.request()
	replies := all(t, 100, func(ctx context.Context) (reply, error) { return insist(ctx, s.client, key, body) })
	first := data[interact.Answer](t, replies[0])
	for i, r := range replies {
		if !bytes.Equal(r.body, replies[0].body) {
			t.Fatalf("reply %d differs: %s", i, r.body)
		}
	}
	if turns, actions := count(streamOf(t, s.system, first.TaskID)); turns != 1 || actions != 1 {
		t.Errorf("%d turns and %d actions for one request", turns, actions)
	}
	if calls := ledgerOf(t, s.system, first.TaskID).Calls; len(model.given()) != 1 || len(calls) != 1 {
		t.Errorf("the model answered %d times and %d calls are on the ledger, for one request", len(model.given()), len(calls))
	}
}

// insist sends a request until it is answered. On a busy machine a database that did
// not answer in time is one of the reasons to come again.
func insist(ctx context.Context, c client, key string, body []byte) (r reply, err error) {
	late := repeat(ctx, func() bool {
		r, err = c.interact(ctx, key, body)
		again := r.status == http.StatusConflict || r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != ""
		return err != nil || !again
	})
	return r, errors.Join(err, late)
}

func TestInteract_KeyWithAnotherBody(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	key, body := p.request()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(body, []byte("Jas"), []byte("Ann"), 1)
	r := s.post(t, "/api/agent/interact", other, map[string]string{"Idempotency-Key": key})
	if r.status != http.StatusConflict || r.code() != "RESOURCE_CONFLICT" {
		t.Errorf("status %d: %s", r.status, r.body)
	}
}

func TestInteract_WithoutAKey(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	first := map[string]any{"url": p.page.url(), "dom": p.page.dom(), "query": p.query}
	a := data[interact.Answer](t, s.post(t, "/api/agent/interact", first, nil))
	if b := data[interact.Answer](t, s.post(t, "/api/agent/interact", first, nil)); b.TaskID == a.TaskID {
		t.Error("a keyless first request is a task of its own each time")
	}
	next := map[string]any{"url": p.page.url(), "dom": p.page.dom(), "taskId": a.TaskID}
	one := s.post(t, "/api/agent/interact", next, nil)
	two := s.post(t, "/api/agent/interact", next, nil)
	if one.status != http.StatusOK || two.status != http.StatusOK || one.header.Get("ETag") == two.header.Get("ETag") {
		t.Errorf("the same again, once it was answered, is the next turn: the page stayed as it was:\n%s\n%s", one.body, two.body)
	}
}

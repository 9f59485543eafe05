package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
)

// A client that hangs up while the model thinks finds the answer when it comes
// back: the turn was finished without it, once.
func TestInteract_ClientHangsUp(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	asked := make(chan struct{})
	model.asked = sync.OnceFunc(func() { close(asked) })
	s := newModelServer(t, model, hooks{})
	p := newPursuit()
	key, body := p.request()
	ctx, hangUp := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := s.interact(ctx, key, body)
		left <- err
	}()
	await(t, "the model is asked", asked)
	hangUp()
	if err := await(t, "the client leaves", left); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r, err := insist(t.Context(), s.client, key, body)
	if err != nil {
		t.Fatal(err)
	}
	a := data[interact.Answer](t, r)
	turns, actions := count(streamOf(t, s.system, a.TaskID))
	if turns != 1 || actions != 1 || len(model.given()) != 1 {
		t.Errorf("%d turns, %d actions, %d answers of the model", turns, actions, len(model.given()))
	}
}

// A server that is told to stop takes no new requests and finishes the turn it
// is at.
func TestServe_StopsAfterTheTurn(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	s := startHeld(t, rig)
	p := newPursuit()
	stepped := make(chan error, 1)
	go func() { stepped <- p.step(context.WithoutCancel(t.Context()), s.client) }()
	await(t, "the turn is claimed", s.claimed)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.stop()
	}()
	eventually(t, "new requests are refused", func() bool {
		r, err := s.do(t.Context(), http.MethodGet, "/api/session", nil, nil)
		return err == nil && r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != ""
	})
	s.letGo()
	if err := await(t, "the answer", stepped); err != nil {
		t.Errorf("the turn under way: %v", err)
	}
	await(t, "the server stops", stopped)
	p.finish(t, rig.serve(t).client)
	audit(t, rig, p)
}

package main

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/domain/task"
)

// heldServer stops in the middle of its first turn until it is let go on.
type heldServer struct {
	*server
	claimed chan struct{} // closed when it has claimed the turn
	letGo   func()
}

func startHeld(t *testing.T, rig *crashRig) heldServer {
	t.Helper()
	claimed, released := make(chan struct{}), make(chan struct{})
	letGo := sync.OnceFunc(func() { close(released) })
	reached := sync.OnceFunc(func() { close(claimed) })
	s := start(t, testConfig(rig.url, rig.env["STEPLEDGER_STATE_DIR"]), hooks{turn: func(point string) {
		if point == "turn.claimed" {
			reached()
			<-released
		}
	}})
	t.Cleanup(letGo) // before the server stops, which waits for its turns
	s.token = rig.token
	return heldServer{s, claimed, letGo}
}

// A turn that takes long is not taken over while its process lives, however
// often its request comes to another process.
func TestTakeOver_NotFromTheLiving(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	slow, other := startHeld(t, rig), rig.serve(t)
	p := newPursuit()
	key, body := p.request()
	answers := make(chan reply, 1)
	go func() {
		r, err := slow.interact(context.WithoutCancel(t.Context()), key, body)
		if err != nil {
			r.body = []byte(err.Error())
		}
		answers <- r
	}()
	await(t, "the turn is claimed", slow.claimed)
	for range 3 {
		r, err := other.interact(t.Context(), key, body)
		if err != nil || r.status != http.StatusConflict || r.code() != "RESOURCE_CONFLICT" || r.header.Get("Retry-After") == "" {
			t.Errorf("the other process: status %d, Retry-After %q (%v): %s", r.status, r.header.Get("Retry-After"), err, r.body)
		}
	}
	slow.letGo()
	first := await(t, "the answer", answers)
	again, err := other.interact(t.Context(), key, body)
	if err != nil || first.status != http.StatusOK || again.status != http.StatusOK || !bytes.Equal(first.body, again.body) {
		t.Errorf("status %d: %s\nagain %d (%v): %s", first.status, first.body, again.status, err, again.body)
	}
	events := streamOf(t, other.system, task.IDFor(rig.tenant, rig.user, key))
	auditTurns(t, events)
	for _, e := range events {
		if e, was := e.(task.TurnAbandoned); was {
			t.Errorf("a living process was taken over: %+v", e)
		}
	}
}

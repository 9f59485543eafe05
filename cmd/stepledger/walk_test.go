package main

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/apitest"
)

// TestWalk tries every operation of the description against the running server, each
// with a user who has a task that goes on, with a model call on its ledger.
func TestWalk(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	var users atomic.Int64
	apitest.Walk(t, s.base, 2, func(t testing.TB) apitest.World {
		email := newUser(t, s.identity, fmt.Sprintf("walker%d@acme.example", users.Add(1)))
		c := s.loginAs(t, email)
		p := newPursuit()
		if err := p.step(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		who := data[api.SessionData](t, c.get(t, "/api/v1/auth/session"))
		calls := data[api.UsageCallsData](t, c.atLeast(t, p.position, "/api/usage/calls")).Calls
		if len(calls) == 0 {
			t.Fatal("the task has no model calls")
		}
		return apitest.World{
			IDs:   apitest.IDs{TaskID: p.task, SessionID: p.session, UserID: who.User.ID, CallID: calls[0].CallID},
			Token: c.token, URL: clinicURL, Email: email, Password: testPassword.Reveal(),
		}
	})
}

package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/internal/identity"
)

// TestWalk tries every operation of the description against the running server, each
// with a user of its own.
func TestWalk(t *testing.T) {
	t.Parallel()
	s := newChangedServer(t, newFakeGemini(t).env(), hooks{}, func(cfg *config) {
		var err error
		if cfg.RateLimits, err = identity.ParseTiers("login account=100000 address=100000; anonymous anonymous=100000"); err != nil {
			t.Fatal(err)
		}
	})
	var users atomic.Int64
	apitest.Walk(t, s.base, 4, func(t testing.TB) apitest.World {
		return s.walker(t, fmt.Sprintf("walker%d@acme.example", users.Add(1)))
	})
}

// walker is a new user; what they own is made when it is asked for.
func (s *server) walker(t testing.TB, email string) apitest.World {
	t.Helper()
	c := s.loginAs(t, newUser(t, s.identity, email))
	who := data[api.SessionData](t, c.get(t, "/api/v1/auth/session"))
	admin := func(name string) string {
		id, err := s.identity.CreateUser(t.Context(), account.Actor{}, identity.NewUser{TenantID: who.TenantID, Email: name + email, Role: account.Admin, Password: testPassword})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	invited := sync.OnceValue(func() api.InvitedData {
		return data[api.InvitedData](t, c.post(t, "/api/admin/invites", map[string]any{"email": "invited." + email}, nil))
	})
	file := sync.OnceValue(func() api.IngestedData { return c.known(t) })
	return apitest.World{
		Own:   sync.OnceValue(func() apitest.IDs { return c.owned(t) }),
		Token: c.token, UserID: who.User.ID, URL: clinicURL, Email: email, Password: testPassword.Reveal(), Month: "2025-12",
		Colleague: sync.OnceValue(func() string { return admin("second.") }),
		Login: sync.OnceValue(func() string {
			l, err := s.identity.Login(t.Context(), email, testPassword, account.Client{})
			if err != nil {
				t.Fatal(err)
			}
			return l.Principal.LoginID
		}),
		Invite:      func() string { return invited().InviteID },
		InviteToken: func() string { return invited().Token },
		Erasure: sync.OnceValue(func() string {
			body := map[string]any{"kind": erasure.User, "id": admin("third."), "reason": erasure.Asked}
			return data[api.ErasureEntry](t, c.post(t, "/api/admin/erasures", body, nil)).ErasureID
		}),
		Source:   func() string { return file().SourceID },
		Document: func() string { return file().DocumentID },
		Site: sync.OnceValue(func() string {
			body := map[string]any{"url": "https://127.0.0.1/", "strategy": "single"} // which nobody visits
			return data[api.AddedSource](t, c.post(t, "/api/knowledge/index-link", body, nil)).SourceID
		}),
	}
}

// known is a file the caller's tenant knows.
func (c client) known(t testing.TB) api.IngestedData {
	t.Helper()
	return data[api.IngestedData](t, c.post(t, "/api/knowledge/ingest", map[string]any{"name": "handbook.md", "text": handbook}, nil))
}

// owned begins a task with a model call on its ledger.
func (c client) owned(t testing.TB) apitest.IDs {
	t.Helper()
	p := newPursuit()
	if err := p.step(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	calls := data[api.UsageCallsData](t, c.atLeast(t, p.position, "/api/usage/calls")).Calls
	if len(calls) == 0 {
		t.Fatal("the task has no model calls")
	}
	return apitest.IDs{TaskID: p.task, SessionID: p.session, CallID: calls[0].CallID}
}

package api

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/domain/account"
)

// The walk on fakes finds what the api itself gets wrong; the end-to-end one what
// stands behind it.
func TestWalk(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[Server]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
	defer server.Close()
	fresh := func(testing.TB) apitest.World {
		w := newWorld()
		for _, class := range []account.Class{account.Interact, account.Resolve, account.Session, account.Usage, account.Debug, account.Replay, account.Account, account.SignIn, account.Anonymous + ":127.0.0.1"} {
			w.limits[class] = 1_000_000
		}
		now.Store(w.server())
		always := func(v string) func() string { return func() string { return v } }
		return apitest.World{
			Own:   func() apitest.IDs { return apitest.IDs{TaskID: taskA, SessionID: sessionA, CallID: callA} },
			Token: tokenA, UserID: userA, URL: "https://example.com/", Email: "ann@example.com", Password: secret.Reveal(), Month: stated.Month,
			Colleague: always(userMember), Login: always(loginA), Invite: always(inviteA), InviteToken: always(inviteToken.Reveal()), Erasure: always(erasureA),
			Source: always(sourceA), Document: always(documentA), Site: always(sourceA),
		}
	}
	fresh(t)
	apitest.Walk(t, server.URL, 1, fresh)
}

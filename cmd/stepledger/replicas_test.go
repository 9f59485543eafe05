package main

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// replicas are two processes on one database, and a client of each for one login.
func replicas(t *testing.T, turn func(point string)) (a, b *server) {
	t.Helper()
	url, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	a, b = start(t, testConfig(url, state), hooks{turn: turn}), start(t, testConfig(url, state), hooks{turn: turn})
	a.client = a.loginAs(t, newUser(t, a.identity, "jo@acme.example"))
	b.token = a.token
	return a, b
}

// A tenant's limit is one, whichever process is asked.
func TestReplicas_ShareLimits(t *testing.T) {
	t.Parallel()
	a, b := replicas(t, nil)
	if err := a.identity.SetTier(t.Context(), account.Actor{}, data[api.SessionData](t, a.get(t, "/api/v1/auth/session")).TenantID, identity.TierFree); err != nil {
		t.Fatal(err)
	}
	ask := func(s *server, i int) reply {
		body := map[string]any{"url": "https://a.example/", "query": "click Save " + strconv.Itoa(i), "dom": "<button id=1>Save</button>"}
		r, err := s.do(t.Context(), http.MethodPost, "/api/agent/interact", body, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before, allowed, refused := 10, 0, 0
	for i := range 16 {
		r := ask([]*server{a, b}[i%2], i)
		left, err := strconv.Atoi(r.header.Get("X-RateLimit-Remaining"))
		if err != nil || r.header.Get("X-RateLimit-Limit") != "10" {
			t.Fatalf("headers %v", r.header)
		}
		switch r.status {
		case http.StatusOK:
			allowed++
			if left > before {
				t.Errorf("request %d leaves %d after %d were left", i+1, left, before)
			}
		case http.StatusTooManyRequests:
			refused++
			if left != 0 || r.header.Get("Retry-After") == "" {
				t.Errorf("refused with %v", r.header)
			}
		default:
			t.Fatalf("%d: %s", r.status, r.body)
		}
		before = left
	}
	// One comes back every six seconds, which a busy machine may take.
	if allowed < 10 || refused == 0 {
		t.Errorf("%d allowed and %d refused of a limit of ten", allowed, refused)
	}
}

// One request sent to both processes at once, again and again, is one turn with one
// answer.
func TestReplicas_AnswerARequestOnce(t *testing.T) {
	t.Parallel()
	a, b := replicas(t, nil)
	p := newPursuit()
	key, body := p.request()
	var n atomic.Int32
	replies := all(t, 20, func(ctx context.Context) (reply, error) {
		c := a.client
		if n.Add(1)%2 == 0 {
			c = b.client
		}
		return insist(ctx, c, key, body)
	})
	for i, r := range replies {
		if r.status != http.StatusOK || !bytes.Equal(r.body, replies[0].body) {
			t.Fatalf("reply %d differs: %d %s", i, r.status, r.body)
		}
	}
	task := data[interact.Answer](t, replies[0]).TaskID
	if turns, actions := count(streamOf(t, a.system, task)); turns != 1 || actions != 1 {
		t.Errorf("%d turns and %d actions for one request", turns, actions)
	}
	other := bytes.Replace(body, []byte("Jas"), []byte("Ann"), 1)
	if r := b.post(t, "/api/agent/interact", other, map[string]string{"Idempotency-Key": key}); r.status != http.StatusConflict {
		t.Errorf("the key with another body: %d %s", r.status, r.body)
	}
}

// Of different requests of one task, sent to both processes at once, one is served.
func TestReplicas_RunOneTurnAtATime(t *testing.T) {
	t.Parallel()
	race := &claimRace{losers: 7, over: make(chan struct{})}
	a, b := replicas(t, race.at)
	p := newPursuit()
	if err := p.step(t.Context(), a.client); err != nil {
		t.Fatal(err)
	}
	before := len(streamOf(t, a.system, p.task))
	race.on.Store(true)
	body := map[string]any{"url": p.page.url(), "dom": p.page.dom(), "taskId": p.task}
	var n atomic.Int32
	replies := all(t, 8, func(ctx context.Context) (reply, error) {
		defer race.answered()
		c := a.client
		if n.Add(1)%2 == 0 {
			c = b.client
		}
		return c.interact(ctx, domain.NewUUID(), body)
	})
	wantOneServed(t, a.system, p.task, before, replies)
}

// What one process was told, the other knows when it is asked with the position of the
// answer: the task, its messages, who may call.
func TestReplicas_ReadWhatTheOtherWrote(t *testing.T) {
	t.Parallel()
	a, b := replicas(t, nil)
	p := newPursuit()
	for turn := range 3 {
		from, to := a, b
		if turn%2 == 1 {
			from, to = b, a
		}
		if err := p.step(t.Context(), from.client); err != nil {
			t.Fatal(err)
		}
		m := data[api.MessagesData](t, to.atLeast(t, p.position, "/api/session/"+p.session+"/messages"))
		if len(m.Messages) < turn+2 {
			t.Errorf("after %d turns the other process shows %d messages", turn+1, len(m.Messages))
		}
		if got := data[api.ActiveTaskData](t, to.atLeast(t, p.position, "/api/session/"+p.session+"/task/active")); got.TaskID != p.task {
			t.Errorf("after %d turns the other process has %+v", turn+1, got)
		}
	}
	if r, err := a.do(t.Context(), http.MethodPost, "/api/v1/auth/logout", nil, nil); err != nil || r.status != http.StatusNoContent {
		t.Fatalf("%v %+v", err, r)
	}
	b.wants(t, http.MethodGet, "/api/session", nil, http.StatusUnauthorized, "UNAUTHORIZED")
}

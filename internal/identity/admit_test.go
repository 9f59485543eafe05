package identity

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// Authenticate is what Admit says of the owner of a token.
func (s *Store) Authenticate(ctx context.Context, token account.Secret) (account.Principal, error) {
	a, err := s.Admit(ctx, token, account.Account, -1)
	return a.Principal, err
}

// Take counts a request as Admit does, of somebody who is known.
func (s *Store) Take(ctx context.Context, p account.Principal, class account.Class) (account.Quota, error) {
	return s.take(ctx, tenantKey(p, class), s.limit(p, class), 1)
}

func admitted(t *testing.T, s *Store, token account.Secret, class account.Class, bytes int64) account.Admission {
	t.Helper()
	a, err := s.Admit(t.Context(), token, class, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// One statement counts as two do, from the same marks on.
func TestAdmit_CountsAsItsParts(t *testing.T) {
	t.Parallel()
	for name, tiers := range map[string]Tiers{
		"free": nil, "one": {TierFree: {account.Interact: 1, account.Session: 2}}, "gold": {TierFree: {account.Interact: 7, account.Session: 2}},
	} {
		s := open(t, Options{Tiers: tiers})
		a, b := addUser(t, s, "a@example.com"), addUser(t, s, "b@example.com")
		token := login(t, s, "a@example.com").Token
		both := func(n int64) (one account.Admission, requests, bytes account.Quota) {
			one = admitted(t, s, token, account.Interact, n)
			requests, err := s.Take(t.Context(), b, account.Interact)
			if err == nil && requests.Allowed && n >= 0 {
				bytes, err = s.TakeBytes(t.Context(), b, account.Interact, n)
			}
			if err != nil {
				t.Fatal(err)
			}
			return one, requests, bytes
		}
		both(1)
		for _, used := range []float64{0.1, 0.5, 0.95} {
			for _, n := range []int64{0, 1, 3 << 20, 25 << 20, 1 << 40, -1} {
				exec(t, s, `update identity.rate_limits set tat = now() + $1 * interval '1 minute'`, used)
				got, requests, bytes := both(n)
				if got.Principal.UserID != a.UserID || got.Requests.Allowed != requests.Allowed || got.Requests.Limit != requests.Limit ||
					got.Bytes.Allowed != bytes.Allowed || got.Bytes.Limit != bytes.Limit {
					t.Errorf("%s, %g used, %d bytes: %+v, want %+v and %+v", name, used, n, got, requests, bytes)
				}
				const marks = `select tat from identity.rate_limits where key like '%' || $1 order by key`
				if of, want := column[time.Time](t, s, marks, a.TenantID), column[time.Time](t, s, marks, b.TenantID); !cmp.Equal(of, want) {
					t.Errorf("%s, %g used, %d bytes: marks %v, want %v", name, used, n, of, want)
				}
			}
		}
	}
}

func TestAdmit_LimitsOfTheTenantAndItsTier(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Tiers: Tiers{TierFree: {account.Interact: 3, account.Session: 4}, "gold": {account.Interact: 30, account.Session: 40}}})
	who := addUser(t, s, "jas@example.com")
	token := login(t, s, "jas@example.com").Token
	want := func(class account.Class, limit int) {
		t.Helper()
		if q := admitted(t, s, token, class, -1).Requests; q.Limit != limit || !q.Allowed {
			t.Errorf("class %s: %+v, want a limit of %d", class, q, limit)
		}
	}
	want(account.Interact, 3)
	want(account.Debug, 4) // as sessions
	exec(t, s, `update identity.tenants set tier = 'gold'`)
	want(account.Interact, 30)
	exec(t, s, `update identity.tenants set tier = 'enterprise'`) // a default that is not configured
	want(account.Interact, 600)
	exec(t, s, `update identity.tenants set tier = 'gone'`)
	want(account.Resolve, 30) // of the free tier, as it is by default
	if err := s.SetLimit(t.Context(), account.Actor{}, who.TenantID, account.Interact, 5); err != nil {
		t.Fatal(err)
	}
	want(account.Interact, 5)
	if _, err := s.Admit(t.Context(), token, account.SignIn, -1); err == nil {
		t.Error("a class no tenant has a limit of was counted")
	}
}

// What is refused for its bytes counts as a request, and moves no bytes.
func TestAdmit_RefusedForItsBytes(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addUser(t, s, "jas@example.com")
	token := login(t, s, "jas@example.com").Token
	admitted(t, s, token, account.Interact, 70<<20)
	before := column[time.Time](t, s, `select tat from identity.rate_limits where key like 'bytes:%'`)
	a := admitted(t, s, token, account.Interact, 25<<20)
	if a.Bytes.Allowed || a.Bytes.RetryAfter <= 0 || !a.Requests.Allowed || a.Requests.Remaining != 8 {
		t.Errorf("over the limit of bytes: %+v", a)
	}
	if after := column[time.Time](t, s, `select tat from identity.rate_limits where key like 'bytes:%'`); !cmp.Equal(before, after) {
		t.Errorf("the bytes' mark was moved from %v to %v", before, after)
	}
}

// An unknown token counts for nobody.
func TestAdmit_UnknownTokens(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	_, err := s.Admit(t.Context(), "x", account.Interact, 1)
	wantCode(t, err, domain.Unauthenticated, domain.CodeUnauthorized)
	if keys := column[string](t, s, `select key from identity.rate_limits`); len(keys) > 0 {
		t.Errorf("counted for %v", keys)
	}
}

// Neither requests nor bytes slip through where all come at once, as the first ever do.
func TestAdmit_OnTwoReplicasAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "identity", Migrate)
	replicas := []*Store{openAt(t, url, Options{}), openAt(t, url, Options{})}
	addUser(t, replicas[0], "jas@example.com")
	token := login(t, replicas[0], "jas@example.com").Token
	var wg sync.WaitGroup
	var mu sync.Mutex
	requests, bytes := 0, 0
	for i := range 60 {
		wg.Go(func() {
			a, err := replicas[i%2].Admit(t.Context(), token, account.Interact, 20<<20)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if a.Requests.Allowed {
				requests++
			}
			if a.Bytes.Allowed {
				bytes++
			}
		})
	}
	wg.Wait()
	if requests != 10 || bytes != 4 { // of 80 MiB
		t.Errorf("60 requests of 20 MiB at once: %d let through, want 10, and the bytes of %d, want 4", requests, bytes)
	}
}

// A commit that wrote no log waits for none.
func TestAdmit_WaitsForNoFlush(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	addUser(t, s, "jas@example.com")
	token := login(t, s, "jas@example.com").Token
	admitted(t, s, token, account.Interact, 1)
	written := column[bool](t, s, `select relpersistence = 'u' from pg_class where oid = 'identity.rate_limits'::regclass`)
	if len(written) != 1 || !written[0] {
		t.Error("limits are in the write-ahead log, which a commit then waits for")
	}
}

func BenchmarkAdmit(b *testing.B) {
	s, err := Open(b.Context(), pgtest.Database(b, "identity", Migrate), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	d, err := s.EnsureDemo(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	l, err := s.Login(b.Context(), d.Email, d.Password, account.Client{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Admit(b.Context(), l.Token, account.Interact, 200_000); err != nil {
			b.Fatal(err)
		}
	}
}

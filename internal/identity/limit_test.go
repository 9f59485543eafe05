package identity

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// pass lets time go by for all limits.
func pass(t *testing.T, s *Store, d time.Duration) {
	t.Helper()
	exec(t, s, `update identity.rate_limits set tat = tat - $1::interval`, d)
}

func take(t *testing.T, s *Store, p account.Principal, class account.Class) account.Quota {
	t.Helper()
	q, err := s.Take(t.Context(), p, class)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestTake(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")
	for i := range 10 {
		q := take(t, s, who, account.Interact)
		if !q.Allowed || q.Limit != 10 || q.Remaining != 9-i {
			t.Fatalf("request %d: %+v, want it allowed with %d of 10 remaining", i+1, q, 9-i)
		}
	}
	q := take(t, s, who, account.Interact)
	if q.Allowed || q.Remaining != 0 || q.RetryAfter <= 0 || q.RetryAfter > 6*time.Second {
		t.Errorf("request 11: %+v, want it refused for at most 6 s", q)
	}
	if left := time.Until(q.ResetAt); left < 55*time.Second || left > time.Minute {
		t.Errorf("the limit is whole again in %v, want about a minute", left)
	}
	if q := take(t, s, who, account.Session); !q.Allowed || q.Limit != 100 {
		t.Errorf("another class: %+v, want it allowed", q)
	}
	pass(t, s, 6*time.Second)
	if q := take(t, s, who, account.Interact); !q.Allowed {
		t.Errorf("six seconds later: %+v, want one request allowed", q)
	}
	if q := take(t, s, who, account.Interact); q.Allowed {
		t.Errorf("six seconds later: %+v, want only one request allowed", q)
	}
	pass(t, s, time.Hour)
	if q := take(t, s, who, account.Interact); q.Remaining != 9 {
		t.Errorf("an hour later: %+v, want a whole limit and no more", q)
	}
}

func TestTake_IsPerTenantAndTier(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Tiers: Tiers{
		TierFree: {account.Interact: 1, account.Session: 2},
		TierPro:  {account.Interact: 3, account.Session: 4},
	}})
	a, b := addUser(t, s, "a@example.com"), addUser(t, s, "b@example.com")
	take(t, s, a, account.Interact)
	if take(t, s, a, account.Interact).Allowed {
		t.Error("a limit of one let two requests through")
	}
	if !take(t, s, b, account.Interact).Allowed {
		t.Error("one tenant used up another's limit")
	}
	if err := s.SetTier(t.Context(), account.Actor{}, a.TenantID, TierPro); err != nil {
		t.Fatal(err)
	}
	l := login(t, s, "a@example.com")
	if q := take(t, s, l.Principal, account.Debug); q.Limit != 4 {
		t.Errorf("class without a number: %+v, want the limit of sessions, 4", q)
	}
	if q := take(t, s, l.Principal, account.Interact); q.Limit != 3 {
		t.Errorf("after moving up a tier: %+v, want a limit of 3", q)
	}
	l.Principal.Tier = "no longer configured"
	if q := take(t, s, l.Principal, account.Resolve); q.Limit != 30 {
		t.Errorf("unknown tier: %+v, want the limits of a free one", q)
	}
}

func TestTake_OnTwoReplicasAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "identity", Migrate)
	replicas := []*Store{openAt(t, url, Options{}), openAt(t, url, Options{})}
	who := addUser(t, replicas[0], "jas@example.com")
	var wg sync.WaitGroup
	var mu sync.Mutex
	granted := 0
	for i := range 60 {
		wg.Go(func() {
			q, err := replicas[i%2].Take(t.Context(), who, account.Interact)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if q.Allowed {
				granted++
			}
		})
	}
	wg.Wait()
	if granted != 10 {
		t.Errorf("60 requests at once: %d granted, want 10", granted)
	}
}

func TestRefund(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")
	for range 10 {
		take(t, s, who, account.Interact)
	}
	if err := s.Refund(t.Context(), who, account.Interact); err != nil {
		t.Fatal(err)
	}
	if q := take(t, s, who, account.Interact); !q.Allowed {
		t.Errorf("after a refund: %+v, want one request allowed", q)
	}
	if q := take(t, s, who, account.Interact); q.Allowed {
		t.Errorf("after one refund: %+v, want only one request allowed", q)
	}
	pass(t, s, time.Hour)
	for range 3 {
		if err := s.Refund(t.Context(), who, account.Interact); err != nil {
			t.Fatal(err)
		}
	}
	if q := take(t, s, who, account.Interact); q.Remaining != 9 {
		t.Errorf("after refunds of a whole limit: %+v, want nothing saved up", q)
	}
}

// A clock that ran ahead and was set back leaves marks in the future. They must not
// lock anybody out until the clock has come that far again.
func TestTake_WhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")
	takes := map[string]func() (account.Quota, error){
		"a tenant":   func() (account.Quota, error) { return s.Take(t.Context(), who, account.Interact) },
		"its bytes":  func() (account.Quota, error) { return s.TakeBytes(t.Context(), who, account.Interact, 1<<20) },
		"an address": func() (account.Quota, error) { return s.TakeAddress(t.Context(), "192.0.2.1") },
		"a login":    func() (account.Quota, error) { return s.TakeLogin(t.Context(), "jas@example.com", "192.0.2.1") },
	}
	for name, take := range takes {
		if _, err := take(); err != nil {
			t.Fatal(name, err)
		}
	}
	for _, ahead := range []time.Duration{time.Hour, Window + time.Second, 365 * 24 * time.Hour} {
		exec(t, s, `update identity.rate_limits set tat = statement_timestamp() + $1::interval`, ahead)
		for name, take := range takes {
			if q, err := take(); err != nil || !q.Allowed || time.Until(q.ResetAt) > Window {
				t.Errorf("%s, the clock %v back: %+v, %v", name, ahead, q, err)
			}
		}
	}
	if late := column[string](t, s, `select key from identity.rate_limits where tat > statement_timestamp() + interval '1 minute'`); len(late) > 0 {
		t.Errorf("marks beyond the window are left: %v", late)
	}
	exec(t, s, `update identity.rate_limits set tat = tat + interval '1 hour'`)
	if n, err := s.PurgeLimits(t.Context()); err != nil || n < int64(len(takes)) {
		t.Errorf("PurgeLimits = %d, %v; want them all", n, err)
	}
}

func TestTakeBytes(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")
	send := func(n int64) account.Quota {
		q, err := s.TakeBytes(t.Context(), who, account.Interact, n)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	answered := 0
	for range 43 {
		if send(24 << 20).Allowed {
			answered++
		}
	}
	if answered != 3 { // of 80 MiB
		t.Errorf("%d of 43 times 24 MB were let through, want 3", answered)
	}
	if q := send(24 << 20); q.Allowed || q.RetryAfter <= 0 || q.RetryAfter > Window {
		t.Errorf("refused: %+v", q)
	}
	pass(t, s, time.Hour)
	small, began := 0, time.Now()
	for send(1).Allowed { // the smallest counts as 64 KiB
		small++
	}
	if back := int(time.Since(began)/(Window/1280)) + 1; small < 1280 || small > 1280+back {
		t.Errorf("%d small bodies were let through, want 1280 and the %d that came back meanwhile", small, back)
	}
	pass(t, s, time.Hour)
	if !send(1<<40).Allowed || send(1<<20).Allowed {
		t.Error("a body over the whole limit has to count as all of it")
	}
}

func TestTakeAddress(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	from := func(address string) account.Quota {
		q, err := s.TakeAddress(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	for i := range 60 {
		if q := from("192.0.2.1"); !q.Allowed || q.Limit != 60 || q.Remaining != 59-i {
			t.Fatalf("request %d: %+v", i+1, q)
		}
	}
	if q := from("192.0.2.1"); q.Allowed || q.RetryAfter <= 0 {
		t.Errorf("request 61: %+v", q)
	}
	if q := from("192.0.2.2"); !q.Allowed {
		t.Errorf("another address: %+v", q)
	}
	if kept := column[string](t, s, `select key from identity.rate_limits where key like '%192.0%'`); len(kept) > 0 {
		t.Errorf("addresses are kept in clear: %v", kept)
	}
}

func TestTakeLogin(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	attempt := func(email, address string) account.Quota {
		q, err := s.TakeLogin(t.Context(), email, address)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	for i := range 10 {
		if q := attempt("jas@example.com", fmt.Sprint("192.0.2.", i)); !q.Allowed {
			t.Fatalf("attempt %d: %+v", i+1, q)
		}
	}
	if q := attempt(" JAS@example.com", "198.51.100.1"); q.Allowed {
		t.Errorf("eleventh attempt from elsewhere, spelt differently: %+v, want it refused", q)
	}
	for i := range 60 {
		attempt(fmt.Sprintf("user%d@example.com", i), "203.0.113.7")
	}
	if q := attempt("fresh@example.com", "203.0.113.7"); q.Allowed || q.RetryAfter <= 0 {
		t.Errorf("attempt 61 from one address: %+v, want it refused", q)
	}
	if q := attempt("fresh@example.com", ""); !q.Allowed {
		t.Errorf("an attempt from an unknown address: %+v, want it counted by account only", q)
	}
	for _, key := range column[string](t, s, `select key from identity.rate_limits where key like '%jas%' or key like '%203.0%'`) {
		t.Errorf("personal data is kept in key %q", key)
	}
	pass(t, s, time.Hour)
	if n, err := s.PurgeLimits(t.Context()); err != nil || n < 60 {
		t.Errorf("PurgeLimits = %d, %v; want them all", n, err)
	}
}

func BenchmarkTake(b *testing.B) {
	s, err := Open(b.Context(), pgtest.Database(b, "identity", Migrate), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	who := account.Principal{TenantID: "bench", Tier: TierDemo}
	for b.Loop() {
		if _, err := s.Take(b.Context(), who, account.Session); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAuthenticate(b *testing.B) {
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
		if _, err := s.Authenticate(b.Context(), l.Token); err != nil {
			b.Fatal(err)
		}
	}
}

package identity

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestParseTiers(t *testing.T) {
	t.Parallel()
	got, err := ParseTiers("free interact=20; gold interact=600\tsession=6000 ;\n anonymous public=5; login account=3;")
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultTiers()
	want[TierFree][account.Interact] = 20
	want["gold"] = DefaultTiers()[TierFree]
	want["gold"][account.Interact], want["gold"][account.Session] = 600, 6000
	want[TierAnonymous][account.Public] = 5
	want[TierLogin][account.Account] = 3
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
	if got.Public() != 5 || got.limit("gold", account.Usage) != 6000 || got.limit("unheard of", account.Interact) != 10 {
		t.Errorf("limits %d, %d, %d", got.Public(), got.limit("gold", account.Usage), got.limit("unheard of", account.Interact))
	}
	if usual, err := ParseTiers(""); err != nil || !cmp.Equal(usual, DefaultTiers()) {
		t.Errorf("nothing configured: %v, %v", usual, err)
	}
}

func TestParseTiers_NamesTheFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"free":                           "tier free: it has no limits",
		"free interact":                  `"interact": the number of requests a minute is from 1 to 1000000`,
		"free interact=0":                `"interact=0"`,
		"free interact=1000001":          `"interact=1000001"`,
		"free interact=ten":              `"interact=ten"`,
		"free interactions=10":           `class "interactions" is none of interact, resolve`,
		"free public=10":                 `class "public" is none of interact`,
		"anonymous session=10":           `class "session" is none of anonymous, public`,
		"login address=1 interact=1":     `class "interact" is none of account, address`,
		"free interact=1 interact=2":     "class interact is given twice",
		"free interact=1;free debug=1":   "tier free: it is given twice",
		"Free interact=1":                "a name has up to 32 of a-z",
		strings.Repeat("x", 33) + " a=1": "a name has up to 32 of a-z",
	} {
		if _, err := ParseTiers(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A tenant has a limit of its own on every replica from the next request on, and that of
// its tier again once it is cleared.
func TestSetLimit_HoldsFromTheNextRequest(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "identity", Migrate)
	s, replica := openAt(t, url, Options{}), openAt(t, url, Options{})
	jas, other := addUser(t, s, "jas@example.com"), addUser(t, s, "jo@example.com")
	token, others := login(t, s, "jas@example.com").Token, login(t, s, "jo@example.com").Token
	on := func(at *Store, token account.Secret, class account.Class) int {
		t.Helper()
		p, err := at.Authenticate(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		return take(t, at, p, class).Limit
	}
	if got := on(replica, token, account.Interact); got != 10 {
		t.Fatalf("at first %d", got)
	}
	if err := s.SetLimit(t.Context(), account.Actor{}, jas.TenantID, account.Interact, 20); err != nil {
		t.Fatal(err)
	}
	if err := s.SetLimit(t.Context(), account.Actor{}, jas.TenantID, account.Usage, 7); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]*Store{"this replica": s, "another": replica} {
		if i, u, d := on(at, token, account.Interact), on(at, token, account.Usage), on(at, token, account.Debug); i != 20 || u != 7 || d != 600 {
			t.Errorf("%s: interact %d, usage %d, debug %d; want 20, 7, 600", name, i, u, d)
		}
		if i := on(at, others, account.Interact); i != 10 {
			t.Errorf("%s, another tenant: %d", name, i)
		}
	}
	tier, all, err := replica.Limits(t.Context(), jas.TenantID)
	if err != nil || tier != TierFree || len(all) != len(TenantClasses) || all[0] != (Limit{account.Interact, 20, true}) || all[1] != (Limit{account.Resolve, 30, false}) {
		t.Errorf("Limits = %s %v, %v", tier, all, err)
	}
	if err := replica.ClearLimits(t.Context(), account.Actor{}, jas.TenantID, account.Usage); err != nil {
		t.Fatal(err)
	}
	if i, u := on(s, token, account.Interact), on(s, token, account.Usage); i != 20 || u != 100 {
		t.Errorf("one cleared: interact %d, usage %d; want 20, 100", i, u)
	}
	if err := s.ClearLimits(t.Context(), account.Actor{}, jas.TenantID, ""); err != nil {
		t.Fatal(err)
	}
	if i := on(replica, token, account.Interact); i != 10 {
		t.Errorf("all cleared: %d", i)
	}
	if err := s.ClearLimits(t.Context(), account.Actor{}, other.TenantID, ""); err != nil {
		t.Errorf("clearing nothing: %v", err)
	}
}

// A tenant's own limit is what is refunded by, and what bounds bytes.
func TestSetLimit_CountsBytesAndRefunds(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	p := addUser(t, s, "jas@example.com")
	p.Limits = map[account.Class]int{account.Interact: 2}
	if q, err := s.TakeBytes(t.Context(), p, account.Interact, 16<<20); err != nil || !q.Allowed {
		t.Errorf("16 MiB of two requests: %+v, %v", q, err)
	}
	if q, err := s.TakeBytes(t.Context(), p, account.Interact, 1<<20); err != nil || q.Allowed {
		t.Errorf("another: %+v, %v, want it refused", q, err)
	}
	take(t, s, p, account.Interact)
	take(t, s, p, account.Interact)
	if err := s.Refund(t.Context(), p, account.Interact); err != nil {
		t.Fatal(err)
	}
	if q := take(t, s, p, account.Interact); !q.Allowed || q.Remaining != 0 {
		t.Errorf("after a refund: %+v", q)
	}
	pass(t, s, time.Hour)
	p.Limits[account.Interact] = MaxPerWindow
	if q, err := s.TakeBytes(t.Context(), p, account.Interact, 25<<20); err != nil || !q.Allowed {
		t.Errorf("bytes of the highest limit: %+v, %v", q, err)
	}
	if q := take(t, s, p, account.Interact); !q.Allowed || time.Until(q.ResetAt) > time.Minute {
		t.Errorf("the highest limit: %+v", q)
	}
}

func TestSetLimit_Refuses(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas := addUser(t, s, "jas@example.com")
	wantCode(t, s.SetLimit(t.Context(), account.Actor{}, domain.NewUUID(), account.Interact, 5), domain.NotFound, "NOT_FOUND")
	wantCode(t, s.SetLimit(t.Context(), account.Actor{}, jas.TenantID, account.SignIn, 5), domain.Invalid, "VALIDATION_ERROR")
	wantCode(t, s.SetLimit(t.Context(), account.Actor{}, jas.TenantID, account.Interact, 0), domain.Invalid, "VALIDATION_ERROR")
	wantCode(t, s.ClearLimits(t.Context(), account.Actor{}, jas.TenantID, "all"), domain.Invalid, "VALIDATION_ERROR")
	wantCode(t, s.SetTier(t.Context(), account.Actor{}, jas.TenantID, TierAnonymous), domain.Invalid, "VALIDATION_ERROR")
	_, _, err := s.Limits(t.Context(), domain.NewUUID())
	wantCode(t, err, domain.NotFound, "NOT_FOUND")
}

package identity

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/pgtest"
)

const password = account.Secret("a long enough password")

// open gives a Store on a database of its own.
func open(t *testing.T, o Options) *Store {
	t.Helper()
	return openAt(t, pgtest.Database(t, "identity", Migrate), o)
}

func openAt(t *testing.T, url string, o Options) *Store {
	t.Helper()
	o.MaxConns = 4
	s, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// addUser makes a tenant with one user.
func addUser(t *testing.T, s *Store, email string) account.Principal {
	t.Helper()
	tenant, err := s.CreateTenant(t.Context(), account.Actor{}, NewTenant{Name: "Acme", Tier: TierFree})
	if err != nil {
		t.Fatal(err)
	}
	user, err := s.CreateUser(t.Context(), account.Actor{}, NewUser{TenantID: tenant, Email: email, Name: "Jas", Role: account.Admin, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return account.Principal{TenantID: tenant, TenantName: "Acme", UserID: user, Email: email, Name: "Jas", Tier: TierFree, Role: account.Admin}
}

func login(t *testing.T, s *Store, email string) account.Login {
	t.Helper()
	l, err := s.Login(t.Context(), email, password, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func wantCode(t *testing.T, err error, kind domain.Kind, code string) {
	t.Helper()
	var e *domain.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Code != code {
		t.Errorf("error = %v, want kind %d with code %s", err, kind, code)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	results := make(chan error)
	for range 4 {
		go func() { results <- Migrate(t.Context(), url) }()
	}
	for range 4 {
		if err := <-results; err != nil {
			t.Errorf("one of four migrations at once: %v", err)
		}
	}
	if err := Schema.To(t.Context(), url, 0); err != nil {
		t.Errorf("down: %v", err)
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Errorf("up again: %v", err)
	}
}

func TestOpen_RefusesLimitsNobodyCanCount(t *testing.T) {
	t.Parallel()
	for name, tiers := range map[string]Tiers{
		"a limit of zero":          {"t": {account.Session: 0}},
		"no limit for other reads": {"t": {account.Interact: 5}},
	} {
		if s, err := Open(t.Context(), "postgres://localhost/none", Options{Tiers: tiers}); err == nil {
			s.Close()
			t.Errorf("%s: Open accepted it", name)
		}
	}
}

func TestStore_DatabaseTroubleIsUnavailable(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	who := addUser(t, s, "jas@example.com")
	s.Close()
	_, loginErr := s.Login(t.Context(), "jas@example.com", password, account.Client{})
	_, authErr := s.Authenticate(t.Context(), "x")
	_, takeErr := s.Take(t.Context(), who, account.Session)
	_, readErr := s.Preferences(t.Context(), who)
	for op, err := range map[string]error{
		"Login": loginErr, "Authenticate": authErr, "Take": takeErr, "Preferences": readErr,
		"Ping": s.Ping(t.Context()), "Logout": s.Logout(t.Context(), who, "x"),
	} {
		var e *domain.Error
		if !errors.As(err, &e) || e.Kind != domain.Unavailable || e.RetryAfter <= 0 {
			t.Errorf("%s = %v, want an Unavailable with RetryAfter", op, err)
		}
	}
}

func TestStore_EndedContextIsNotDatabaseTrouble(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Authenticate(ctx, "x"); !errors.Is(err, context.Canceled) || domain.KindOf(err) != domain.Internal {
		t.Errorf("Authenticate with an ended context = %v", err)
	}
}

// exec changes the database as time or an operator would.
func exec(t *testing.T, s *Store, sql string, args ...any) {
	t.Helper()
	if _, err := s.pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func column[T any](t *testing.T, s *Store, sql string, args ...any) []T {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func TestEnsureDemo(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	made := make(chan Demo)
	for range 3 {
		go func() {
			d, err := s.EnsureDemo(t.Context())
			if err != nil {
				t.Error(err)
			}
			made <- d
		}()
	}
	var passwords []account.Secret
	for range 3 {
		if d := <-made; d.Password != "" {
			passwords = append(passwords, d.Password)
		}
	}
	if len(passwords) != 1 {
		t.Fatalf("three at once were told %d passwords, want 1", len(passwords))
	}
	l, err := s.Login(t.Context(), DemoEmail, passwords[0], account.Client{})
	if err != nil || l.Principal.Tier != TierDemo {
		t.Errorf("Login with the demo password = %+v, %v", l.Principal, err)
	}
	again, err := s.EnsureDemo(t.Context())
	if err != nil || again.Password != "" || again.UserID != l.Principal.UserID {
		t.Errorf("EnsureDemo again = %+v, %v; want the same user and no password", again, err)
	}
	if left := time.Until(l.ExpiresAt); left < DefaultTokenLifetime-time.Minute || left > DefaultTokenLifetime {
		t.Errorf("the token lives for %v, want %v", left, DefaultTokenLifetime)
	}
}

func TestStore_UserOf(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	jas, eve := addUser(t, s, "jas@acme.example"), addUser(t, s, "eve@globex.example")
	if id, err := s.UserOf(t.Context(), jas.TenantID, " Jas@Acme.example"); err != nil || id != jas.UserID {
		t.Errorf("%q, %v; want %q", id, err, jas.UserID)
	}
	_, err := s.UserOf(t.Context(), jas.TenantID, eve.Email)
	wantCode(t, err, domain.NotFound, domain.CodeNotFound)
	if err := s.Disable(t.Context(), account.Actor{}, jas.TenantID, jas.UserID); err != nil {
		t.Fatal(err)
	}
	_, err = s.UserOf(t.Context(), jas.TenantID, jas.Email)
	wantCode(t, err, domain.NotFound, domain.CodeNotFound)
}

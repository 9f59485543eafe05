package content_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/content"
)

func exec(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestStore_Erase(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	refs := seed(t, s, []string{"acme"}, 2)
	if _, err := s.Put(t.Context(), "acme", "t0", content.KindPage, []byte("a page")); err != nil {
		t.Fatal(err)
	}
	for i, want := range []content.Erased{{DataKeys: 1, Blobs: 2}, {}} {
		if got, err := s.Erase(t.Context(), "acme", "t0"); err != nil || got != want {
			t.Errorf("time %d: %+v, %v; want %+v", i+1, got, err, want)
		}
	}
	if got, err := s.Erase(t.Context(), "acme", "never was"); err != nil || got != (content.Erased{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Put(t.Context(), "acme", "never was", content.KindPage, []byte("x")); !errors.Is(err, domain.ErrErased) {
		t.Errorf("a key was made: %v", err)
	}
	delete(refs, "acme\x00t0")
	wantSeed(t, s, refs)
}

func TestStore_EraseTenant(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	refs := seed(t, s, []string{"acme", "globex"}, 3)
	other := reopen(t, url)
	ref := refs["acme\x00t1"]
	if _, err := other.Get(t.Context(), "acme", "t1", ref); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RotateTenant(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []content.Erased{{TenantKeys: 1, DataKeys: 3, Blobs: 3}, {}} {
		if got, err := s.EraseTenant(t.Context(), "acme"); err != nil || got != want {
			t.Errorf("time %d: %+v, %v; want %+v", i+1, got, err, want)
		}
	}
	for _, id := range []string{"t1", "new"} {
		if _, err := s.Put(t.Context(), "acme", id, content.KindPage, []byte("x")); !errors.Is(err, domain.ErrErased) {
			t.Errorf("%s: a key was made: %v", id, err)
		}
	}
	// Another process may use the key for a few seconds, and stores nothing with it.
	if _, err := other.Put(t.Context(), "acme", "t1", content.KindPage, []byte("late")); err != nil && !errors.Is(err, domain.ErrErased) {
		t.Error(err)
	}
	if got, err := s.EraseTenant(t.Context(), "acme"); err != nil || got != (content.Erased{}) {
		t.Errorf("something was stored late: %+v, %v", got, err)
	}
	for key := range refs {
		if key[:4] == "acme" {
			delete(refs, key)
		}
	}
	wantSeed(t, s, refs)
}

// A process hears of a key that another one dropped within seconds.
func TestKeys_DroppedElsewhere(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	ref := put(t, s, "t1", page(1))
	other := reopen(t, url)
	wantBody(t, other, "t1", ref, page(1))
	if err := s.Drop(t.Context(), "acme", "t1"); err != nil {
		t.Fatal(err)
	}
	const within = 5 * time.Second
	began := time.Now()
	for {
		key, err := other.Key(t.Context(), "acme", "t1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := key.Seal([]byte("x"), nil); errors.Is(err, domain.ErrErased) {
			t.Logf("it heard of it after %v", time.Since(began))
			break
		}
		if time.Since(began) > within {
			t.Fatalf("it still uses the key after %v", within)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// While nothing changed a process hands out the same sealer, so that what is made of it can
// be held.
func TestKeys_SealerStaysTheSame(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	first, err := s.NewKey(t.Context(), "acme", "t1")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(3200 * time.Millisecond) // longer than it is taken on trust
	again, err := s.Key(t.Context(), "acme", "t1")
	if err != nil || again != first {
		t.Errorf("another sealer, %v", err)
	}
}

func TestStore_Applied(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for _, want := range []bool{false, true} {
		if got, err := s.IsApplied(t.Context(), "e1"); err != nil || got != want {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
		for range 2 {
			if err := s.Applied(t.Context(), "e1"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

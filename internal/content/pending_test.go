package content_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/content"
)

// commit runs what is pending in one transaction, and is refused as the log is.
func commit(t *testing.T, url string, p *content.Pending) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var done []func()
	err = pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		for _, st := range p.Statements() {
			tag, err := tx.Exec(t.Context(), st.SQL, st.Args...)
			var refused *pgconn.PgError
			if errors.As(err, &refused) && (refused.Code[:2] == "22" || refused.Code[:2] == "23") {
				return st.Refused
			}
			if err != nil {
				return err
			}
			if st.Done != nil {
				done = append(done, func() { st.Done(tag.RowsAffected()) })
			}
		}
		return nil
	})
	if err == nil {
		for _, f := range done {
			f()
		}
	} else if errors.Is(err, content.ErrKeyGone) {
		p.Forget()
	}
	return err
}

// pending is a page of a subject that is to be stored, with its reference.
func pending(t *testing.T, s *content.Store, task string, trust, isNew bool, body string) (*content.Pending, string) {
	t.Helper()
	p := s.Begin("acme", task, trust)
	if _, err := p.Key(t.Context(), isNew); err != nil {
		t.Fatal(err)
	}
	ref, err := p.Put(t.Context(), content.KindPage, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return p, ref
}

func TestPending_PagesOfATask(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	other := reopen(t, url)
	var refs []string
	for i := range 12 {
		p, ref := pending(t, s, "t1", true, i == 0, page(i))
		if i%4 == 2 { // what was not committed is not there, and nothing rests on it
			if _, err := s.Get(t.Context(), "acme", "t1", ref); !content.IsNotFound(err) {
				t.Errorf("before the commit: %v", err)
			}
			p, ref = pending(t, s, "t1", true, false, page(i))
		}
		if err := commit(t, url, p); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
		if i%5 != 4 {
			continue
		}
		if again, same := pending(t, s, "t1", true, false, page(i)); same != ref || commit(t, url, again) != nil {
			t.Errorf("page %d again has another reference, or is refused", i)
		}
	}
	for i, ref := range refs {
		wantBody(t, other, "t1", ref, page(i))
	}
	if sizes := blobSizes(t, url); len(sizes) != 12 || sizes[1]*5 > sizes[0] {
		t.Errorf("pages take %v bytes", sizes)
	}
}

// A key that is made on the way is there with what is sealed under it, or not at all; the
// first of two is the one.
func TestPending_NewKeys(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	other := reopen(t, url)
	mine, ref := pending(t, s, "t1", true, true, page(1))
	theirs, _ := pending(t, other, "t1", true, true, page(2))
	if _, err := other.Put(t.Context(), "acme", "t2", content.KindPage, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := commit(t, url, mine); err != nil {
		t.Fatal(err)
	}
	if err := commit(t, url, mine); err != nil {
		t.Errorf("repeated, its commit is refused: %v", err)
	}
	if err := commit(t, url, theirs); !errors.Is(err, content.ErrKeyGone) {
		t.Errorf("a second key: %v", err)
	}
	wantBody(t, other, "t1", ref, page(1))
	again, second := pending(t, other, "t1", false, true, page(2))
	if err := commit(t, url, again); err != nil {
		t.Fatal(err)
	}
	wantBody(t, s, "t1", second, page(2))
}

// Whatever a process remembers, nothing is stored under a key that was dropped, and a
// dropped key does not come back.
func TestPending_AfterErasure(t *testing.T) {
	t.Parallel()
	for name, erase := range map[string]func(*content.Store) error{
		"of the subject": func(s *content.Store) error { return s.Drop(t.Context(), "acme", "t1") },
		"of the tenant": func(s *content.Store) error {
			_, err := s.EraseTenant(t.Context(), "acme")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, url := open(t)
			p, _ := pending(t, s, "t1", true, true, page(1))
			if err := commit(t, url, p); err != nil {
				t.Fatal(err)
			}
			known, _ := pending(t, s, "t1", true, false, page(2))
			fresh, _ := pending(t, reopen(t, url), "t1", true, true, page(3))
			if err := erase(reopen(t, url)); err != nil {
				t.Fatal(err)
			}
			for _, p := range []*content.Pending{known, fresh} {
				if err := commit(t, url, p); !errors.Is(err, content.ErrKeyGone) {
					t.Errorf("after the erasure: %v", err)
				}
			}
			if sizes := blobSizes(t, url); len(sizes) != 0 {
				t.Errorf("%d blobs are left", len(sizes))
			}
			p = s.Begin("acme", "t1", false)
			if _, err := p.Key(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Put(t.Context(), content.KindPage, []byte("x")); !errors.Is(err, domain.ErrErased) {
				t.Errorf("a put after it: %v", err)
			}
		})
	}
}

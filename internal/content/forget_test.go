package content_test

import (
	"crypto/rand"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/content"
)

// lose takes a blob back, as a database does that is put back to an earlier state.
func lose(t *testing.T, url, ref string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if tag, err := conn.Exec(t.Context(), `delete from content.blobs where ref = $1`, ref); err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%v, %v", tag, err)
	}
}

// A page that was stored against one that is lost is missing too, never another page.
func TestGet_OfAChainWithAGap(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	var refs []string
	for i := range 4 {
		refs = append(refs, put(t, s, "t1", page(i)))
	}
	lose(t, url, refs[2])
	wantBody(t, s, "t1", refs[1], page(1))
	if body, err := s.Get(t.Context(), "acme", "t1", refs[3]); !content.IsNotFound(err) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// After ForgetAll nothing rests on what was lost, and no key of it is used.
func TestForgetAll(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	put(t, s, "t1", page(0))
	lose(t, url, put(t, s, "t1", page(1)))
	s.ForgetAll()
	wantBody(t, s, "t1", put(t, s, "t1", page(2)), page(2))
}

// What is large is stored before what refers to it, with the key it needs.
func TestPending_LargeGoesBefore(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	shot := make([]byte, 1<<20)
	_, _ = rand.Read(shot)
	for name, isNew := range map[string]bool{"of a new task": true, "of a task": false} {
		if !isNew {
			put(t, s, name, page(1))
		}
		p, ref := pending(t, s, name, true, isNew, string(shot))
		wantBody(t, reopen(t, url), name, ref, string(shot))
		for _, st := range p.Statements() {
			if st.Bytes > 1<<10 {
				t.Errorf("%s: %d bytes go along", name, st.Bytes)
			}
		}
		if err := commit(t, url, p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

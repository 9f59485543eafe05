package content_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/content"
)

// sql runs a statement beside the store and returns its one number.
func sql(t *testing.T, url, statement string, args ...any) (n int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if err := db.QueryRow(t.Context(), statement, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// What a newer version has stored is an error that may pass, whatever is in it, and not a
// wrong page. What was stored before it is still read.
func TestGet_OfANewerForm(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	old := put(t, s, "task", page(0))
	key, err := s.NewKey(t.Context(), "acme", "task")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []byte{2, 9, 255} {
		ref := string('a' + rune(form%26))
		sealed, err := key.Seal([]byte{form, 0x28, 0xB5, 0x2F, 0xFD}, []byte(ref))
		if err != nil {
			t.Fatal(err)
		}
		sql(t, url, `insert into content.blobs (tenant, subject, ref, kind, chain, seq, size, body)
			values ('acme', 'task', $1, 'page', $1, 0, 5, $2) returning 1`, ref, sealed)
		if body, err := s.Get(t.Context(), "acme", "task", ref); !domain.IsNewer(err) || domain.KindOf(err) != domain.Unavailable {
			t.Errorf("form %d: %q, %v", form, body, err)
		}
	}
	wantBody(t, s, "task", old, page(0))
}

// In a database that a version before may work with, pages are stored as that reads them,
// until somebody says that none does any more. Then all of them are read.
func TestPut_InTheFormOfTheOldestVersion(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	put(t, s, "used", page(0))
	sql(t, url, `delete from content.blobs returning 1`)           // retention may have taken all pages
	if err := content.Schema.To(t.Context(), url, 2); err != nil { // as the version before left it
		t.Fatal(err)
	}
	if err := content.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	const chained = `select count(*) from content.blobs where subject = 'task' and seq > 0`
	beside := reopen(t, url)
	refs := []string{put(t, beside, "task", page(1)), put(t, beside, "task", page(2))}
	if n := sql(t, url, chained); n != 0 {
		t.Errorf("%d pages are stored as deltas beside a version that reads none", n)
	}
	if err := content.Finish(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	after := reopen(t, url)
	refs = append(refs, put(t, after, "task", page(3)), put(t, after, "task", page(4)))
	if n := sql(t, url, chained); n != 1 {
		t.Errorf("%d pages are stored as deltas after the upgrade, want 1", n)
	}
	for i, ref := range refs {
		wantBody(t, beside, "task", ref, page(i+1))
	}
}

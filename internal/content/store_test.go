package content_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/pgtest"
)

var master = bytes.Repeat([]byte{7}, 32)

func open(t *testing.T) (*content.Store, string) {
	t.Helper()
	url := pgtest.Database(t, "content", content.Migrate)
	return reopen(t, url), url
}

func reopen(t *testing.T, url string) *content.Store {
	t.Helper()
	s, err := content.Open(t.Context(), url, content.Options{MasterKey: master})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func put(t *testing.T, s *content.Store, task string, body string) string {
	t.Helper()
	ref, err := s.Put(t.Context(), "acme", task, content.KindPage, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func wantBody(t *testing.T, s *content.Store, task, ref, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), "acme", task, ref)
	if err != nil {
		t.Fatalf("get %s: %v", ref, err)
	}
	if string(got) != want {
		t.Fatalf("got %d bytes, want %d: %.60q", len(got), len(want), got)
	}
}

// page is a document of about 20 kB that differs a little from turn to turn.
func page(turn int) string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "<div class=row id=r%d><button>Open %d</button><span>%x</span></div>", i, i, i*i*7919)
	}
	fmt.Fprintf(&b, "<p>turn %d</p>", turn)
	return b.String()
}

func TestStore_PagesOfATask(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	refs := make([]string, 30)
	for i := range refs {
		refs[i] = put(t, s, "t1", page(i))
	}
	t.Run("each comes back as it was, in any order", func(t *testing.T) {
		for i := len(refs) - 1; i >= 0; i-- {
			wantBody(t, s, "t1", refs[i], page(i))
		}
	})
	t.Run("another process reads and goes on", func(t *testing.T) {
		other := reopen(t, url)
		wantBody(t, other, "t1", refs[17], page(17))
		wantBody(t, other, "t1", put(t, other, "t1", page(99)), page(99))
	})
	t.Run("a page seen before is stored once and can be followed", func(t *testing.T) {
		if again := put(t, s, "t1", page(3)); again != refs[3] {
			t.Fatalf("reference changed from %s to %s", refs[3], again)
		}
		for i := 200; i < 212; i++ {
			wantBody(t, s, "t1", put(t, s, "t1", page(i)), page(i))
		}
		wantBody(t, s, "t1", refs[3], page(3))
	})
	t.Run("a page costs a fraction of a full one", func(t *testing.T) {
		sizes := blobSizes(t, url)
		if small, full := sizes[1], sizes[0]; small*5 > full {
			t.Errorf("a page against the one before takes %d bytes, a full one %d", small, full)
		}
	})
}

func blobSizes(t *testing.T, url string) []int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `select octet_length(body) from content.blobs order by created_at`)
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

func TestStore_ConcurrentPutsOfOneTask(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s, "t1", page(0))
	refs := make([]string, 16)
	var wg sync.WaitGroup
	for i := range refs {
		wg.Go(func() {
			ref, err := s.Put(t.Context(), "acme", "t1", content.KindPage, []byte(page(i+1)))
			if err != nil {
				t.Error(err)
			}
			refs[i] = ref
		})
	}
	wg.Wait()
	for i, ref := range refs {
		wantBody(t, s, "t1", ref, page(i+1))
	}
}

func TestStore_NothingStandsInClear(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	put(t, s, "t1", "the patient's name is Jas")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var body []byte
	if err := conn.QueryRow(t.Context(), `select body from content.blobs`).Scan(&body); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(body, []byte("Jas")) {
		t.Error("the stored bytes hold the text")
	}
}

func TestStore_Isolation(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ref := put(t, s, "t1", page(1))
	for _, c := range []struct{ name, tenant, task string }{
		{"another tenant", "globex", "t1"},
		{"another task", "acme", "t2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := s.Get(t.Context(), c.tenant, c.task, ref); err == nil {
				t.Error("the blob was handed out")
			}
		})
	}
}

func TestStore_DroppedKey(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	ref := put(t, s, "t1", page(1))
	sealer, err := s.NewKey(t.Context(), "acme", "t1")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := sealer.Seal([]byte("Jas"), []byte("ctx"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(t.Context(), "acme", "t1"); err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]*content.Store{"same process": s, "new process": reopen(t, url)} {
		t.Run(name, func(t *testing.T) {
			if _, err := store.Get(t.Context(), "acme", "t1", ref); !errors.Is(err, domain.ErrErased) {
				t.Errorf("reading a blob: %v", err)
			}
			key, err := store.Key(t.Context(), "acme", "t1")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := key.Open(sealed, []byte("ctx")); !errors.Is(err, domain.ErrErased) {
				t.Errorf("opening sealed text: %v", err)
			}
			if _, err := store.Put(t.Context(), "acme", "t1", content.KindPage, []byte("x")); !errors.Is(err, domain.ErrErased) {
				t.Errorf("a new key was made: %v", err)
			}
		})
	}
}

func TestStore_WrongMasterKey(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	put(t, s, "t1", page(1))
	_, err := content.Open(t.Context(), url, content.Options{MasterKey: bytes.Repeat([]byte{8}, 32)})
	if !errors.Is(err, content.ErrMasterKey) || !errors.Is(err, domain.ErrBadKey) {
		t.Errorf("got %v, want ErrMasterKey", err)
	}
}

func TestStore_DamagedKey(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	put(t, s, "t1", page(1))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `update content.data_keys set wrapped = 'nonsense'`); err != nil {
		t.Fatal(err)
	}
	if _, err := reopen(t, url).Key(t.Context(), "acme", "t1"); !errors.Is(err, domain.ErrBadKey) {
		t.Errorf("got %v, want ErrBadKey", err)
	}
}

func TestStore_DatabaseOutOfReach(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	put(t, s, "t1", page(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"put": func() error { _, err := s.Put(ctx, "acme", "t1", content.KindPage, []byte("x")); return err }(),
		"get": func() error { _, err := s.Get(ctx, "acme", "t1", "x"); return err }(),
		"key": func() error { _, err := s.NewKey(ctx, "acme", "t2"); return err }(),
	} {
		if domain.KindOf(err) != domain.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStore_PutAsKeepsTheFirstBody(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for _, body := range []string{"first", "second"} {
		if err := s.PutAs(t.Context(), "acme", "t1", content.KindAnswer, "answer-1", []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	wantBody(t, s, "t1", "answer-1", "first")
}

func TestStore_Purge(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	var refs []string
	for i := range 5 { // in more batches than one
		refs = append(refs, put(t, s, "t"+strconv.Itoa(i), page(1)))
	}
	for age, want := range map[time.Duration]int64{-time.Hour: 0, time.Hour: 5} {
		if n, err := s.Purgeable(t.Context(), time.Now().Add(age)); err != nil || n != want {
			t.Errorf("%v from now %d may go, %v; want %d", age, n, err, want)
		}
	}
	n, err := s.Purge(t.Context(), time.Now().Add(-time.Hour), 2)
	if err != nil || n != 0 {
		t.Fatalf("purging what is young: %d, %v", n, err)
	}
	if n, err = s.Purge(t.Context(), time.Now().Add(time.Hour), 2); err != nil || n != 5 {
		t.Fatalf("purging what is old: %d, %v", n, err)
	}
	for i, ref := range refs {
		if _, err := s.Get(t.Context(), "acme", "t"+strconv.Itoa(i), ref); !content.IsNotFound(err) {
			t.Errorf("got %v, want not found", err)
		}
	}
}

func TestSealer(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	key, err := s.NewKey(t.Context(), "acme", "t1")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := key.Seal([]byte("Jas"), []byte("place 1"))
	b, _ := key.Seal([]byte("Jas"), []byte("place 1"))
	c, _ := key.Seal([]byte("Jas"), []byte("place 2"))
	if !bytes.Equal(a, b) {
		t.Error("the same text in the same place seals to other bytes")
	}
	if bytes.Equal(a, c) {
		t.Error("two places share sealed bytes")
	}
	if _, err := key.Open(a, []byte("place 2")); err == nil {
		t.Error("text opens in another place than its own")
	}
	if plain, err := key.Open(a, []byte("place 1")); err != nil || string(plain) != "Jas" {
		t.Errorf("got %q, %v", plain, err)
	}
}

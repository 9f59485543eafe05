package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

var keys = Credentials{Region: "us-east-1", AccessKey: "AKIDTEST", SecretKey: "a-secret-nobody-may-see"}

// storage runs object storage with one bucket; wrap stands before it.
func storage(t *testing.T, wrap func(http.Handler) http.Handler) Credentials {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("log-archive"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(wrap(gofakes3.New(backend).Server()))
	t.Cleanup(server.Close)
	c := keys
	c.Endpoint = server.URL
	return c
}

func plain(h http.Handler) http.Handler { return h }

func mustOpen(t *testing.T, address string, c Credentials) Place {
	t.Helper()
	p, err := Open(address, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) Place{
		"a folder":             func(t *testing.T) Place { return mustOpen(t, t.TempDir(), Credentials{}) },
		"a bucket":             func(t *testing.T) Place { return mustOpen(t, "s3://log-archive", storage(t, plain)) },
		"a prefix in a bucket": func(t *testing.T) Place { return mustOpen(t, "s3://log-archive/one/two/", storage(t, plain)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testPlace(t, open(t))
		})
	}
}

func testPlace(t *testing.T, p Place) {
	ctx := t.Context()
	if _, err := p.Get(ctx, "a/none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	if got := names(t, p, ""); len(got) > 0 {
		t.Errorf("an empty place lists %v", got)
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<19) // 8 MiB
	for name, content := range map[string][]byte{"a/1.parquet": []byte("one"), "a/b/2": {0}, "a-1": []byte("first"), "c/3": large} {
		if err := p.Put(ctx, name, content); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Get(ctx, name); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s has %d bytes, %v; want %d", name, len(got), err, len(content))
		}
	}
	if err := p.Put(ctx, "a/1.parquet", []byte("other")); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Get(ctx, "a/1.parquet"); err != nil || string(got) != "other" {
		t.Errorf("what was replaced is %q, %v", got, err)
	}
	for prefix, want := range map[string][]string{
		"": {"a-1", "a/1.parquet", "a/b/2", "c/3"}, "a/": {"a/1.parquet", "a/b/2"}, "a": {"a-1", "a/1.parquet", "a/b/2"}, "c/3": {"c/3"}, "x/": nil,
	} {
		if diff := cmp.Diff(want, names(t, p, prefix)); diff != "" {
			t.Errorf("list %q (-want +got):\n%s", prefix, diff)
		}
	}
	for range 2 {
		if err := p.Remove(ctx, "a/b/2"); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Get(ctx, "a/b/2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("what was removed: %v", err)
	}
	for _, name := range []string{"", "/a", "../a", "a/../b", "a//b", "a b", "a/", "."} {
		if err := p.Put(ctx, name, nil); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := p.Put(ended, "late", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

func names(t *testing.T, p Place, prefix string) (out []string) {
	t.Helper()
	err := p.List(t.Context(), prefix, func(o Object) bool {
		if o.WrittenAt.IsZero() {
			t.Errorf("%s has no time", o.Name)
		}
		out = append(out, o.Name)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	err = p.List(t.Context(), prefix, func(Object) bool { first++; return false })
	if err != nil || first > 1 {
		t.Errorf("a list that was broken off after one went on to %d, %v", first, err)
	}
	return out
}

func TestFolder(t *testing.T) {
	t.Parallel()
	t.Run("what was being written is listed and can be removed", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		p := mustOpen(t, root, Credentials{})
		if err := p.Put(t.Context(), "log/1", []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "log", unfinished+"123"), []byte("ha"), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"log/.new-123", "log/1"}, names(t, p, "log/")); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}
		if err := p.Remove(t.Context(), "log/.new-123"); err != nil {
			t.Error(err)
		}
		if got := names(t, p, ""); len(got) != 1 {
			t.Errorf("left are %v", got)
		}
	})
	t.Run("a root that is missing is not made", func(t *testing.T) {
		t.Parallel()
		root := filepath.Join(t.TempDir(), "not-mounted")
		p := mustOpen(t, root, Credentials{})
		var of *Error
		if err := p.Put(t.Context(), "log/1", nil); !errors.As(err, &of) || of.Name != "log/1" || of.Place != root {
			t.Errorf("error is %v", err)
		}
		if err := p.List(t.Context(), "", func(Object) bool { return true }); err == nil {
			t.Error("a folder that is missing is listed as empty")
		}
		if _, err := os.Stat(root); err == nil {
			t.Error("the root was made")
		}
	})
	t.Run("two who write the same name leave one of the two", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		p := mustOpen(t, root, Credentials{})
		done := make(chan error)
		for i := range 8 {
			go func() { done <- p.Put(t.Context(), "log/1", bytes.Repeat([]byte{byte(i)}, 100_000)) }()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		got, err := p.Get(t.Context(), "log/1")
		if err != nil || len(got) != 100_000 || len(slices.Compact(got)) != 1 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if left, err := os.ReadDir(filepath.Join(root, "log")); err != nil || len(left) != 1 {
			t.Errorf("left are %v, %v", left, err)
		}
	})
}

func TestBucket_trouble(t *testing.T) {
	t.Parallel()
	// first lets the first requests fail in some way.
	first := func(n int64, fail http.HandlerFunc) func(http.Handler) http.Handler {
		var count atomic.Int64
		return func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if count.Add(1) <= n {
					fail(w, r)
					return
				}
				h.ServeHTTP(w, r)
			})
		}
	}
	t.Run("what passes is tried again", func(t *testing.T) {
		t.Parallel()
		for name, fail := range map[string]http.HandlerFunc{
			"busy":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			"hang up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		} {
			p := mustOpen(t, "s3://log-archive/x", storage(t, first(2, fail)))
			if err := p.Put(t.Context(), "1", []byte("one")); err != nil {
				t.Errorf("%s: put: %v", name, err)
			}
			if got, err := p.Get(t.Context(), "1"); err != nil || string(got) != "one" {
				t.Errorf("%s: get: %q, %v", name, got, err)
			}
		}
	})
	t.Run("an answer that breaks off is asked for again", func(t *testing.T) {
		t.Parallel()
		content := bytes.Repeat([]byte("x"), 1<<20)
		var cut atomic.Bool
		p := mustOpen(t, "s3://log-archive/x", storage(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/1") && cut.CompareAndSwap(false, true) {
					w.Header().Set("Content-Length", strconv.Itoa(len(content)))
					w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
					w.Header().Set("ETag", `"1"`)
					_, _ = io.CopyN(w, bytes.NewReader(content), 1000)
					panic(http.ErrAbortHandler)
				}
				h.ServeHTTP(w, r)
			})
		}))
		if err := p.Put(t.Context(), "1", content); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Get(t.Context(), "1"); err != nil || !bytes.Equal(got, content) || !cut.Load() {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	t.Run("what is refused is said without the keys", func(t *testing.T) {
		t.Parallel()
		p := mustOpen(t, "s3://log-archive/x", storage(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
		}))
		err := p.Put(t.Context(), "1", nil)
		var of *Error
		if !errors.As(err, &of) || of.Op != "write" || of.Name != "1" || of.Place != "s3://log-archive/x" {
			t.Fatalf("error is %v", err)
		}
		for _, key := range []string{keys.AccessKey, keys.SecretKey} {
			if strings.Contains(err.Error(), key) || strings.Contains(p.String(), key) {
				t.Errorf("%v says a key", err)
			}
		}
	})
	t.Run("a bucket that is missing is not an object that is missing", func(t *testing.T) {
		t.Parallel()
		p := mustOpen(t, "s3://another", storage(t, plain))
		if _, err := p.Get(t.Context(), "1"); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("error is %v", err)
		}
		if err := p.List(t.Context(), "", func(Object) bool { return true }); err == nil {
			t.Error("it is listed as empty")
		}
	})
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for address, c := range map[string]Credentials{
		"relative/path": {}, "": {}, "ftp://host/x": {}, "s3://": {}, "s3:///prefix": {}, "s3://bucket/a//b": {}, "s3://bucket/../b": {},
		"s3://AKID:a-secret@bucket/x": {}, "https://u:a-secret@host/x": {},
		"s3://bucket/1": {Endpoint: "ftp://host"}, "s3://bucket/2": {Endpoint: "http://u:a-secret@host"}, "s3://bucket/3": {Endpoint: "http://host/path"},
	} {
		_, err := Open(address, c)
		var of *AddressError
		if !errors.As(err, &of) || of.Why == "" || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("%q, %+v: error is %v", address, c, err)
		}
	}
}

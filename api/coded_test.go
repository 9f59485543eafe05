package api

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api/coding"
)

// pack compresses a text.
func pack(t testing.TB, name, text string) string {
	t.Helper()
	if name == coding.Identity {
		return text
	}
	var b bytes.Buffer
	w := coding.NewWriter(name, &b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// unpack opens an answer.
func unpack(t testing.TB, res *httptest.ResponseRecorder) string {
	t.Helper()
	r, err := coding.Open(res.Header().Get("Content-Encoding"), bytes.NewReader(res.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestBody_MayBeCompressed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{coding.Gzip, coding.Zstd} {
		for _, announced := range []bool{true, false} {
			w := newWorld()
			s := w.server()
			r := ask{method: post, target: "/api/agent/interact", token: tokenA, body: pack(t, name, goodInteract), header: map[string]string{"Content-Encoding": name}}.request(t)
			if !announced {
				r.ContentLength = -1
			}
			got := httptest.NewRecorder()
			s.ServeHTTP(got, r)
			if got.Code != http.StatusOK {
				t.Fatalf("%s = %d %s", name, got.Code, got.Body)
			}
			postInteract(t, s, goodInteract)
			// It is the same request, however it came, and its bytes are those of the body.
			if w.requests[0].BodyHash != w.requests[1].BodyHash || w.bytes != 2*int64(len(goodInteract)) {
				t.Errorf("%s: hashes %s and %s, %d bytes counted", name, w.requests[0].BodyHash, w.requests[1].BodyHash, w.bytes)
			}
			if s.bodies.now != 0 || len(s.bodies.by) != 0 {
				t.Errorf("%s: %d bytes are held after the answer: %v", name, s.bodies.now, s.bodies.by)
			}
		}
	}
}

func TestBody_ThatOpensToTooMuch(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for name, bomb := range map[string]string{
		coding.Gzip: pack(t, coding.Gzip, strings.Repeat(" ", 64<<20)), coding.Zstd: pack(t, coding.Zstd, strings.Repeat(" ", 64<<20)),
	} {
		if len(bomb) > 1<<20 {
			t.Fatalf("%s: the bomb has %d bytes", name, len(bomb))
		}
		for _, target := range []string{"/api/agent/interact", "/api/session", "/api/v1/auth/login"} {
			got := send(t, s, ask{method: post, target: target, token: tokenA, body: bomb, header: map[string]string{"Content-Encoding": name}})
			wantFailure(t, got, http.StatusRequestEntityTooLarge, "INVALID_REQUEST", "")
		}
	}
	// The caps are those of bodies that are not compressed.
	archive := `{"sessionId":"` + sessionA + `"}`
	for _, name := range []string{coding.Gzip, coding.Zstd} {
		for extra, status := range map[int]int{0: http.StatusOK, 1: http.StatusRequestEntityTooLarge} {
			body := pack(t, name, archive+strings.Repeat(" ", smallBody-len(archive)+extra))
			got := send(t, s, ask{method: post, target: "/api/session", token: tokenA, body: body, header: map[string]string{"Content-Encoding": name}})
			if got.Code != status {
				t.Errorf("%s, %d bytes too many: %d", name, extra, got.Code)
			}
		}
	}
	if s.bodies.now != 0 || len(s.bodies.by) != 0 {
		t.Errorf("%d bytes are held after the answers", s.bodies.now)
	}
}

func TestBody_ThatIsNotOfItsCoding(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	whole := pack(t, coding.Gzip, goodInteract)
	window := "\x28\xb5\x2f\xfd\x00\xb0" + strings.Repeat("\x00", 8) // a window of 4 GB
	for name, tt := range map[string]struct{ coding, body string }{
		"plain as gzip":         {coding.Gzip, goodInteract},
		"plain as zstd":         {coding.Zstd, goodInteract},
		"broken off":            {coding.Gzip, whole[:len(whole)-9]},
		"broken off, as zstd":   {coding.Zstd, pack(t, coding.Zstd, goodInteract)[:40]},
		"with something behind": {coding.Gzip, whole + "and more"},
		"nothing":               {coding.Gzip, " "},
		"a huge window":         {coding.Zstd, window},
		"gzip as zstd":          {coding.Zstd, whole},
	} {
		got := send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: tt.body, header: map[string]string{"Content-Encoding": tt.coding}})
		if got.Code != http.StatusBadRequest || failure(t, got).Code != "INVALID_REQUEST" {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
	for _, name := range []string{"br", "deflate", "gzip, gzip", "aes128gcm"} {
		got := send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: goodInteract, header: map[string]string{"Content-Encoding": name}})
		wantFailure(t, got, http.StatusUnsupportedMediaType, "INVALID_REQUEST", "Content-Encoding")
		if got.Header().Get("Accept-Encoding") != "gzip, zstd" {
			t.Errorf("%s: Accept-Encoding = %q", name, got.Header().Get("Accept-Encoding"))
		}
	}
}

// What opens a body takes memory, which counts as that of bodies does.
func TestBody_OpeningIsBounded(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	s.bodies = newBodyBudget(coding.MaxWindow-1, coding.MaxWindow-1)
	got := send(t, s, ask{method: post, target: "/api/session", token: tokenA, body: pack(t, coding.Zstd, `{}`), header: map[string]string{"Content-Encoding": coding.Zstd}})
	wantFailure(t, got, http.StatusServiceUnavailable, "SERVER_BUSY", "")
}

func TestAnswer_IsCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.web = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, strings.Repeat("a page ", 1000))
	})
	s := w.server()
	for name, tt := range map[string]struct{ target, accept, want string }{
		"the description":             {"/openapi.json", "gzip, deflate, br, zstd", coding.Zstd},
		"gzip only":                   {"/openapi.yaml", "gzip", coding.Gzip},
		"what is liked better":        {"/openapi.json", "zstd;q=0.1, gzip;q=0.9", coding.Gzip},
		"nothing we have":             {"/openapi.json", "br", coding.Identity},
		"not asked for":               {"/openapi.json", "", coding.Identity},
		"refused":                     {"/openapi.json", "gzip;q=0, zstd;q=0", coding.Identity},
		"a short one":                 {"/api/health", "gzip", coding.Identity},
		"a short error":               {"/api/nothing", "gzip", coding.Identity},
		"a page, beside the secret's": {"/somewhere", "gzip", coding.Identity},
	} {
		plain := send(t, s, ask{method: get, target: tt.target})
		got := send(t, s, ask{method: get, target: tt.target, header: map[string]string{"Accept-Encoding": tt.accept}})
		if got.Code != plain.Code || got.Header().Get("Content-Encoding") != tt.want {
			t.Errorf("%s: %d, Content-Encoding %q, want %q", name, got.Code, got.Header().Get("Content-Encoding"), tt.want)
		}
		if unpack(t, got) != plain.Body.String() {
			t.Errorf("%s: it opens to something else", name)
		}
		varies := strings.Contains(strings.Join(got.Header()["Vary"], ","), "Accept-Encoding")
		if isPage := tt.target == "/somewhere"; varies == isPage {
			t.Errorf("%s: Vary %q", name, got.Header()["Vary"])
		}
		if tt.want != coding.Identity && got.Body.Len() > plain.Body.Len()/3 {
			t.Errorf("%s: %d bytes of %d", name, got.Body.Len(), plain.Body.Len())
		}
	}
}

func TestAnswer_HeadSaysWhatGetWould(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for _, accept := range []string{"gzip", ""} {
		header := map[string]string{"Accept-Encoding": accept}
		want, got := send(t, s, ask{method: get, target: "/openapi.json", header: header}).Header(), send(t, s, ask{method: http.MethodHead, target: "/openapi.json", header: header}).Header()
		for _, name := range []string{"Content-Length", "Content-Encoding", "Vary"} {
			if want.Get(name) != got.Get(name) {
				t.Errorf("%q: %s is %q, of GET %q", accept, name, got.Get(name), want.Get(name))
			}
		}
	}
}

// A stream stays one: what was written arrives before its end.
func TestAnswer_AStreamIsCompressedPieceByPiece(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for _, name := range []string{coding.Gzip, coding.Zstd} {
		plain := send(t, s, ask{method: get, target: "/api/usage/export", token: tokenA})
		got := send(t, s, ask{method: get, target: "/api/usage/export", token: tokenA, header: map[string]string{"Accept-Encoding": name}})
		if got.Header().Get("Content-Encoding") != name || got.Header().Get("Content-Length") != "" || unpack(t, got) != plain.Body.String() {
			t.Errorf("%s: %v, %d bytes", name, got.Header(), got.Body.Len())
		}
		out := httptest.NewRecorder()
		held := &heldWriter{ResponseWriter: out, status: http.StatusOK, accept: name}
		held.Header().Set("Content-Type", "text/csv")
		stream := &streamWriter{ResponseWriter: held, control: http.NewResponseController(held)}
		row := strings.Repeat("1,2,3\n", 1000)
		before := out.Body.Len()
		for range 20 {
			if _, err := io.WriteString(stream, row); err != nil {
				t.Fatal(err)
			}
		}
		if out.Body.Len() == before || !out.Flushed {
			t.Errorf("%s: nothing of 120,000 bytes arrived", name)
		}
		held.send()
		if unpack(t, out) != strings.Repeat(row, 20) {
			t.Errorf("%s: it opens to something else", name)
		}
	}
}

// What broke off ends without the end of its coding.
func TestAnswer_AStreamThatBreaksOffIsNotWhole(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.brokenOff = io.ErrUnexpectedEOF
	server := httptest.NewServer(w.server())
	defer server.Close()
	r := ask{method: get, target: "/api/usage/export", token: tokenA, header: map[string]string{"Accept-Encoding": "gzip"}}.request(t)
	req, err := http.NewRequestWithContext(t.Context(), get, server.URL+r.URL.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = r.Header
	res, err := server.Client().Do(req)
	if err != nil {
		return // nothing came at all
	}
	defer res.Body.Close()
	z, err := coding.Open(coding.Gzip, res.Body)
	if err == nil {
		_, err = io.ReadAll(z)
	}
	if err == nil {
		t.Error("the client could not tell that the end is missing")
	}
}

// A script of an allowed origin may compress what it sends.
func TestCORS_AllowsCompressedBodies(t *testing.T) {
	t.Parallel()
	res := send(t, newWorld().server(), ask{method: http.MethodOptions, target: "/api/agent/interact", header: map[string]string{"Origin": "chrome-extension://abc"}})
	for _, name := range []string{"Content-Encoding", "Content-Type", "Authorization", "Idempotency-Key"} {
		if !strings.Contains(res.Header().Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed", name)
		}
	}
}

package llmtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var record = flag.Bool("record", false, "record the tapes of model adapters anew")

// Recording reports whether the tests were told to record (-record).
func Recording() bool { return *record }

// Tape is a recording of exchanges with a provider, without its secrets, behind
// a local server. A request it does not know fails the test: the library, or our
// use of it, has changed what goes over the wire.
type Tape struct {
	URL string

	t         testing.TB
	mu        sync.Mutex
	exchanges []exchange
	played    map[string]int
}

// exchange is one request and its answer, as they are kept. Of the headers only
// those are kept that mean something to a client, of the query only what chooses
// a format: keys travel in the others.
type exchange struct {
	Path   string            `json:"path"`
	Asked  json.RawMessage   `json:"asked"`
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	// Answer is the body; Text in its place where that is no JSON.
	Answer json.RawMessage `json:"answer,omitempty"`
	Text   string          `json:"text,omitempty"`
}

var (
	keptHeaders = []string{"Content-Type", "Retry-After", "Retry-After-Ms"}
	keptQuery   = []string{"alt", "$alt", "api-version"}
	// secretShapes are keys and accounts whoever's they are.
	secretShapes = regexp.MustCompile(`\b(sk-[\w-]{8,}|AIza[\w-]{20,}|org-\w{8,}|proj_\w{8,}|projects/\d+)`)
)

// Replay serves a tape.
func Replay(t testing.TB, file string) *Tape {
	t.Helper()
	p := &Tape{t: t, played: map[string]int{}}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &p.exchanges)
	}
	if err != nil {
		t.Fatalf("read the tape: %v", err)
	}
	srv := httptest.NewServer(http.HandlerFunc(p.play))
	t.Cleanup(srv.Close)
	p.URL = srv.URL
	return p
}

// play answers the nth request of a kind as the nth was.
func (p *Tape) play(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	path, asked := pathOf(r.URL), compact(body)
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := path + string(asked)
	n := 0
	for _, e := range p.exchanges {
		if e.Path+string(compact(e.Asked)) != kind {
			continue
		}
		if n == p.played[kind] {
			p.played[kind]++
			e.write(w)
			return
		}
		n++
	}
	p.t.Errorf("the tape has no such request: %s %s", path, asked)
	http.Error(w, "not on the tape", http.StatusTeapot)
}

func (e exchange) write(w http.ResponseWriter) {
	for name, value := range e.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(e.Status)
	if e.Answer != nil {
		_, _ = w.Write(e.Answer)
		return
	}
	_, _ = io.WriteString(w, e.Text)
}

// Record serves what a provider at an address answers, and writes it to a file
// when the test has passed. The secrets are in nothing it writes.
func Record(t testing.TB, file, upstream string, secrets ...string) *Tape {
	t.Helper()
	p := &Tape{t: t}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.pass(w, r, upstream, secrets) }))
	p.URL = srv.URL
	t.Cleanup(func() {
		srv.Close()
		if !t.Failed() {
			p.save(file, secrets)
		}
	})
	return p
}

// pass hands a request on and keeps what comes back.
func (p *Tape) pass(w http.ResponseWriter, r *http.Request, upstream string, secrets []string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, strings.TrimRight(upstream, "/")+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		p.t.Errorf("record: %v", err)
		return
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Accept-Encoding") // the transport's own is undone by it
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		p.t.Errorf("record: the provider does not answer: %s", scrub([]byte(err.Error()), secrets))
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Errorf("record: the answer broke off")
		return
	}
	e := exchange{Path: pathOf(r.URL), Asked: compact(scrub(body, secrets)), Status: resp.StatusCode, Header: map[string]string{}}
	for _, name := range keptHeaders {
		if v := resp.Header.Get(name); v != "" {
			e.Header[name] = v
		}
	}
	if clean := scrub(answer, secrets); json.Valid(clean) {
		e.Answer = compact(clean)
	} else {
		e.Text = string(clean)
	}
	p.mu.Lock()
	p.exchanges = append(p.exchanges, e)
	p.mu.Unlock()
	e.write(w)
}

func (p *Tape) save(file string, secrets []string) {
	b, err := json.MarshalIndent(p.exchanges, "", "  ")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, s := range secrets {
		if s != "" && bytes.Contains(b, []byte(s)) {
			p.t.Fatal("a secret is left on the tape: it is not written")
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil { //nolint:gosec // it has no secrets, and is to be committed
		p.t.Fatal(err)
	}
}

// scrub takes the secrets out, also where they stand escaped, and whatever looks
// like one.
func scrub(b []byte, secrets []string) []byte {
	for _, s := range secrets {
		if s == "" {
			continue
		}
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			b = bytes.ReplaceAll(b, []byte(form), []byte("***"))
		}
	}
	return secretShapes.ReplaceAll(b, []byte("***"))
}

func pathOf(u *url.URL) string {
	query := u.Query()
	for name := range query {
		if !slices.Contains(keptQuery, name) {
			query.Del(name)
		}
	}
	if len(query) == 0 {
		return u.Path
	}
	return u.Path + "?" + query.Encode()
}

// compact is JSON without spaces, as far as it is JSON: libraries do not always
// write it alike.
func compact(b []byte) json.RawMessage {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return b
	}
	out, err := json.Marshal(v)
	if err != nil {
		return b
	}
	return out
}

package llmtest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
)

// Server is a local server that follows a script in the wire format of a
// provider, its failures included: refusals, silence, resets, half bodies and
// bodies without end.
type Server struct {
	URL      string
	Client   *http.Client
	dialect  dialect
	script   Script
	attempts counter
	mu       sync.Mutex
	received []Received
	closing  chan struct{}
}

// Received is one request as it arrived.
type Received struct {
	Path   string
	Header http.Header
	Body   map[string]any
	// Request is what the provider understood of it; Embed in its place where vectors
	// were asked for.
	Request llm.Request
	Embed   *llm.EmbedRequest
}

// dialect is a wire format.
type dialect interface {
	// read understands a request.
	read(r *http.Request, body []byte) (llm.Request, error)
	// answer is the body of an answer, refusal that of an error status, whose
	// headers it may add to.
	answer(s Step, r *http.Request, model string) any
	// readEmbed understands a request for vectors, nil if it is for something else, and
	// vectors is the body that answers it: JSON, but for numbers that are none.
	readEmbed(r *http.Request, body []byte) (*llm.EmbedRequest, error)
	vectors(s Step, body map[string]any, q llm.EmbedRequest) []byte
	refusal(s Step, h http.Header) any
}

func newServer(t testing.TB, d dialect, s Script) *Server {
	t.Helper()
	v := &Server{dialect: d, script: s, closing: make(chan struct{})}
	srv := httptest.NewServer(v)
	v.URL, v.Client = srv.URL, srv.Client()
	t.Cleanup(func() {
		close(v.closing)
		srv.Close()
	})
	return v
}

// Attempts received so far.
func (v *Server) Attempts() int { return v.attempts.count() }

// Received requests so far, in order.
func (v *Server) Received() []Received {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Received(nil), v.received...)
}

// Requests received so far, as the provider understood them.
func (v *Server) Requests() []llm.Request {
	var out []llm.Request
	for _, r := range v.Received() {
		out = append(out, r.Request)
	}
	return out
}

// Embedded are the requests for vectors so far, as the provider understood them.
func (v *Server) Embedded() []llm.EmbedRequest {
	var out []llm.EmbedRequest
	for _, r := range v.Received() {
		if r.Embed != nil {
			out = append(out, *r.Embed)
		}
	}
	return out
}

// ServeHTTP implements http.Handler.
func (v *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec, err := v.receive(r)
	if err != nil {
		http.Error(w, "the test server cannot read the request: "+err.Error(), http.StatusTeapot)
		return
	}
	v.mu.Lock()
	v.received = append(v.received, rec)
	v.mu.Unlock()
	v.write(w, r, v.script(v.attempts.next()), rec)
}

func (v *Server) receive(r *http.Request) (Received, error) {
	rec := Received{Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return rec, err
	}
	if err := json.Unmarshal(b, &rec.Body); err != nil {
		return rec, err
	}
	if rec.Embed, err = v.dialect.readEmbed(r, b); rec.Embed != nil || err != nil {
		return rec, err
	}
	rec.Request, err = v.dialect.read(r, b)
	return rec, err
}

func (v *Server) write(w http.ResponseWriter, r *http.Request, s Step, rec Received) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case s.Hang:
		v.silence(r)
	case s.Reset:
		reset(w)
	case s.Status != 0 && s.Status != http.StatusOK:
		body := v.dialect.refusal(s, w.Header())
		w.WriteHeader(s.Status)
		_ = json.NewEncoder(w).Encode(body)
	case s.Garbled:
		_, _ = io.WriteString(w, halfBody)
	case s.Cut, s.Stall:
		w.Header().Set("Content-Length", "10000")
		_, _ = io.WriteString(w, halfBody)
		if s.Stall {
			_ = http.NewResponseController(w).Flush()
			v.silence(r)
		}
	case s.Huge:
		endless(w)
	case rec.Embed != nil:
		_, _ = w.Write(v.dialect.vectors(s, rec.Body, *rec.Embed))
	default:
		_ = json.NewEncoder(w).Encode(v.dialect.answer(s, r, rec.Request.Model))
	}
}

const halfBody = `{"candidates": [`

// silence lasts until the asker or the test goes away.
func (v *Server) silence(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-v.closing:
	}
}

// reset breaks the connection as a crashed peer does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// endless writes an answer for as long as anybody reads, up to far more than any
// model gives.
func endless(w http.ResponseWriter) {
	chunk := strings.Repeat(" ", 1<<20)
	_, _ = io.WriteString(w, halfBody)
	for range 64 {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

// put adds a count unless it is zero.
func put(to map[string]any, name string, n int64) {
	if n != 0 {
		to[name] = n
	}
}

// retryHeader says a wait in the header HTTP has for it.
func retryHeader(s Step, h http.Header) {
	if s.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatFloat(s.RetryAfter.Seconds(), 'f', -1, 64))
	}
}

package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// ask makes one request through a Client.
func ask(t *testing.T, url string) (*wire.Exchange, error) {
	t.Helper()
	var x wire.Exchange
	req, err := http.NewRequestWithContext(x.In(t.Context()), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := wire.Client(nil).Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return &x, err
}

// serve answers once with a status, headers and a body.
func serve(t *testing.T, status int, header map[string]string, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestExchange_waitsAsAsked(t *testing.T) {
	t.Parallel()
	const info = `{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},
		{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7.5s"}]}}`
	for _, tt := range []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"nothing", nil, "", 0},
		{"seconds", map[string]string{"Retry-After": "12"}, "", 12 * time.Second},
		{"parts of seconds", map[string]string{"Retry-After": "0.25"}, "", 250 * time.Millisecond},
		{"milliseconds", map[string]string{"Retry-After-Ms": "40", "Retry-After": "1"}, "", 40 * time.Millisecond},
		{"a date gone by", map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:05 GMT"}, "", 0},
		{"a date far off", map[string]string{"Retry-After": "Fri, 31 Dec 2999 23:59:59 GMT"}, "", 24 * time.Hour},
		{"a month", map[string]string{"Retry-After": "2592000"}, "", 24 * time.Hour},
		{"more than a number holds", map[string]string{"Retry-After": "1e400"}, "", 0},
		{"not a number", map[string]string{"Retry-After": "NaN"}, "", 0},
		{"before now", map[string]string{"Retry-After": "-3"}, "", 0},
		{"Google's body", nil, info, 7500 * time.Millisecond},
		{"Google's body in a list", nil, "[" + info + "]", 7500 * time.Millisecond},
		{"a delay that is none", nil, strings.Replace(info, "7.5s", "soon", 1), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x, err := ask(t, serve(t, http.StatusTooManyRequests, tt.header, tt.body))
			if got := x.Failure(t.Context(), err, ""); got.RetryAfter != tt.want || got.Kind != llm.RateLimited || !got.Unbilled {
				t.Errorf("%+v, want a wait of %s", got, tt.want)
			}
		})
	}
}

func TestExchange_readsRefusals(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]wire.Refusal{
		`{"error":{"message":"no","code":"model_not_found","type":"x"}}`: {Message: "no", Code: "model_not_found"},
		`{"error":{"message":"no","code":404,"type":"not_found_error"}}`: {Message: "no", Code: "not_found_error"},
		`[{"error":{"message":"no","code":400,"status":"X"}}]`:           {Message: "no"},
		`{"error":"model 'x' not found"}`:                                {Message: "model 'x' not found"},
		`{"message":"no","object":"error"}`:                              {Message: "no"},
		`<html>Bad Gateway</html>`:                                       {},
		`[]`:                                                             {},
		``:                                                               {},
	} {
		x, _ := ask(t, serve(t, http.StatusNotFound, nil, body))
		if got := x.Refusal(); got != want {
			t.Errorf("%s says %+v, want %+v", body, got, want)
		}
	}
}

func TestExchange_tellsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret"
	x, err := ask(t, serve(t, http.StatusUnauthorized, nil, `{"error":{"message":"bad key sk-secret `+strings.Repeat("é", 400)+`"}}`))
	e := x.Failure(t.Context(), err, secret)
	if strings.Contains(e.Error(), secret) || !strings.Contains(e.Msg, "***") || len(e.Msg) > 320 {
		t.Errorf("the error is %v", e)
	}
}

// An attempt is one request: what a library sends again by itself does not reach
// the provider.
func TestClient_sendsOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(srv.Close)
	var x wire.Exchange
	client := wire.Client(nil)
	for range 3 {
		req, err := http.NewRequestWithContext(x.In(t.Context()), http.MethodPost, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}
	if asked.Load() != 1 || x.Status != http.StatusServiceUnavailable {
		t.Errorf("%d requests, status %d", asked.Load(), x.Status)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
	if resp, err := client.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error("a request that belongs to no attempt was sent")
	}
}

// TestClient_repeatsNoBrokenPost: with an Idempotency-Key, which libraries add,
// the transport would send a POST again when its kept connection breaks.
func TestClient_repeatsNoBrokenPost(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			return // the connection is kept
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}))
	t.Cleanup(srv.Close)
	client := wire.Client(nil)
	for i := range 2 {
		var x wire.Exchange
		req, err := http.NewRequestWithContext(x.In(t.Context()), http.MethodPost, srv.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", "k")
		resp, err := client.Do(req)
		if (err == nil) != (i == 0) {
			t.Fatalf("request %d: %v", i, err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d requests for two", asked.Load())
	}
}

func TestExchange_failureOfANetwork(t *testing.T) {
	t.Parallel()
	x, err := ask(t, "http://127.0.0.1:1")
	if e := x.Failure(t.Context(), err, ""); e.Kind != llm.Unavailable || !e.Unbilled || e.Status != 0 {
		t.Errorf("nobody listens: %+v", e)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	var none wire.Exchange
	if e := none.Failure(gone, errors.New("x"), ""); e.Kind != llm.Cancelled {
		t.Errorf("a caller who left: %+v", e)
	}
	if e := none.Failure(t.Context(), fmt.Errorf("x: %w", context.DeadlineExceeded), ""); e.Kind != llm.Timeout || e.Unbilled {
		t.Errorf("a time limit of the library's own: %+v", e)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "key\nwith a line", "schlüssel", "a b"} {
		if wire.CheckKey(key) == nil {
			t.Errorf("the key %q is taken", key)
		}
	}
	for _, url := range []string{"", "localhost", "ftp://host", "://", "http://", "http://u:p@host/"} {
		if wire.CheckURL(url) == nil {
			t.Errorf("the URL %q is taken", url)
		}
	}
	if err := errors.Join(wire.CheckKey("k-1"), wire.CheckURL("http://localhost:11434/v1")); err != nil {
		t.Error(err)
	}
	if got := wire.Name(strings.Repeat("é", 150)); len(got) > 200 || got != strings.Repeat("é", 100) {
		t.Errorf("a name of %d bytes", len(got))
	}
}

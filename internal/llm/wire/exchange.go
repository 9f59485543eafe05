// Package wire is shared by the adapters over HTTP: one request per attempt, its
// answer read whole and bounded, and its failure as an *llm.Error.
//
// An adapter creates an Exchange for each attempt and passes its context to the
// library. Afterwards the Exchange has the status, headers and body as received.
// Libraries only send; they are given an empty object in place of the answer, because
// they drop counts, cannot distinguish zero from missing, put keys and bodies into
// errors, and refuse a paid answer over a number in an unexpected form.
package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// MaxBody bounds an answer: far longer than any model's, and small enough for many at
// a time.
const MaxBody = 16 << 20

// Exchange is one attempt over the wire. It is used for one attempt and read after
// the library has returned.
type Exchange struct {
	// Status is 0 until an answer began to arrive.
	Status int
	Header http.Header
	// Body is complete, or nil.
	Body []byte

	sent bool
}

type exchangeKey struct{}

// Answered reports whether a complete answer arrived.
func (x *Exchange) Answered() bool { return success(x.Status) && x.Body != nil }

func success(status int) bool { return status >= 200 && status < 300 }

// Members are the body's; see ReadMembers.
func (x *Exchange) Members() (m Members, whole bool) { return ReadMembers(withoutNaN(x.Body)) }

// In returns a context whose request fills the exchange.
func (x *Exchange) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// Client returns a client whose requests fill their Exchange. decorate, which may be
// nil, adds to each request what the library does not. It follows no redirects, which
// would send the key to another host.
func Client(decorate func(*http.Request)) *http.Client {
	return &http.Client{
		Transport:     tee{http.DefaultTransport.(*http.Transport).Clone(), decorate},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// tee reads bodies completely before the library does.
type tee struct {
	base     http.RoundTripper
	decorate func(*http.Request)
}

var (
	errSecond   = errors.New("an attempt is one request, and this is a second one")
	errTooLarge = errors.New("the answer is larger than any a model gives")
)

// RoundTrip implements http.RoundTripper. It refuses a second request for an
// exchange: a library's own retries would be billed unnoticed.
func (t tee) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*Exchange)
	if !ok || x.sent {
		return nil, errSecond
	}
	x.sent = true
	if r = r.Clone(r.Context()); t.decorate != nil {
		t.decorate(r)
	}
	// With this header the transport would repeat a POST after a broken connection.
	r.Header.Del("Idempotency-Key")
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	x.Status, x.Header = resp.StatusCode, resp.Header
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return nil, err
	case len(body) > MaxBody:
		return nil, errTooLarge
	}
	x.Body = body
	if success(resp.StatusCode) {
		body = []byte("{}")
		resp.Header = http.Header{"Content-Type": {"application/json"}}
		resp.ContentLength = int64(len(body))
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// maxPause bounds what a provider may ask to wait.
const maxPause = 24 * time.Hour

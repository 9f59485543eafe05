// Package wire is what adapters over HTTP have in common: one request per
// attempt, its answer read whole and bounded, and what went wrong with it as an
// *llm.Error.
//
// An adapter makes an Exchange for each attempt, hands its context to the
// library, and afterwards has the status, the headers and the body as they came.
// Libraries only send: they are shown an empty object in the place of an answer.
// They drop counts, cannot tell zero from none, put keys and bodies into their
// errors, and refuse an answer that was paid for because a number beside it is not
// written as they expect.
package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// MaxBody bounds an answer: far above the longest a model gives, and low enough
// for many at a time.
const MaxBody = 16 << 20

// Exchange is one attempt as it went over the wire. It belongs to one attempt
// and is read after the library has returned.
type Exchange struct {
	// Status is 0 until an answer began to arrive.
	Status int
	Header http.Header
	// Body is whole, or nil when it did not come to its end.
	Body []byte

	sent bool
}

type exchangeKey struct{}

// Answered reports whether an answer came, and came whole.
func (x *Exchange) Answered() bool { return success(x.Status) && x.Body != nil }

func success(status int) bool { return status >= 200 && status < 300 }

// Members are those of the body; see ReadMembers.
func (x *Exchange) Members() (m Members, whole bool) { return ReadMembers(withoutNaN(x.Body)) }

// In gives a context whose request fills the exchange.
func (x *Exchange) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// Client makes requests that fill their Exchange. decorate, which may be nil,
// adds to each what the library does not. It follows no redirects: the key would
// go along to whatever host they name.
func Client(decorate func(*http.Request)) *http.Client {
	return &http.Client{
		Transport:     tee{http.DefaultTransport.(*http.Transport).Clone(), decorate},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// tee reads bodies whole before the library does.
type tee struct {
	base     http.RoundTripper
	decorate func(*http.Request)
}

var (
	errSecond   = errors.New("an attempt is one request, and this is a second one")
	errTooLarge = errors.New("the answer is larger than any a model gives")
)

// RoundTrip implements http.RoundTripper. A second request for an exchange is
// refused: libraries that retry by themselves do so at somebody's expense.
func (t tee) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*Exchange)
	if !ok || x.sent {
		return nil, errSecond
	}
	x.sent = true
	if r = r.Clone(r.Context()); t.decorate != nil {
		t.decorate(r)
	}
	// With this header the transport would repeat a POST whose connection broke.
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

// maxPause bounds what a provider may ask to wait to what has a meaning.
const maxPause = 24 * time.Hour

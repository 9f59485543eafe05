package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stepledger/stepledger/domain"
)

const (
	// answerWithin bounds one request.
	answerWithin = 10 * time.Second
	// maxAnswer bounds what is read of an answer, maxReason what is kept of it.
	maxAnswer, maxReason = 64 << 10, 200
	// maxRest bounds a Retry-After.
	maxRest = 5 * time.Minute
)

// endpoint is the HTTP endpoint of a system. It is safe for concurrent use.
type endpoint struct {
	name    string // in errors; an address may hold a password
	headers http.Header
	client  *http.Client
	rest    atomic.Int64 // leave it alone until then, Unix nanoseconds
}

func newEndpoint(name string, headers http.Header) *endpoint {
	return &endpoint{name: name, headers: headers, client: &http.Client{
		Timeout:       answerWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// away is an error that passes by itself or after a person has acted.
func (e *endpoint) away(why string) *domain.Error {
	return domain.Errorf(domain.Unavailable, domain.CodeTracing, "%s: %s", e.name, why)
}

// post sends a request and returns the answer.
func (e *endpoint) post(ctx context.Context, address, contentType string, body []byte, headers http.Header) ([]byte, error) {
	if rest := time.Until(time.Unix(0, e.rest.Load())); rest > 0 {
		return nil, e.away("it asked to be left alone for " + rest.Round(time.Second).String())
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, e.away("the address is none") // and was checked
	}
	for _, h := range []http.Header{e.headers, headers, {"Content-Type": {contentType}}} {
		for key, values := range h {
			r.Header[key] = values
		}
	}
	answer, err := e.client.Do(r)
	if err != nil {
		return nil, e.away("it does not answer").Because(withoutURL(err))
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	return said, e.judge(answer, said, err)
}

func (e *endpoint) judge(answer *http.Response, said []byte, half error) error {
	switch s := answer.StatusCode; {
	case s == http.StatusBadRequest, s == http.StatusRequestEntityTooLarge,
		s == http.StatusUnsupportedMediaType, s == http.StatusUnprocessableEntity:
		return fmt.Errorf("%s refuses it with %d: %q", e.name, s, said[:min(len(said), maxReason)])
	case s < 200 || s > 299:
		e.leaveAlone(answer.Header.Get("Retry-After"))
		return e.away("it answers " + answer.Status)
	case half != nil:
		return e.away("it answers half")
	}
	return nil
}

// leaveAlone reads a Retry-After, in seconds or as a date.
func (e *endpoint) leaveAlone(after string) {
	rest := time.Duration(0)
	if seconds, err := strconv.Atoi(after); err == nil {
		rest = time.Duration(min(seconds, int(maxRest/time.Second))) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		rest = min(time.Until(at), maxRest)
	}
	if rest > 0 {
		e.rest.Store(time.Now().Add(rest).UnixNano())
	}
}

// withoutURL is an error without its URL.
func withoutURL(err error) error {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // http.Client returns no other
		return u.Err
	}
	return err
}

// address checks a base address and appends a path. The error never contains the
// address.
func address(base, path string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errAddress
	}
	return u.JoinPath(strings.Split(path, "/")...).String(), nil
}

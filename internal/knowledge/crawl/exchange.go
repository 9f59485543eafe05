package crawl

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// exchange is one request and its answer.
type exchange struct {
	f       *Fetcher
	at      *url.URL
	request Request
	kind    kind
	hop     *hop
}

// run waits for its turn and returns a page, or where a redirect leads.
func (e *exchange) run(ctx context.Context, pause time.Duration) (Response, string, error) {
	gate, err := e.f.gates.enter(ctx, e.at.Hostname(), e.at.String(), pause)
	if err != nil {
		return Response{}, "", err
	}
	defer e.f.gates.done(gate)
	bounded, cancel := context.WithTimeout(context.WithValue(ctx, hopKey{}, e.hop), e.f.o.Timeout)
	defer cancel()
	answer, err := e.f.http.RoundTrip(e.message(bounded))
	if err != nil {
		return Response{}, "", e.broken(ctx, bounded, err)
	}
	defer answer.Body.Close()
	if after := e.busy(answer); after > 0 {
		gate.until = e.f.o.Clock.Now().Add(after)
		reason := failed(Busy, e.at.String(), "the host answered %s", answer.Status).later(after)
		reason.Status = answer.StatusCode
		return Response{}, "", reason
	}
	if next := answer.Header.Get("Location"); next != "" && isRedirect(answer.StatusCode) {
		to, err := resolve(next, e.at.String())
		if err != nil {
			return Response{}, "", failed(BadURL, e.at.String(), "it redirects to no address: %v", err).because(err)
		}
		return Response{}, to.String(), nil
	}
	got, err := e.read(answer)
	var known *Error
	if err != nil && !errors.As(err, &known) {
		err = e.broken(ctx, bounded, err)
	}
	return got, "", err
}

func (e *exchange) message(ctx context.Context) *http.Request {
	header := http.Header{
		"User-Agent": {e.f.agent},
		"Accept":     {"text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"},
	}
	if e.request.ETag != "" {
		header.Set("If-None-Match", oneLine(e.request.ETag))
	}
	if e.request.LastModified != "" {
		header.Set("If-Modified-Since", oneLine(e.request.LastModified))
	}
	m := &http.Request{Method: http.MethodGet, URL: e.at, Host: e.at.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	return m.WithContext(ctx)
}

// oneLine keeps what came in a header fit for one.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// busy is how long the host wants to be left alone, 0 if it does not.
func (e *exchange) busy(answer *http.Response) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	after := answer.Header.Get("Retry-After")
	if s, err := strconv.ParseInt(after, 10, 32); err == nil && s > 0 {
		return min(time.Duration(s)*time.Second, maxBusy)
	}
	if t, err := http.ParseTime(after); err == nil {
		return min(max(t.Sub(e.f.o.Clock.Now()), time.Second), maxBusy)
	}
	return busyPause
}

// read takes an answer that is not a redirect.
func (e *exchange) read(answer *http.Response) (Response, error) {
	at := e.at.String()
	got := Response{
		URL: at, Status: answer.StatusCode, FetchedAt: e.f.o.Clock.Now(),
		ETag: answer.Header.Get("ETag"), LastModified: answer.Header.Get("Last-Modified"),
	}
	got.MediaType, got.Charset = mediaType(answer.Header.Get("Content-Type"))
	got.NoIndex, got.NoFollow = robotsTag(answer.Header.Values("X-Robots-Tag"))
	if answer.StatusCode == http.StatusNotModified && e.request.ETag+e.request.LastModified != "" {
		got.NotModified = true
		return got, nil
	}
	if err := badStatus(at, answer); err != nil {
		return Response{}, err
	}
	if err := e.unsupported(answer, got.MediaType); err != nil {
		return Response{}, err
	}
	limit := e.kind.maxBytes
	if answer.ContentLength > limit && !e.kind.cut {
		return Response{}, failed(TooLarge, at, "%d bytes, more than %d", answer.ContentLength, limit)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if int64(len(body)) > limit {
		if !e.kind.cut {
			return Response{}, failed(TooLarge, at, "more than %d bytes", limit)
		}
		body, err = body[:limit], nil
	}
	got.Body = body
	return got, err
}

func badStatus(at string, answer *http.Response) error {
	status := answer.StatusCode
	if status >= 200 && status < 300 {
		return nil
	}
	code := BadStatus
	if status == http.StatusNotFound || status == http.StatusGone {
		code = NotFound
	}
	err := failed(code, at, "the host answered %s", answer.Status)
	err.Status = status
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return err.later(0)
	}
	return err
}

// unsupported refuses, before the body is read, what no text can be in.
func (e *exchange) unsupported(answer *http.Response, media string) error {
	if coding := answer.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return failed(UnsupportedType, e.at.String(), "the body is coded by %q, which was not asked for", coding)
	}
	if e.kind.anyType {
		return nil
	}
	switch family, _, _ := strings.Cut(media, "/"); family {
	case "image", "audio", "video", "font", "model":
		return failed(UnsupportedType, e.at.String(), "it is said to be %s", media)
	}
	return nil
}

// broken says what a failed transfer was: the caller's own end, a refusal to dial, time
// run out, or the network.
func (e *exchange) broken(ctx, bounded context.Context, cause error) error {
	at := e.at.String()
	var timeout net.Error
	var noName *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(cause, errRefused):
		return failed(RefusedAddress, at, "%v", cause).because(cause)
	case bounded.Err() != nil, errors.As(cause, &timeout) && timeout.Timeout():
		return failed(Timeout, at, "no whole answer within %s", e.f.o.Timeout).because(cause).later(0)
	case errors.As(cause, &noName) && noName.IsNotFound:
		return failed(Unreachable, at, "there is no host of this name").because(cause)
	case errors.As(cause, &certificate):
		return failed(Unreachable, at, "%v", cause).because(cause)
	}
	return failed(Unreachable, at, "%v", cause).because(cause).later(0)
}

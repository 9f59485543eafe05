package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/stepledger/stepledger/api/coding"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/scope"
)

// begin creates the call with its id and logs it at the end.
func (s *Server) begin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{id: requestID(r), began: s.Now(), header: w.Header()}
		c.ctx, c.scope = scope.Begin(r.Context(), c.id, r.Header.Get("traceparent"))
		c.header.Set("X-Request-Id", c.id)
		out := &statusWriter{ResponseWriter: w}
		in := &countedBody{ReadCloser: r.Body}
		r = r.WithContext(context.WithValue(c.ctx, callKey{}, c))
		r.Body = in
		c.debug, c.route = r.Header.Get("X-Debug") == "true", func() string { return c.endpoint(r) }
		s.Requests.Began()
		defer func() { s.served(c, r, in.n, out) }() // also one that was broken off
		next.ServeHTTP(out, r)
	})
}

// served logs a request that is over.
func (s *Server) served(c *call, r *http.Request, in int64, out *statusWriter) {
	done := Served{
		Endpoint: c.endpoint(r), Method: shownMethod(r.Method), Status: out.status, Code: c.code,
		Took: s.Now().Sub(c.began), In: in, Out: out.n,
	}
	s.Requests.Ended(done)
	ids := c.scope.IDs()
	attrs := []slog.Attr{
		slog.String("request", ids.Request), slog.String("trace", ids.Trace),
		slog.String("tenant", ids.Tenant), slog.String("user", ids.User),
	}
	if ids.Task != "" {
		attrs = append(attrs, slog.String("task", ids.Task))
	}
	s.log.LogAttrs(c.ctx, slog.LevelInfo, "request", append(attrs, // the route, not the path: paths hold ids, queries hold urls
		slog.String("endpoint", done.Endpoint), slog.String("method", done.Method), slog.Int("status", done.Status), slog.String("code", done.Code),
		slog.Float64("durationMs", float64(done.Took.Microseconds())/1000), slog.Int64("bytesIn", done.In), slog.Int64("bytesOut", done.Out))...)
}

// noEndpoint is the endpoint of requests no route is for.
const noEndpoint = "none"

// endpoint is the pattern of the route, or of the page, that served the request.
func (c *call) endpoint(r *http.Request) string {
	if c.page != "" {
		return c.page
	}
	if rc := chi.RouteContext(r.Context()); rc != nil && rc.RoutePattern() != "" {
		return rc.RoutePattern()
	}
	return noEndpoint
}

// shownMethod is a method of HTTP; anything else is somebody's text.
func shownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// countedBody counts what was read of a body.
type countedBody struct {
	io.ReadCloser
	n int64
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	return n, err
}

const maxRequestID = 64

// requestID returns the client's or proxy's id if it is harmless, or else a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > maxRequestID {
		return domain.NewUUID()
	}
	for _, b := range []byte(id) {
		if b != '-' && b != '_' && b != '.' && (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z') {
			return domain.NewUUID()
		}
	}
	return id
}

// statusWriter records the status, and counts what is written.
type statusWriter struct {
	http.ResponseWriter
	status int
	n      int64
}

// Write implements io.Writer.
func (w *statusWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.n += int64(n)
	return n, err
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// complete holds an answer back until it is complete. After a panic it is dropped,
// and the answer is a 500 that does not reveal the cause.
func (s *Server) complete(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &heldWriter{ResponseWriter: w, status: http.StatusOK, accept: strings.Join(r.Header.Values("Accept-Encoding"), ",")}
		body := &trackedBody{ReadCloser: r.Body}
		r.Body = body
		defer func() {
			if fault := recover(); fault != nil {
				if out.released { // what went out cannot be taken back
					panic(fault)
				}
				out.drop()
				s.writeError(out, r, fmt.Errorf("panic: %v\n%s", fault, debug.Stack()))
			}
			if !body.leftOver(r) {
				out.send()
				return
			}
			s.answerAndDrain(out, r)
		}()
		next.ServeHTTP(out, r)
	})
}

// heldWriter buffers an answer. Answers are JSON of a few megabytes at most, unless
// they are released.
type heldWriter struct {
	http.ResponseWriter
	status   int
	body     bytes.Buffer
	released bool
	// accept is the request's Accept-Encoding; plain: it does not matter.
	accept string
	plain  bool
	stream *codedStream // of a released answer that is compressed
}

// WriteHeader implements http.ResponseWriter.
func (w *heldWriter) WriteHeader(status int) { w.status = status }

// Write implements io.Writer.
func (w *heldWriter) Write(p []byte) (int, error) {
	switch {
	case w.stream != nil:
		return w.stream.Write(p)
	case w.released:
		return w.ResponseWriter.Write(p)
	}
	return w.body.Write(p)
}

// FlushError is for http.ResponseController. Of a compressed answer it passes on what is
// worth it.
func (w *heldWriter) FlushError() error {
	if w.stream != nil {
		if !w.stream.due() {
			return nil
		}
		if err := w.stream.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// release sends the header; everything written afterwards is sent at once, or in pieces if
// it is compressed.
func (w *heldWriter) release() {
	w.released = true
	if name := w.coded(true); name != coding.Identity {
		w.stream = &codedStream{Writer: coding.NewWriter(name, w.ResponseWriter)}
	}
	w.ResponseWriter.WriteHeader(w.status)
}

// Unwrap is for http.ResponseController.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// drop discards an answer and its headers.
func (w *heldWriter) drop() {
	w.body.Reset()
	for _, name := range []string{"ETag", "X-Event-Position", "Content-Type", "Content-Encoding"} {
		w.Header().Del(name)
	}
}

// compress compresses an answer that is long enough, if the client likes that.
func (w *heldWriter) compress() {
	name := w.coded(w.body.Len() >= compressFrom)
	if name == coding.Identity {
		return
	}
	var packed bytes.Buffer
	z := coding.NewWriter(name, &packed)
	_, _ = z.Write(w.body.Bytes()) // a buffer takes everything
	_ = z.Close()
	w.body = packed
}

func (w *heldWriter) send() {
	if w.released {
		if w.stream != nil {
			_ = w.stream.Close() // as below
		}
		return
	}
	w.compress()
	if w.status != http.StatusNoContent && w.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(w.body.Len()))
	}
	w.ResponseWriter.WriteHeader(w.status)
	_, _ = w.ResponseWriter.Write(w.body.Bytes()) // nobody is left to be told of an error
}

// setReadDeadline bounds the reading of a body; the zero time removes the bound.
// Connections without deadlines, as in tests, are fine.
func setReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t)
}

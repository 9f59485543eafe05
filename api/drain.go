package api

import (
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// drainAtMost bounds how much of an unwanted body is read.
	drainAtMost = 64 << 20
	// drainedByServer is what net/http reads of such a body by itself.
	drainedByServer = 256 << 10
)

// trackedBody records whether a body was read to its end or failed.
type trackedBody struct {
	io.ReadCloser
	n     int64
	ended bool
}

// Read implements io.Reader.
func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	b.ended = b.ended || err != nil
	return n, err
}

// leftOver reports whether so much of a body is still to come that closing the
// connection would reset it before the client reads its answer. A client that waits
// for 100 Continue sends nothing after an answer.
func (b *trackedBody) leftOver(r *http.Request) bool {
	waits := b.n == 0 && strings.EqualFold(r.Header.Get("Expect"), "100-continue")
	if b.ended || waits || r.ContentLength == 0 {
		return false
	}
	return r.ContentLength < 0 || r.ContentLength-b.n > drainedByServer
}

// answerAndDrain sends an answer and then reads the rest of the body for a while.
// Most clients read no answer before they have sent everything.
func (s *Server) answerAndDrain(out *heldWriter, r *http.Request) {
	control := http.NewResponseController(out.ResponseWriter)
	// It is no fault where these have nothing to work on, as in tests.
	_ = control.EnableFullDuplex()
	out.Header().Set("Connection", "close")
	out.send()
	_ = control.Flush()
	setReadDeadline(out.ResponseWriter, time.Now().Add(s.bodyTimeout))
	_, _ = io.CopyN(io.Discard, r.Body, drainAtMost) // whatever ends it, the answer is out
}

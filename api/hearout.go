package api

import (
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// hearAtMost is how much of a body is read that nobody wants.
	hearAtMost = 64 << 20
	// hearAnyway is what net/http reads of such a body by itself.
	hearAnyway = 256 << 10
)

// heardBody knows whether a body was read to its end, or cannot be read further.
type heardBody struct {
	io.ReadCloser
	n     int64
	ended bool
}

// Read implements io.Reader.
func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	b.ended = b.ended || err != nil
	return n, err
}

// leftOver reports whether so much of a body is still to come that closing the
// connection on it would have the client see a reset instead of its answer. A
// client that waits to be told to go on sends nothing once it has an answer.
func (b *heardBody) leftOver(r *http.Request) bool {
	waits := b.n == 0 && strings.EqualFold(r.Header.Get("Expect"), "100-continue")
	if b.ended || waits || r.ContentLength == 0 {
		return false
	}
	return r.ContentLength < 0 || r.ContentLength-b.n > hearAnyway
}

// hearOut sends an answer, and reads on for a while what the client has not sent
// yet. Most clients read no answer before they have sent everything.
func (s *Server) hearOut(out *heldWriter, r *http.Request) {
	control := http.NewResponseController(out.ResponseWriter)
	// It is no fault where these have nothing to work on, as in tests.
	_ = control.EnableFullDuplex()
	out.Header().Set("Connection", "close")
	out.send()
	_ = control.Flush()
	setReadDeadline(out.ResponseWriter, time.Now().Add(s.bodyTimeout))
	_, _ = io.CopyN(io.Discard, r.Body, hearAtMost) // whatever ends it, the answer is out
}

package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/stepledger/stepledger/api/coding"
	"github.com/stepledger/stepledger/domain"
)

// Answers are compressed from compressFrom bytes on: below that the headers outweigh it. A
// stream is passed on whenever so much of it is there.
const (
	compressFrom = 1 << 10
	flushEvery   = 64 << 10
)

// contentCoding is the coding of a body. A caller whose coding nobody knows is told which
// are.
func contentCoding(c *call, h http.Header) (string, error) {
	name, err := coding.Of(strings.Join(h.Values("Content-Encoding"), ","))
	if err != nil {
		c.header.Set("Accept-Encoding", coding.Accepted)
		return "", domain.Errorf(domain.Unsupported, domain.CodeInvalidRequest, "a body may be compressed by %s only", coding.Accepted).At("Content-Encoding")
	}
	return name, nil
}

// opened returns the body of a request as it was before it was compressed. What opens it
// counts as in flight until close is called.
func (s *Server) opened(c *call, r *http.Request, limit int64) (body io.Reader, close func(), err error) {
	name, err := contentCoding(c, r.Header)
	if err != nil || name == coding.Identity {
		return r.Body, func() {}, err
	}
	if err := s.bodies.take(c, coding.MaxWindow); err != nil {
		return nil, nil, err
	}
	// A body is no longer than it was before, so its own bytes need no more either.
	z, err := coding.Open(name, &cappedReader{r.Body, limit})
	if err != nil {
		s.bodies.give(c, coding.MaxWindow)
		return nil, nil, unreadable(err)
	}
	return z, func() {
		_ = z.Close() // nothing is written
		s.bodies.give(c, coding.MaxWindow)
	}, nil
}

// errLong is a compressed body that is longer than it may be once opened.
var errLong = errors.New("api: compressed body too long")

// cappedReader fails past a number of bytes.
type cappedReader struct {
	io.Reader
	left int64
}

// Read implements io.Reader.
func (r *cappedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, errLong
	}
	return n, err
}

// unreadable is a body that breaks off, or is not of its coding.
func unreadable(err error) error {
	return domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, "the body could not be read to its end").Because(err)
}

// coded decides how an answer is sent, and says so in its header. The ETag stays: it names
// a revision, of which every coding is the same.
func (w *heldWriter) coded(enough bool) string {
	h := w.Header()
	if w.plain || h.Get("Content-Encoding") != "" || !compressible(h.Get("Content-Type")) {
		return coding.Identity
	}
	h.Add("Vary", "Accept-Encoding")
	name := coding.Choose(w.accept)
	if !enough || name == coding.Identity {
		return coding.Identity
	}
	h.Set("Content-Encoding", name)
	return name
}

// compressible reports whether a body of a media type is text. Events are not: each has to
// arrive by itself.
func compressible(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil || media == "text/event-stream":
		return false
	case strings.HasPrefix(media, "text/"), media == "application/json":
		return true
	}
	return strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+yaml")
}

// codedStream is a stream that is compressed, and how much of it was not passed on yet.
type codedStream struct {
	coding.Writer
	waiting int
}

// Write implements io.Writer.
func (c *codedStream) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.waiting += n
	return n, err
}

// due reports whether enough is waiting to be passed on.
func (c *codedStream) due() bool { return c.waiting >= flushEvery }

// Flush implements coding.Writer.
func (c *codedStream) Flush() error {
	c.waiting = 0
	return c.Writer.Flush()
}

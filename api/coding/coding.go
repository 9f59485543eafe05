// Package coding compresses answers and opens compressed bodies: gzip and zstd, as HTTP
// names them.
//
// It promises that opening a body takes no more than MaxWindow of memory beside what is
// read from it. It bounds neither how much a body opens to nor how long that takes: that
// is up to whoever reads it.
package coding

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The codings. Identity is a body as it is.
const (
	Identity = ""
	Gzip     = "gzip"
	Zstd     = "zstd"
)

// Accepted is the Accept-Encoding of bodies.
const Accepted = Gzip + ", " + Zstd

// MaxWindow is how far back a zstd body may refer, in bytes; that is what a decoder has to
// offer (RFC 8878).
const MaxWindow = 8 << 20

// ErrUnknown is a coding nobody here can open.
var ErrUnknown = errors.New("coding: unknown")

// Of returns the coding of a Content-Encoding header, ErrUnknown for another one, or for
// several.
func Of(header string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(header)) {
	case "", "identity":
		return Identity, nil
	case Gzip, "x-gzip":
		return Gzip, nil
	case Zstd:
		return Zstd, nil
	}
	return "", ErrUnknown
}

// Open reads what a coding was made of. Close it. Errors are of the data or of r.
func Open(coding string, r io.Reader) (io.ReadCloser, error) {
	switch coding {
	case Identity:
		return io.NopCloser(r), nil
	case Gzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("coding: gzip: %w", err)
		}
		return z, nil
	case Zstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxWindow))
		if err != nil {
			return nil, fmt.Errorf("coding: zstd: %w", err)
		}
		return z.IOReadCloser(), nil
	}
	return nil, ErrUnknown
}

// Choose returns the coding an Accept-Encoding header likes best, Identity if it likes none
// of ours better than that. Of those it likes equally, zstd is first.
func Choose(accept string) string {
	likes := map[string]float64{}
	for item := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(item, ";")
		likes[strings.ToLower(strings.TrimSpace(name))] = quality(params)
	}
	like := func(names ...string) float64 {
		for _, name := range append(names, "*") {
			if q, named := likes[name]; named {
				return q
			}
		}
		return 0
	}
	best, chosen := likes["identity"], Identity
	if zstd := like(Zstd); zstd > 0 && zstd >= best {
		best, chosen = zstd, Zstd
	}
	if gzip := like(Gzip, "x-gzip"); gzip > 0 && (gzip > best || gzip == best && chosen == Identity) {
		chosen = Gzip
	}
	return chosen
}

// quality is the q of a coding, 1 without one and 0 for one nobody can read.
func quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, found := strings.Cut(param, "=")
		if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || q < 0 || q > 1 {
			return 0
		}
		return q
	}
	return 1
}

// Writer compresses. Flush passes everything on that was written; Close ends the coding,
// without closing what it writes to.
type Writer interface {
	io.WriteCloser
	Flush() error
}

var (
	gzips = sync.Pool{New: func() any { return must(gzip.NewWriterLevel(nil, gzip.BestSpeed)) }}
	zstds = sync.Pool{New: func() any {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)))
	}}
)

func must[T any](w T, err error) T {
	if err != nil {
		panic(err) // the options are valid
	}
	return w
}

// NewWriter returns a Writer of a coding other than Identity.
func NewWriter(coding string, w io.Writer) Writer {
	pool := &gzips
	if coding == Zstd {
		pool = &zstds
	}
	inner, ok := pool.Get().(resettable)
	if !ok {
		panic("coding: the pool holds what is no writer")
	}
	inner.Reset(w)
	return &pooled{inner, pool}
}

type resettable interface {
	Writer
	Reset(w io.Writer)
}

// pooled returns its writer when it is closed.
type pooled struct {
	resettable
	pool *sync.Pool
}

// Close implements io.Closer.
func (p *pooled) Close() error {
	err := p.resettable.Close()
	p.Reset(nil)
	p.pool.Put(p.resettable)
	return err
}

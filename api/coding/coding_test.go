package coding_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/api/coding"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"": "", "identity": "", "br, deflate": "", "gzip": "gzip", "x-gzip": "gzip", "zstd": "zstd", "GZIP": "gzip",
		"gzip, deflate, br, zstd": "zstd", "gzip;q=1.0, zstd;q=0.5": "gzip", "zstd;q=0.5,gzip; Q = 0.4": "zstd",
		"gzip;q=0": "", "*": "zstd", "*;q=0": "", "zstd;q=0, *": "gzip", "gzip;q=0.5, identity": "", "gzip;q=0.5, identity;q=0.5": "gzip",
		"gzip;q=0.5, identity;q=0": "gzip", "identity;q=0": "", "gzip;q=2": "", "gzip;q=x": "", "gzip;level=9": "gzip", ",,;": "",
	} {
		if got := coding.Choose(accept); got != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"": "", "identity": "", "gzip": "gzip", " GZip ": "gzip", "x-gzip": "gzip", "zstd": "zstd"} {
		if got, err := coding.Of(header); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", header, got, err, want)
		}
	}
	for _, header := range []string{"br", "gzip, zstd", "deflate", "*"} {
		if got, err := coding.Of(header); !errors.Is(err, coding.ErrUnknown) {
			t.Errorf("%q: %q, %v", header, got, err)
		}
	}
}

func TestWriter_IsOpenedAgain(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for i := range 8 {
		for _, name := range []string{coding.Gzip, coding.Zstd} {
			wg.Go(func() {
				want := strings.Repeat(string(rune('a'+i)), 100_000)
				var packed bytes.Buffer
				w := coding.NewWriter(name, &packed)
				_, _ = io.WriteString(w, want[:50_000])
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
				flushed := packed.Len()
				_, _ = io.WriteString(w, want[50_000:])
				if err := w.Close(); err != nil || flushed == 0 || packed.Len() > len(want)/10 {
					t.Errorf("%s: %d bytes, of them %d flushed, %v", name, packed.Len(), flushed, err)
				}
				r, err := coding.Open(name, &packed)
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				if got, err := io.ReadAll(r); err != nil || string(got) != want {
					t.Errorf("%s: %d bytes, %v", name, len(got), err)
				}
			})
		}
	}
	wg.Wait()
}

package interact

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

func TestPageCache_IsBounded(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	sized := func(n int) readPage {
		p := page.Page{}
		p.Text = strings.Repeat("x", n-p.Size())
		return readPage{page: p}
	}
	c := newPageCache(1000*largePage, func() time.Time { return noon })
	have := func(task string) bool { _, ok := c.get(task); return ok }
	c.put("large", sized(1001))
	if have("large") || c.held != 0 {
		t.Errorf("a page larger than its part is kept (%d bytes)", c.held)
	}
	for i := range largePage {
		c.put(strconv.Itoa(i), sized(1000))
		c.put(strconv.Itoa(i), sized(1000)) // the task's next page takes the place of its last
	}
	if !have("0") || !have(strconv.Itoa(largePage-1)) || c.held != c.limit {
		t.Errorf("a full cache has forgotten something: %d of %d bytes", c.held, c.limit)
	}
	c.put("next", sized(500))
	if have("0") || !have("next") || c.held != 500 {
		t.Errorf("past its limit the cache holds %d bytes, of page 0 too: %v", c.held, have("0"))
	}
	c.forget("next")
	c.forget("never was")
	if have("next") || c.held != 0 || len(c.pages) != 0 {
		t.Errorf("%d bytes of %d pages are held of a task that has ended", c.held, len(c.pages))
	}
}

// noReader is for pages that must not be read.
type noReader struct{}

func (noReader) ReadRedacted(page.Capture) (page.Page, page.Capture, error) {
	return page.Page{}, page.Capture{}, errors.New("the page was read")
}

// BenchmarkUnchanged measures what reading the page costs a turn whose page is
// still that of the turn before, beside the SHA-256 of the same bytes.
func BenchmarkUnchanged(b *testing.B) {
	const rounds, runs = 41, 50
	dom := strings.Repeat(`<div class="row"><a href="/orders/1" data-llm-id="1">Order</a></div>`, 3_000)
	raw := []byte(dom)
	in := incoming{id: "task", Request: Request{Capture: page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: dom}}}
	h := New(Deps{Pages: noReader{}, Clock: time.Now})
	h.pages.put(in.id, readPage{frame: in.Capture.Frame(), page: page.Page{DOMHash: in.Capture.DOMHash()}, ref: "ref"})
	var ours, ref []time.Duration
	for range b.N {
		for range rounds {
			start := time.Now()
			for range runs {
				sha256.Sum256(raw)
			}
			ref = append(ref, time.Since(start)/runs)
			start = time.Now()
			for range runs {
				if l, err := h.look(context.Background(), in); err != nil || l.ref != "ref" {
					b.Fatal(l.ref, err)
				}
			}
			ours = append(ours, time.Since(start)/runs)
		}
	}
	slices.Sort(ours)
	slices.Sort(ref)
	o, r := ours[len(ours)/2].Seconds()*1000, ref[len(ref)/2].Seconds()*1000
	fmt.Printf("BAR page.unchanged_vs_hash ours=%.3f ref=%.3f ratio=%.3f unit=ms\n", o, r, o/r)
}

package dom

import (
	"encoding/json"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// Read: the whole way from HTML to a page with skeleton, hashes, names and keys,
// beside the bare parse of the same bytes. The least a reader can do is parse
// once, so that is the reference.
func BenchmarkRead(b *testing.B) {
	for range b.N {
		for _, size := range []struct {
			name  string
			bytes int
			runs  int
		}{{"200k", 200_000, 20}, {"1m", 1_000_000, 5}} {
			for _, shape := range domtest.Shapes {
				src := shape.Page(size.bytes)
				domtest.SideBySide("page", "read_"+size.name+shape.Suffix+"_vs_htmlparse", 31, size.runs,
					func() { keep = readWhole(b, page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src}) },
					func() { keep = domtest.Parse(src) })
			}
		}
	}
}

// Redact: reading a page and cutting its secrets out for the store, as a turn
// does, beside the same parse.
func BenchmarkReadRedacted(b *testing.B) {
	for range b.N {
		for _, shape := range domtest.Shapes {
			src := shape.Page(200_000)
			domtest.SideBySide("page", "redacted_200k"+shape.Suffix+"_vs_htmlparse", 31, 20,
				func() {
					_, c, err := Reader{}.ReadRedacted(page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src})
					if err != nil {
						b.Fatal(err)
					}
					keep = c
				},
				func() { keep = domtest.Parse(src) })
		}
	}
}

// V3: the bytes of a minified tree to a page, beside encoding/json taking the
// same bytes into structs of the same fields. The reference has plain strings
// and numbers where ours takes what clients really send (ids that are numbers,
// values that are booleans), so that it owes nothing to our types; decoding into
// an any would be slower and so an easier mark.
func BenchmarkV3(b *testing.B) {
	body := treeBody(100)
	var check plainCapture
	if err := json.Unmarshal(body, &check); err != nil || len(check.Tree) != 100 {
		b.Fatalf("%d nodes: %v", len(check.Tree), err)
	}
	for range b.N {
		domtest.SideBySide("page", "v3_100_vs_unmarshal", 81, 50,
			func() {
				var c page.Capture
				if err := json.Unmarshal(body, &c); err != nil {
					b.Fatal(err)
				}
				keep = readWhole(b, c)
			},
			func() {
				var c plainCapture
				if err := json.Unmarshal(body, &c); err != nil {
					b.Fatal(err)
				}
				keep = c
			})
	}
}

// Diff: two skeletons of 500 elements with the changes one action makes, beside
// encoding/json writing both.
func BenchmarkDiff(b *testing.B) {
	before, after := skeletons(b, 500)
	if lines := page.Diff(before, after); len(lines) < 3 {
		b.Fatalf("only %d lines of change", len(lines))
	}
	for range b.N {
		domtest.SideBySide("page", "diff_500_vs_marshal", 81, 50,
			func() { keep = page.Diff(before, after) },
			func() {
				for _, s := range []page.Skeleton{before, after} {
					raw, err := json.Marshal(s)
					if err != nil {
						b.Fatal(err)
					}
					keep = raw
				}
			})
	}
}

// whole is a page with everything there is to it computed.
type whole struct {
	page     page.Page
	skeleton page.Skeleton
}

// keep holds results, so that nothing is left out as unused.
var keep any

func readWhole(b *testing.B, c page.Capture) whole {
	p, err := Reader{}.Read(c)
	if err != nil {
		b.Fatal(err)
	}
	return whole{p, p.Skeleton()}
}

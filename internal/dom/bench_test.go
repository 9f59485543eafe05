package dom

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// ballast is about what a server has in memory. Beside an empty heap the
// collector would run every four megabytes, and be half of what is measured.
var ballast = make([]byte, 64<<20)

// cost is what one run took.
type cost struct{ time, allocs, bytes float64 }

// measure runs f a few times from a clean heap, so that it pays for the
// collections its own garbage causes and for no one else's.
func measure(runs int, f func()) cost {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range runs {
		f()
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(ballast)
	n := float64(runs)
	return cost{
		took.Seconds() * 1000 / n, float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n,
	}
}

// sideBySide measures ours and ref in rounds that alternate, so that both meet
// the same machine, and prints the medians.
func sideBySide(name string, rounds, runs int, ours, ref func()) {
	var o, r []cost
	for range rounds {
		r = append(r, measure(runs, ref))
		o = append(o, measure(runs, ours))
	}
	bar(name, "ms", o, r, func(c cost) float64 { return c.time })
	bar(name+"_allocs", "allocs", o, r, func(c cost) float64 { return c.allocs })
	bar(name+"_bytes", "bytes", o, r, func(c cost) float64 { return c.bytes })
}

func bar(name, unit string, ours, ref []cost, of func(cost) float64) {
	o, r := median(ours, of), median(ref, of)
	fmt.Printf("BAR page.%s ours=%.3f ref=%.3f ratio=%.3f unit=%s\n", name, o, r, o/r, unit)
}

func median(list []cost, of func(cost) float64) float64 {
	v := make([]float64, len(list))
	for i, c := range list {
		v[i] = of(c)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

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
			for _, shape := range shapes {
				src := shape.page(size.bytes)
				sideBySide("read_"+size.name+shape.suffix+"_vs_htmlparse", 31, size.runs,
					func() { keep = readWhole(b, page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src}) },
					func() { parse(b, src) })
			}
		}
	}
}

// Redact: reading a page and cutting its secrets out for the store, as a turn
// does, beside the same parse.
func BenchmarkReadRedacted(b *testing.B) {
	for range b.N {
		for _, shape := range shapes {
			src := shape.page(200_000)
			sideBySide("redacted_200k"+shape.suffix+"_vs_htmlparse", 31, 20,
				func() {
					_, c, err := Reader{}.ReadRedacted(page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src})
					if err != nil {
						b.Fatal(err)
					}
					keep = c
				},
				func() { parse(b, src) })
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
		sideBySide("v3_100_vs_unmarshal", 81, 50,
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
		sideBySide("diff_500_vs_marshal", 81, 50,
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

func parse(b *testing.B, src string) {
	n, err := html.Parse(strings.NewReader(src))
	if err != nil {
		b.Fatal(err)
	}
	keep = n
}

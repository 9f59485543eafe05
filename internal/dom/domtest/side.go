// Package domtest has the pages our benchmarks read, and measures what we do with
// one beside a bare parse of it.
package domtest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
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

// SideBySide measures ours and ref in rounds that alternate, so that both meet
// the same machine, and prints the medians.
func SideBySide(area, name string, rounds, runs int, ours, ref func()) {
	var o, r []cost
	for range rounds {
		r = append(r, measure(runs, ref))
		o = append(o, measure(runs, ours))
	}
	bar(area+"."+name, "ms", o, r, func(c cost) float64 { return c.time })
	bar(area+"."+name+"_allocs", "allocs", o, r, func(c cost) float64 { return c.allocs })
	bar(area+"."+name+"_bytes", "bytes", o, r, func(c cost) float64 { return c.bytes })
}

func bar(name, unit string, ours, ref []cost, of func(cost) float64) {
	o, r := median(ours, of), median(ref, of)
	fmt.Printf("BAR %s ours=%.3f ref=%.3f ratio=%.3f unit=%s\n", name, o, r, o/r, unit)
}

func median(list []cost, of func(cost) float64) float64 {
	v := make([]float64, len(list))
	for i, c := range list {
		v[i] = of(c)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// Parse is the reference: what the least of readers has to do with a page.
func Parse(src string) *html.Node {
	n, err := html.Parse(strings.NewReader(src))
	if err != nil {
		panic(err) // a strings.Reader does not fail
	}
	return n
}

// TryParse is Parse of what may be refused: markup nested too deeply.
func TryParse(src string) {
	_, _ = html.Parse(strings.NewReader(src))
}

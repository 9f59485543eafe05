package dom

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// formPage is a form-rich page of about size bytes: labelled fields, selects,
// rows with buttons, prose between them.
func formPage(size int) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>Orders</title></head><body><main>")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `<section class="card shadow p-4" aria-label="Order %[1]d"><h2>Order %[1]d</h2><p>Placed by a customer on day %[1]d; it has <b>three</b> lines and ships soon.</p>
<form action="/orders/%[1]d"><div class="row"><label for="name-%[1]d">Name</label><input class="input" id="name-%[1]d" name="name" data-llm-id="%[1]d1" value="Customer %[1]d"></div>
<div class="row"><label>Email <input type="email" class="input" data-llm-id="%[1]d2" required placeholder="you@example.test"></label></div>
<div class="row"><span>Quantity</span><input type="number" data-llm-id="%[1]d3" value="%[1]d"></div>
<select data-llm-id="%[1]d4" aria-label="Status"><option value="o">Open</option><option value="p" selected>Paid</option><option value="s">Sent</option></select>
<label><input type="checkbox" data-llm-id="%[1]d5" checked> Gift</label>
<table><tr><td>Lamp</td><td><button type="button" data-llm-id="%[1]d6" class="btn btn-danger">Delete</button></td></tr><tr><td>Chair</td><td><button type="button" data-llm-id="%[1]d7" class="btn">Delete</button></td></tr></table>
<div role="alert" class="error">Order %[1]d needs attention</div><button data-llm-id="%[1]d8" class="btn btn-primary">Save</button> <a href="/orders/%[1]d" data-llm-id="%[1]d9">Details</a></form></section>`, i)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

// BenchmarkRead200KB compares reading a page with parsing it, alternating so
// that both meet the same machine.
func BenchmarkRead200KB(b *testing.B) {
	src := formPage(200_000)
	c := page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src}
	var ours, ref []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := html.Parse(strings.NewReader(src)); err != nil {
			b.Fatal(err)
		}
		ref = append(ref, time.Since(start))
		start = time.Now()
		if _, err := (Reader{}).Read(c); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(start))
	}
	o, r := median(ours), median(ref)
	fmt.Printf("BAR page.read_200k ours=%.3f ref=%.3f ratio=%.2f unit=ms\n", o, r, o/r)
	b.ReportMetric(o/r, "x-parse")
}

// BenchmarkRedact200KB is what storing a page costs on top.
func BenchmarkRedact200KB(b *testing.B) {
	c := page.Capture{Mode: page.ModeFull, DOM: formPage(200_000)}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := (Reader{}).ReadRedacted(c); err != nil {
			b.Fatal(err)
		}
	}
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

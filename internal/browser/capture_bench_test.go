package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// benchElements is how many elements the measured page has.
const benchElements = 10_000

// benchPage is a page of mixed content: sections of nested boxes with headings, text,
// links, lists, a table, fields and buttons, most of it below what is on screen.
func benchPage() string {
	var b strings.Builder
	b.WriteString(`<style>body{font:14px sans-serif;margin:8px} .card{border:1px solid #ccc;padding:6px;margin:4px} .row{display:flex;gap:8px}
		.menu li{display:inline-block;margin:2px} .more{cursor:pointer} table{border-collapse:collapse} td{padding:2px 6px}</style>
		<nav class="menu"><ul><li><a href="/">Home</a><li><a href="/orders">Orders</a></ul></nav><main>`)
	const each = 49 // elements of a section
	for i := range benchElements / each {
		fmt.Fprintf(&b, `<section class="card" id="s%[1]d" data-kind="order"><h2>Order %[1]d</h2>
			<div class="row"><div class="cell"><p>Placed by <b>Customer %[1]d</b> on <time>2026-03-%02[2]d</time>, paid by <i>card</i>.</p></div>
			<div class="cell"><span class="tag">open</span> <span class="tag">express</span></div></div>
			<ul class="menu"><li><a href="/orders/%[1]d">Details</a></li><li><a href="/orders/%[1]d/invoice">Invoice</a></li><li><a href="/customers/%[1]d">Customer</a></li></ul>
			<table><tr><td>Item A<td>2<td>10.00<tr><td>Item B<td>1<td>25.50</table>
			<form class="row"><label for="q%[1]d">Quantity</label><input id="q%[1]d" name="quantity" value="%[2]d"><label><input type="checkbox"> Gift</label>
			<select name="via"><option>Post<option selected>Courier</select><button type="button">Save order %[1]d</button><button type="button" disabled>Cancel</button></form>
			<div class="row"><div class="more">More about it</div><span>Total</span><span>35.50</span></div>
			<footer><p>Sent to <em>12 Long Road</em>, <em>Town</em></p><p>Weight <b>2</b> kg</p></footer></section>`, i, 1+i%28)
	}
	return b.String() + "</main>"
}

// benchRuns is how often each is measured; the medians count.
const benchRuns = 9

// measureCapture changes the page before each run, so that no answer of the run before
// serves again, and measures both in turns.
const measureCapture = `(async () => {
	const walk = () => { for (const el of document.querySelectorAll("*")) el.getBoundingClientRect() }
	const capture = async () => (await stepledger.capture({start: 0, full: false, limit: 490000})).nodes.length
	const measured = {walk: [], capture: [], elements: document.querySelectorAll("*").length, nodes: 0}
	for (let i = 0; i < %d; i++) for (const [name, run] of [["walk", walk], ["capture", capture]]) {
		document.querySelector("h2").textContent = "Order " + i + name
		document.body.offsetHeight // the layout is not part of either
		const begun = performance.now()
		const n = await run()
		measured[name].push(performance.now() - begun)
		if (n) measured.nodes = n
	}
	return measured
})()`

// measureUnchanged asks for the hash of a page that was captured and left alone.
const measureUnchanged = `(async () => {
	await stepledger.capture({start: 0, full: false, limit: 490000})
	const measured = {walk: [], unchanged: []}
	for (let i = 0; i < %d; i++) {
		let begun = performance.now()
		for (const el of document.querySelectorAll("*")) el.getBoundingClientRect()
		measured.walk.push(performance.now() - begun)
		begun = performance.now()
		await stepledger.hash()
		measured.unchanged.push(performance.now() - begun)
	}
	return measured
})()`

// measureBlock captures while messages to itself say how long the page could do nothing
// else; that of the walk is beside it.
const measureBlock = `(async () => {
	const measured = {block: []}
	const channel = new MessageChannel()
	let last = 0, longest = 0, running = true
	channel.port1.onmessage = () => {
		const now = performance.now()
		longest = Math.max(longest, now - last)
		last = now
		if (running) channel.port2.postMessage(0)
	}
	for (let i = 0; i < %d; i++) {
		document.querySelector("h2").textContent = "Order " + i
		document.body.offsetHeight
		running = true, longest = 0, last = performance.now()
		channel.port2.postMessage(0)
		await new Promise((r) => setTimeout(r, 5))
		await stepledger.capture({start: 0, full: false, limit: 490000})
		await new Promise((r) => setTimeout(r, 5))
		running = false
		await new Promise((r) => setTimeout(r, 5))
		measured.block.push(longest)
	}
	return measured
})()`

// BenchmarkCapture measures in the page what a capture of 10,000 elements and the hash of
// the unchanged page take, against one walk that asks each element for its box, and how
// long a capture holds the page up at a time, against what a person notices:
//
//	BAR client.capture_10k_vs_walk ours=.. ref=.. ratio=.. unit=ms
//	BAR client.unchanged_vs_walk ours=.. ref=.. ratio=.. unit=ms
//	BAR client.longest_block_ms ours=.. ref=50 ratio=.. unit=ms
func BenchmarkCapture(b *testing.B) {
	tab := benchTab(b)
	var got struct {
		Walk, Capture, Unchanged, Block []float64
		Elements, Nodes                 int
	}
	for b.Loop() {
		tab.askAwaiting(b, &got, fmt.Sprintf(measureCapture, benchRuns))
		b.Logf("%d elements, %d nodes", got.Elements, got.Nodes)
		report("capture_10k_vs_walk", medianOf(got.Capture), medianOf(got.Walk))
		tab.askAwaiting(b, &got, fmt.Sprintf(measureUnchanged, benchRuns))
		report("unchanged_vs_walk", medianOf(got.Unchanged), medianOf(got.Walk))
		tab.askAwaiting(b, &got, fmt.Sprintf(measureBlock, benchRuns))
		report("longest_block_ms", medianOf(got.Block), 50)
	}
}

// report prints a line of the benchmark.
func report(name string, ours, ref float64) {
	fmt.Printf("BAR client.%s ours=%.3f ref=%.3f ratio=%.3f unit=ms\n", name, ours, ref, ours/ref)
}

func medianOf(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// benchTab shows the measured page.
func benchTab(b *testing.B) *Tab {
	b.Helper()
	if absent != nil {
		b.Skip(absent)
	}
	tab, err := shared.NewTab(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(tab.Close)
	if err := tab.Open(b.Context(), serveHTML(b, benchPage())); err != nil {
		b.Fatal(err)
	}
	return tab
}

// askAwaiting evaluates an expression beside the script and waits for what it promises.
func (t *Tab) askAwaiting(b *testing.B, out any, expression string) {
	b.Helper()
	err := t.evaluate(b.Context(), t.rootOf(""), expression, func(_ context.Context, _ *chromedp.Target, result *runtime.RemoteObject) error {
		return json.Unmarshal(result.Value, out)
	}, chromedp.EvalAsValue, chromedp.EvalAwaitPromise)
	if err != nil {
		b.Fatal(err)
	}
}

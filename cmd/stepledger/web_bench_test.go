package main

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/internal/browser"
)

// sliderLimitMs is within what feels immediate.
const sliderLimitMs = 100

// BenchmarkTimeTravel_Slider is the time in a real Chromium from the move of a task's
// slider to the pixels of a turn that was not loaded before, both its captured pages of
// 200 kB included.
func BenchmarkTimeTravel_Slider(b *testing.B) {
	ctx := b.Context()
	path, err := browser.Find()
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		s := newModelServer(b, newFakeGemini(b), hooks{})
		p := newModelPursuit()
		p.page.padding = padding(benchPageBytes)
		p.finish(b, s.client)
		r := newReader(ctx, b, path, 1280, s.base)
		r.signIn("jo@acme.example", testPassword.Reveal())
		var all []float64
		for range 9 {
			r.open("/tasks/" + p.task + "?turn=1")
			took, err := strconv.ParseFloat(r.eval(`new Promise(done => {
				const slider = document.querySelector("input[type=range]"), began = performance.now()
				slider.value = 3
				slider.dispatchEvent(new Event("input"))
				const look = () => {
					const turn = document.querySelector("[data-n]"), frames = [...document.querySelectorAll("iframe")]
					if (turn.dataset.n !== "3") return requestAnimationFrame(look)
					Promise.all(frames.map(f => new Promise(loaded => f.addEventListener("load", loaded))))
						.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began))))
				}
				look() })`), 64)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, took)
		}
		ms := median(all)
		fmt.Printf("BAR timetravel.slider_ms ours=%.1f ref=%d ratio=%.3f unit=ms\n", ms, sliderLimitMs, ms/sliderLimitMs)
	}
}

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
// slider to the pixels of the turn, both its captured pages of 200 kB included: to the
// next turn, as one goes along, and with a jump to one that was not near.
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
		for _, move := range []struct {
			name     string
			from, to int
		}{{"timetravel.slider_ms", 2, 3}, {"timetravel.slider_jump_ms", 4, 1}} {
			var all []float64
			for range 7 {
				all = append(all, r.slide("/tasks/"+p.task, move.from, move.to))
			}
			ms := median(all)
			fmt.Printf("BAR %s ours=%.1f ref=%d ratio=%.3f unit=ms\n", move.name, ms, sliderLimitMs, ms/sliderLimitMs)
		}
	}
}

// slide looks at a turn for two seconds, moves the slider, and says after how many
// milliseconds all of the other turn was drawn.
func (r reader) slide(task string, from, to int) float64 {
	r.Helper()
	r.open(fmt.Sprintf("%s?turn=%d", task, from))
	took, err := strconv.ParseFloat(r.eval(fmt.Sprintf(`new Promise(done => setTimeout(() => {
		const slider = document.querySelector("input[type=range]"), began = performance.now()
		slider.value = %d
		slider.dispatchEvent(new Event("input"))
		const look = () => {
			const frames = [...document.querySelectorAll("#part iframe")]
			if (document.querySelector("[data-n]").dataset.n !== "%[1]d" || !frames.every(f => "drawn" in f.dataset)) return requestAnimationFrame(look)
			requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)))
		}
		look() }, 2000))`, to)), 64)
	if err != nil {
		r.Fatal(err)
	}
	return took
}

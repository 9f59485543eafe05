// Package costtest measures in tests what work costs: processor time of the thread
// that does it, the least of several runs, so that a busy machine changes little. It
// answers whether a cost grows faster than its input; it does not produce figures.
package costtest

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	// step is how much larger the second input is, and most how much more it may
	// cost: midway between what is linear, 4, and what is quadratic, 16. Linear work
	// that outgrows a cache of the processor has been measured at 7.1.
	step = 4
	most = 8
	// small is a cost nobody needs to bound, and in which noise is most of it.
	small = 30 * time.Millisecond
	tries = 4
)

// Of returns the cost of a run of f: the least of three, if that matters.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range 3 {
		began := processor()
		f()
		if took := processor() - began; took < least {
			least = took
		}
		if least > time.Second || least < small/3 {
			break // long enough to be sure of, or too short to matter
		}
	}
	return least
}

// Grows fails a test if an input four times as large costs far more than four times
// as much. with returns the work for an input of a size.
func Grows(t testing.TB, size int, with func(size int) func()) {
	t.Helper()
	var a, b time.Duration
	for range tries {
		b = Of(with(step * size))
		if b < small {
			return
		}
		if a = Of(with(size)); float64(b) <= most*float64(a) {
			return
		}
		if b > time.Second {
			break // noise is not in it
		}
	}
	t.Errorf("an input of size %d costs %v, one of %d costs %v: %.1f times as much", size, a, step*size, b, float64(b)/float64(a))
}

// Within fails a test if ours costs far more than a reference on the same input: more
// than times as much, and enough to matter.
func Within(t testing.TB, times float64, ref, ours func()) {
	t.Helper()
	var r, o time.Duration
	for range tries {
		if o = Of(ours); o < 5*small {
			return
		}
		if r = Of(ref); float64(o) <= times*float64(r) {
			return
		}
	}
	t.Errorf("ours costs %v, the reference %v: %.0f times as much", o, r, float64(o)/float64(r))
}

// Repeated repeats a piece up to a size.
func Repeated(piece string, size int) string {
	if piece == "" {
		return ""
	}
	return strings.Repeat(piece, size/len(piece))
}

package costtest_test

import (
	"testing"

	"github.com/stepledger/stepledger/internal/costtest"
)

// failed hears of errors in place of the test.
type failed struct {
	testing.TB
	errors int
}

func (f *failed) Helper()               {}
func (f *failed) Errorf(string, ...any) { f.errors++ }

var sink int

func TestGrows(t *testing.T) {
	work := func(n int) {
		for i := range n {
			sink ^= i * i
		}
	}
	linear, square := &failed{TB: t}, &failed{TB: t}
	costtest.Grows(linear, 12_000_000, func(n int) func() { return func() { work(n) } })
	costtest.Grows(square, 2_000, func(n int) func() { return func() { work(n * n) } })
	if linear.errors != 0 || square.errors != 1 {
		t.Errorf("of linear work %d errors, of quadratic work %d", linear.errors, square.errors)
	}
}

func TestWithin(t *testing.T) {
	ours := func() {
		for i := range 300_000_000 {
			sink ^= i
		}
	}
	near, far := &failed{TB: t}, &failed{TB: t}
	costtest.Within(near, 50, ours, ours)
	costtest.Within(far, 50, func() { sink++ }, ours)
	if near.errors != 0 || far.errors != 1 {
		t.Errorf("beside itself %d errors, beside nothing %d", near.errors, far.errors)
	}
}

package value

import (
	"strings"
	"testing"
	"time"
)

// Whatever is compared or handed over takes time in step with its length, and little.
func TestCompare_bounded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"1", "1,", "1 ", ". ", "a ", "u\u0308", "\u0300", "1:", "•", "5 March ", "+1(", "ｶﾞ", "t 1", "e9", "한", "a,", " and b", "٤", "İ"} {
		for _, size := range []int{maxNumber, maxCompared, maxLong, 500_000} {
			long := strings.Repeat(unit, size/len(unit))
			start := time.Now()
			for _, e := range kinds("a", "b") {
				_ = Compare(long, long[:len(long)/2]+"x", e)
				_, _ = ForControl(long, e)
				_ = Given(long, "15:30")
			}
			if took := time.Since(start); took > 2*time.Second { // some 20 ms on a machine with nothing else to do
				t.Errorf("%d bytes of %q took %s", size, unit, took)
			}
		}
	}
}

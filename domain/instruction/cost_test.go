package instruction

import (
	"testing"

	"github.com/stepledger/stepledger/internal/costtest"
)

// Not parallel: it measures.
func TestCost(t *testing.T) {
	for _, piece := range []string{
		"a ", "click ", "and ", "the first ", `"`, "'x ", "in the row of ", "A, ", "enter a into b ", "by clicking ", "if there is ", "x's ", "set a to b and ", "May 4 ", "1. ", "then ",
		"except ", "of ", "find and ", "[1", "日本", "so that it is ", "in upper case ", "as the ",
	} {
		costtest.Grows(t, maxRead/4, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() { Read(text) }
		})
	}
	long := costtest.Repeated("click the button and ", 100*maxRead)
	costtest.Within(t, 10, func() { Read(long[:maxRead]) }, func() { Read(long) })
}

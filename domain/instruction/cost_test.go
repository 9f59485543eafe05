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
		"with a 'x' and ", "with a of 5, ", "create a with ", "add a with b 5 with c ", "from: a ", "create a from: ", "A & ", "made by ", "create a named 'x' and ", "create and ", "the 'x' y ", "frob the ",
		"set a from b to 5 in ", "set the first a of the ", "the list a ", "drag a up by ", "add a, b 'x', ", "add 2 a with 3 b and ", "in A, B ", "a sold by ",
	} {
		costtest.Grows(t, maxRead/4, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() { Read(text) }
		})
	}
	long := costtest.Repeated("click the button and ", 100*maxRead)
	costtest.Within(t, 10, func() { Read(long[:maxRead]) }, func() { Read(long) })
}

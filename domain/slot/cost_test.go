package slot

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/costtest"
)

// Not parallel: it measures.
func TestCost(t *testing.T) {
	for _, piece := range []string{"a ", "the ", "Ann Lee ", `"`, "a@b.c ", "5 May ", "of is it ", "1, ", "book and ", "日本", "x’s "} {
		costtest.Grows(t, maxRead/4, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() {
				slots := Find(text)
				For(page.Element{Role: "textbox", Name: "From"}, slots, "a")
				Counts(text)
			}
		})
	}
	long := costtest.Repeated("Fly from Oslo to Bergen ", 100*maxRead)
	costtest.Within(t, 3, func() { Find(long[:maxRead]) }, func() { Find(long) })
}

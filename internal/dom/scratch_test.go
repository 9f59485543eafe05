package dom

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// Pages read one after the other, and at the same time, use the same memory:
// nothing of one may be in another.
func TestReader_PagesDoNotMix(t *testing.T) {
	t.Parallel()
	const pages = 20
	of := func(i int) (page.Capture, string) {
		mark := strings.Repeat(string(rune('A'+i)), 2)
		part := strings.ReplaceAll(`<section aria-label="MARK s"><h2>MARK h</h2><div role="alert">MARK a</div><label for="MARK-f">MARK l</label>`+
			`<input id="MARK-f" value="MARK v"><p>MARK t</p><a href="/MARK" data-llm-id="MARK">MARK n</a></section>`, "MARK", mark)
		return page.Capture{Mode: page.ModeFull, DOM: strings.Repeat(part, 1+7*(i%5))}, mark
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range pages {
				c, mark := of(i)
				p, err := Reader{}.Read(c)
				if err != nil {
					t.Error(err)
				}
				if len(p.Elements) != 2*(1+7*(i%5)) || !strings.HasPrefix(p.Elements[0].Name, mark+" l") || p.Elements[1].ID != mark || p.Elements[0].ID != mark+"-f" {
					t.Errorf("page %s has %d elements, the first %+v", mark, len(p.Elements), p.Elements[0])
				}
				shown := fmt.Sprint(p.Elements, p.Alerts, p.Headings, p.Text)
				for other := range pages {
					if _, theirs := of(other); theirs != mark && strings.Contains(shown, theirs) {
						t.Errorf("page %s shows %s", mark, theirs)
					}
				}
			}
		})
	}
	all.Wait()
}

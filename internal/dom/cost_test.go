package dom_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/costtest"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// TestReadRedacted_Cost: what reading a page costs, and cutting the secrets out of it,
// grows no faster than the page, whatever it is made of.
func TestReadRedacted_Cost(t *testing.T) {
	t.Parallel()
	for _, shape := range domtest.Hostile {
		t.Run(shape.Suffix, func(t *testing.T) {
			t.Parallel()
			costtest.Grows(t, 100_000, func(size int) func() {
				c := page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: shape.Page(size)}
				return func() { _, _, _ = dom.Reader{}.ReadRedacted(c) } //nolint:dogsled // some of them cannot be read
			})
		})
	}
}

// TestReadRedacted_CostOfTrees: the same of a tree beside the document it is of.
func TestReadRedacted_CostOfTrees(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"labels", "one_button", "values", "passwords", "one_id"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			costtest.Grows(t, 50_000, func(size int) func() {
				src := shapeOf(t, name)(size)
				p, err := dom.Reader{}.Read(page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src})
				if err != nil {
					t.Fatal(err)
				}
				c := page.Capture{URL: "https://a.test/", DOM: src}
				for _, e := range p.Elements {
					c.Tree = append(c.Tree, page.NodeV3{ID: page.Scalar(e.ID), Role: e.Role, Name: page.Scalar(e.Name), Value: "a"})
				}
				return func() {
					if _, _, err := (dom.Reader{}).ReadRedacted(c); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

func shapeOf(t testing.TB, name string) func(int) string {
	t.Helper()
	for _, s := range domtest.Hostile {
		if s.Suffix == name {
			return s.Page
		}
	}
	t.Fatalf("no page is called %q", name)
	return nil
}

// BenchmarkHostile: what the worst of these pages costs to read, beside its bare parse.
func BenchmarkHostile(b *testing.B) {
	for range b.N {
		for _, name := range []string{"labels", "dialogs", "owned", "alerts_in_alerts", "sibling_rules", "deep_groups"} {
			src := shapeOf(b, name)(page.MaxDOM - 1_000)
			c := page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src}
			domtest.SideBySide("page", "read_hostile_"+name+"_vs_htmlparse", 5, 3, func() {
				_, _, _ = dom.Reader{}.ReadRedacted(c) //nolint:dogsled // what cannot be read costs as well
			}, func() { domtest.TryParse(src) })
		}
	}
}

// FuzzReadRedacted_Cost looks for markup that costs far more to read than to parse:
// a piece of it, many times over, behind another.
func FuzzReadRedacted_Cost(f *testing.F) {
	f.Add("", "<label>a<input id=x></label>")
	f.Add("<style>a~a{display:none}</style>", "<a href=x>b</a>")
	f.Add("<form aria-labelledby='a b c'>", "<input type=password value=a>")
	f.Fuzz(func(t *testing.T, before, piece string) {
		if len(before)+len(piece) > 2_000 {
			return
		}
		src := before + costtest.Repeated(piece, 40_000)
		c := page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src}
		costtest.Within(t, 60, func() { domtest.TryParse(src) }, func() {
			_, _, _ = dom.Reader{}.ReadRedacted(c) //nolint:dogsled // what cannot be read costs as well
		})
	})
}

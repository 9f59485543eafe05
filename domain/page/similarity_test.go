package page

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestSimilarity(t *testing.T) {
	t.Parallel()
	in := func(group string, es ...Element) []Element {
		for i := range es {
			es[i].Group = group
		}
		return es
	}
	page := func(parts ...[]Element) Skeleton {
		return reading("https://a.test/", slices.Concat(parts...)).Skeleton()
	}
	form := func() []Element {
		return in("Sign up", field("1", "Name", ""), field("2", "Email", ""), button("3", "Send"))
	}
	for name, c := range map[string]struct {
		a, b Skeleton
		want float64
	}{
		"two empty pages":               {page(), page(), 1},
		"an empty page and another":     {page(), page(form()), 0},
		"the same page":                 {page(form()), page(form()), 1},
		"nothing in common":             {page(in("A", button("1", "Save"))), page(in("B", Element{ID: "1", Role: "link", Name: "Home"})), 0},
		"other ids, values and states":  {page(in("F", field("1", "Name", ""))), page(in("F", Element{ID: "9", Role: "textbox", Name: "Name", Value: "Jas", State: State{Invalid: true}})), 1},
		"another order":                 {page([]Element{button("1", "A"), button("2", "B")}), page([]Element{button("2", "B"), button("1", "A")}), 1},
		"a clock on a button":           {page([]Element{button("1", "12:03:58")}), page([]Element{button("1", "12:03:59")}), 1},
		"a name changed, same layout":   {page([]Element{button("1", "Save"), button("2", "Back")}), page([]Element{button("1", "Saved"), button("2", "Back")}), 0.4/3 + 0.6},
		"same names in another form":    {page(in("A", button("1", "Save"))), page(in("B", button("1", "Save"))), 0.4},
		"one of a kind and twenty":      {page([]Element{button("1", "Delete")}), page(slices.Repeat([]Element{button("1", "Delete")}, 20)), 1.0 / 20},
		"a link that leads elsewhere":   {page([]Element{{ID: "1", Role: "link", Name: "More", Href: "/a"}}), page([]Element{{ID: "1", Role: "link", Name: "More", Href: "/b"}}), 0.6},
		"a link with another query":     {page([]Element{{ID: "1", Role: "link", Name: "More", Href: "/a?t=1"}}), page([]Element{{ID: "1", Role: "link", Name: "More", Href: "/a?t=2"}}), 1},
		"hidden elements do not matter": {page(form()), page(form(), []Element{{ID: "9", Role: "button", Name: "Spare", State: State{Hidden: true}}}), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Similarity(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("got %.4f, want %.4f", got, c.want)
			}
		})
	}
}

func TestSimilarity_isAMeasure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPage(t, "a").Skeleton(), anyPage(t, "b").Skeleton()
		ab, ba := Similarity(a, b), Similarity(b, a)
		if ab != ba || ab < 0 || ab > 1 {
			t.Fatalf("%f and %f", ab, ba)
		}
		if Similarity(a, a) != 1 {
			t.Fatal("a page is not like itself")
		}
	})
}

func TestDrifted(t *testing.T) {
	t.Parallel()
	list := func(n int) (es []Element) {
		for i := range n {
			es = append(es, button(strconv.Itoa(i), "Entry "+strconv.Itoa(i)))
		}
		return es
	}
	before := reading("https://a.test/list?page=1", list(10)).Before()
	for name, c := range map[string]struct {
		before Before
		now    Page
		want   Drift
	}{
		"the same page":          {before, reading("https://a.test/list?page=1", list(10)), NoDrift},
		"another query":          {before, reading("https://a.test/list?page=2", list(10)), NoDrift},
		"another path":           {before, reading("https://a.test/entry", list(10)), DriftURL},
		"another route":          {before, reading("https://a.test/list#/entry", list(10)), DriftURL},
		"a few entries more":     {before, reading("https://a.test/list", list(12)), NoDrift},
		"a dialog over all else": {before, reading("https://a.test/list", []Element{{ID: "1", Role: "button", Name: "OK", Group: "Sure?"}}), DriftSimilarity},
		"no reading, same URL":   {Before{URL: "https://a.test/list", DOMHash: "x"}, reading("https://a.test/list", nil), NoDrift},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Drifted(c.before, c.now); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Half a structure is a major change, and it is enough.
func TestReplanBelow_coversMajorChangesOfStructure(t *testing.T) {
	t.Parallel()
	if most := interactiveWeight + structureWeight*0.5; most > ReplanBelow+1e-9 {
		t.Errorf("a page with half its structure may be %.2f alike", most)
	}
}

package chain_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
)

// Whatever a client reports: what was executed by any account is not handed out
// again, and nothing that may not fail is passed over.
func TestRecover_RepeatsNothingAndLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, p := drawChain(t)
		report := page.ChainProgress{
			LastExecuted: rapid.IntRange(-3, len(c)+1).Draw(t, "last"),
			Total:        rapid.SampledFrom([]int{0, 0, len(c), len(c) + 1}).Draw(t, "total"),
			Executed:     rapid.SliceOfN(rapid.SampledFrom(append(texts(c), `click("x")`, "nonsense")), 0, 5).Draw(t, "executed"),
		}
		if rapid.Bool().Draw(t, "honest") {
			report.Executed = texts(c[:max(0, min(len(c), report.LastExecuted+1))])
		}
		var failure *page.ActionError
		if rapid.Bool().Draw(t, "says what failed") {
			failure = &page.ActionError{Action: rapid.SampledFrom(append(texts(c), `click("x")`, "", "nonsense")).Draw(t, "failed")}
		}
		r := chain.Recover(c, p.Skeleton(), report, failure, drawLater(t, p))

		for _, item := range r.Rest {
			i := slices.IndexFunc(c, func(o chain.Item) bool { return o.Target.Name == item.Target.Name })
			if slices.Contains(r.Executed, i) || i < r.From || i >= r.Next {
				t.Fatalf("%s is item %d of %+v", item.Action, i, r)
			}
		}
		for _, text := range report.Executed {
			if i := slices.Index(texts(c), text); i >= 0 && slices.ContainsFunc(r.Rest, func(o chain.Item) bool { return o.Target.Name == c[i].Target.Name }) {
				t.Fatalf("%s was executed and is done again: %+v", text, r)
			}
		}
		for i := range r.From {
			if !slices.Contains(r.Executed, i) && !c[i].CanFail {
				t.Fatalf("item %d was not executed, may not fail and is passed over: %+v", i, r)
			}
		}
		if handed := len(r.Rest); handed > 0 && r.From+handed != r.Next {
			t.Fatalf("between %d and %d something is missing: %+v", r.From, r.Next, r)
		}
		if r.Kind == chain.Nothing && r.From != len(c) {
			t.Fatalf("nothing left, from %d", r.From)
		}
	})
}

// A client that fails as it likes, on a page whose ids move as they like, comes
// to an end, and every item that may not fail was executed once or is to be
// decided anew.
func TestRecover_ComesToAnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, now := drawChain(t)
		mayFail := map[string]bool{}
		for _, item := range c {
			mayFail[item.Target.Name] = item.CanFail
		}
		total, done := len(c), map[string]int{}
		for rounds := 0; ; rounds++ {
			if rounds > 2*total {
				t.Fatal("it goes on for ever")
			}
			stop := rapid.IntRange(0, len(c)).Draw(t, "stops at")
			for _, item := range c[:stop] {
				done[item.Target.Name]++
			}
			before := now.Skeleton()
			now = drawLater(t, now)
			r := chain.Recover(c, before, page.ChainProgress{LastExecuted: stop - 1, Executed: texts(c)[:stop], Total: len(c)}, nil, now)
			for _, item := range c[stop:] {
				handed := slices.ContainsFunc(r.Rest, func(o chain.Item) bool { return o.Target.Name == item.Target.Name })
				if !handed && item.Index < r.From && !mayFail[item.Target.Name] {
					t.Fatalf("%s is lost: %+v", item.Target.Name, r)
				}
			}
			if c = r.Rest; len(c) == 0 {
				break
			}
		}
		for name, n := range done {
			if n > 1 {
				t.Fatalf("%s was done %d times", name, n)
			}
		}
	})
}

func drawChain(t *rapid.T) (chain.Chain, page.Page) {
	n := rapid.IntRange(1, 6).Draw(t, "fields")
	var es []page.Element
	var all []chain.Candidate
	for i := range n {
		id := strconv.Itoa(i + 1)
		es = append(es, page.Element{ID: id, Role: "textbox", Name: "Field " + string(rune('A'+i)), Group: "Form"})
		one := set(id, "v"+id)
		one.CanFail = rapid.IntRange(0, 2).Draw(t, "may fail") == 0
		all = append(all, one)
	}
	p := read(es...)
	c, _ := chain.Longest(all, p)
	return c, p
}

// drawLater is a page after some of the chain was done: ids move, elements come,
// go and are covered.
func drawLater(t *rapid.T, p page.Page) page.Page {
	offset := rapid.SampledFrom([]int{0, 0, 10, 20}).Draw(t, "ids from")
	var es []page.Element
	for i, e := range p.Elements {
		switch rapid.IntRange(0, 9).Draw(t, "fate") {
		case 0:
			continue
		case 1:
			e.State.Occluded = true
		case 2:
			e.State.Disabled = true
		}
		e.ID = strconv.Itoa(offset + i + 1)
		es = append(es, e)
	}
	if rapid.IntRange(0, 4).Draw(t, "twin") == 0 && len(es) > 0 {
		twin := es[0]
		twin.ID = "99"
		es = append(es, twin)
	}
	return read(es...)
}

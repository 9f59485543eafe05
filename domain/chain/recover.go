package chain

import "github.com/stepledger/stepledger/domain/page"

// Kind is a kind of recovery.
type Kind string

// The kinds. They are stored with ChainPartiallyFailed.
const (
	// Retry repeats the failed item, at the element's present place, and the items
	// after it.
	Retry Kind = "retry"
	// Skip leaves the failed item out and does the rest.
	Skip Kind = "skip"
	// Regenerate asks again what to do on the page as it is now.
	Regenerate Kind = "regenerate"
	// Nothing is left to do: every item was executed.
	Nothing Kind = "nothing"
)

// Recovery is how to continue after a chain stopped.
type Recovery struct {
	Kind Kind
	// Failed is the index of the item that failed; -1 for Nothing and for a
	// contradictory report.
	Failed int
	// From is the first item that is not known to be executed or may not be left out.
	// Regenerate begins there.
	From int
	// Executed are the indices, in order, of the items that were certainly executed.
	// They are not repeated.
	Executed []int
	// Rest is what to hand to the client now (Retry, Skip), counted anew from 0 and
	// safe on the page as it is. Items from Next on are not in it and are to be
	// decided anew after it; len of the chain if none are.
	Rest Chain
	Next int
	Why  string
}

// Recover decides how to continue a chain that stopped, by the client's report: how
// far it came and what went wrong (nil if unknown). before is the skeleton of the
// page the chain was decided on.
//
// Rest never contains an executed item, never skips an item that may not fail, and
// retries every item at most once, so that repeated recoveries end. If the report
// contradicts the chain, the rest is decided anew.
func Recover(c Chain, before page.Skeleton, progress page.ChainProgress, failure *page.ActionError, now page.Page) Recovery {
	a := c.account(progress, failure)
	r := Recovery{Kind: Regenerate, Failed: a.failed, From: a.from, Executed: a.indices(), Next: a.from, Why: a.why}
	switch {
	case a.why != "":
		return r
	case a.failed == len(c):
		r.Kind, r.Failed, r.Why = Nothing, -1, "every action of the chain was executed"
		return r
	}
	if rest, next := c.again(a.failed, before, now); len(rest) > 0 {
		r.Kind, r.Rest, r.Next, r.Why = Retry, rest, next, "its element is at another place now"
		return r
	}
	if !c[a.failed].CanFail {
		r.Why = "it could not be done, and its element is not to be found at another place"
		return r
	}
	rest, next := renew(c.aimedFrom(a.failed+1, before, now), now, a.failed+1)
	r.From, r.Next = a.failed+1, next
	if len(rest) == 0 && next < len(c) {
		r.Why = "it may be left out, and the page is not what the rest was decided on"
		return r
	}
	r.Kind, r.Rest, r.Why = Skip, rest, "it may be left out"
	return r
}

// again is the chain from a failed item on, where another aim may cure it: its
// element has another id now, and it was not retried before.
func (c Chain) again(failed int, before page.Skeleton, now page.Page) (rest Chain, next int) {
	items := c.aimedFrom(failed, before, now)
	if len(items) == 0 || items[0].Retried || items[0].Action.Target == c[failed].Action.Target {
		return nil, failed
	}
	items[0].Retried = true
	return renew(items, now, failed)
}

// renew is items as a chain of its own, as far as it is safe on the page; next
// is the index, in the chain they came from, of the first that is not in it.
func renew(items Chain, now page.Page, from int) (rest Chain, next int) {
	candidates := make([]Candidate, len(items))
	for i, item := range items {
		candidates[i] = item.Candidate
	}
	rest, _ = Longest(candidates, now)
	for i := range rest {
		rest[i].Retried = items[i].Retried
	}
	return rest, from + len(rest)
}

// aimedFrom are the items from an index on, each aimed at its element as it is
// now; they end before the first whose element is not to be found.
func (c Chain) aimedFrom(from int, before page.Skeleton, now page.Page) Chain {
	var out Chain
	for _, item := range c[from:] {
		aimed, ok := item.aimed(before, now)
		if !ok {
			break
		}
		out = append(out, aimed)
	}
	return out
}

// aimed is an item with the id its element has now. By id alone nothing is found:
// an id may be another element's by now.
func (i Item) aimed(before page.Skeleton, now page.Page) (Item, bool) {
	if i.Action.Target == "" {
		return i, true
	}
	var found page.Element
	var ok bool
	if before.Has(i.Key) {
		found, ok, _ = page.FindAgain(before, i.Key, now)
	} else {
		found, ok, _ = page.Find(now, i.Target)
	}
	if !ok || found.Role != i.Target.Role || !page.SameText(found.Name, i.Target.Name) {
		return i, false
	}
	i.Action.Target, i.Key, i.Target = found.ID, found.Key, found.Sought()
	return i, true
}

package chain

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// account is a client's report, read against the chain.
type account struct {
	// executed, by any account; from and failed are as in Recovery.
	executed     []bool
	from, failed int
	// why the report does not fit the chain, "" if it does.
	why string
}

// account reads how far the client came and which item failed: the one after the
// last executed, unless the client names a later one with nothing between that
// may not fail. A client that lists what it executed but names no index (-1) is
// taken by its list.
func (c Chain) account(p page.ChainProgress, failure *page.ActionError) account {
	listed, strange := c.listed(p.Executed)
	last := p.LastExecuted
	if last == -1 && len(listed) > 0 {
		last = listed[len(listed)-1]
	}
	a := account{executed: make([]bool, len(c)), failed: -1}
	for _, i := range listed {
		a.executed[i] = true
	}
	for i := range min(last+1, len(c)) {
		a.executed[i] = a.executed[i] || len(listed) == 0 || i == last
	}
	a.why = c.contradiction(p, listed, strange, last)
	if a.why == "" && last+1 < len(c) && failure != nil {
		a.failed, a.why = c.named(*failure, last+1)
	}
	switch {
	case a.why != "":
		a.from, a.failed = leading(listed, last), -1
	case a.failed >= 0:
		a.from = a.failed
	default:
		a.from, a.failed = last+1, last+1
	}
	return a
}

func (a account) indices() []int {
	var out []int
	for i, done := range a.executed {
		if done {
			out = append(out, i)
		}
	}
	return out
}

// leading counts the items at the head of the chain that are on the list, and
// not beyond the index.
func leading(listed []int, last int) (n int) {
	for n < len(listed) && listed[n] == n && n <= last {
		n++
	}
	return n
}

// listed finds the executed actions in the chain, in order; strange is the first
// that is not there.
func (c Chain) listed(executed []string) (indices []int, strange string) {
	at := 0
	for _, text := range executed {
		i := at
		for i < len(c) && !sameAction(c[i].Action, text) {
			i++
		}
		switch {
		case i < len(c):
			indices = append(indices, i)
			at = i + 1
		case strange == "":
			strange = text
		}
	}
	return indices, strange
}

// contradiction says how a report does not fit the chain, "" if it does.
func (c Chain) contradiction(p page.ChainProgress, listed []int, strange string, last int) string {
	switch {
	case p.Total != 0 && p.Total != len(c):
		return "the client speaks of a chain of another length"
	case last >= len(c):
		return "the client reports more actions than the chain has"
	case last < -1:
		return "the client reports an index there cannot be"
	case strange != "":
		return "the client executed something that is not in the chain, or not in its order"
	case len(listed) > 0 && listed[len(listed)-1] != last:
		return "the last executed action is not the one the index says"
	case len(listed) > 0 && c.passedOver(0, last, listed):
		return "an action that may not fail was passed over"
	}
	return ""
}

// passedOver reports whether an item that may not fail, from one index up to and
// without another, is missing from the list.
func (c Chain) passedOver(from, to int, listed []int) bool {
	for i := from; i < to; i++ {
		if len(listed) > 0 && listed[0] == i {
			listed = listed[1:]
		} else if !c[i].CanFail {
			return true
		}
	}
	return false
}

// named returns the index of the item a client's error is about, at or after from; -1
// if the error does not identify one.
func (c Chain) named(e page.ActionError, from int) (failed int, why string) {
	is := func(i Item) bool { return e.ElementID != "" && e.ElementID == i.Action.Target }
	if e.Action != "" {
		is = func(i Item) bool { return sameAction(i.Action, e.Action) }
	}
	for i := from; i < len(c); i++ {
		if !is(c[i]) {
			continue
		}
		if c.passedOver(from, i, nil) {
			return -1, "an action that may not fail was passed over"
		}
		return i, ""
	}
	for _, item := range c[:from] {
		if is(item) {
			return -1, "the client says that an action failed and that it was executed"
		}
	}
	if e.Action != "" {
		return -1, "the client says that an action failed that is not in the chain"
	}
	return -1, ""
}

// sameAction compares an action with a client's text of it; clients write ids
// with and without quotes.
func sameAction(a action.Action, text string) bool {
	b, err := action.Parse(text)
	if err != nil {
		return a.String() == text
	}
	return a == b
}

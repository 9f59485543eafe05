package chain

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
)

// Held returns the indices, in order, of the items whose effect the page shows: a field
// that holds the value, a box whose state is another than before. It is for clients
// that do not say how far they came. Where the page cannot tell, the item is left out.
func (c Chain) Held(before page.Skeleton, now page.Page) []int {
	var out []int
	for i, item := range c {
		if item.held(before, now) {
			out = append(out, i)
		}
	}
	return out
}

func (i Item) held(before page.Skeleton, now page.Page) bool {
	aimed, ok := i.aimed(before, now)
	if !ok {
		return false
	}
	e, _ := now.ByID(aimed.Action.Target)
	if i.Action.Name == action.SetValue {
		return value.Holds(i.Action.Text, e) == value.Same
	}
	for _, d := range before.Elements {
		if d.Key == i.Key {
			return d.Checked != e.State.Checked || d.Selected != e.State.Selected
		}
	}
	return false
}

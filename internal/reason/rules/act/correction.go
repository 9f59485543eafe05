package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// NextAmong is Next with only those elements usable for which allowed is true.
func (v *View) NextAmong(allowed func(page.Element) bool) Move {
	among := *v
	among.index.forgetUse()
	among.page.Elements = slices.Clone(v.page.Elements)
	for i, e := range among.page.Elements {
		if !allowed(e) {
			among.page.Elements[i].State.Disabled = true
		}
	}
	return among.Next()
}

// FillsFor returns the moves that enter what the task gives for the fields named in a
// message, unless they hold it already.
func (v *View) FillsFor(message string) (moves []Move) {
	for _, p := range v.in.parts {
		found, _, _ := slots(v, p)
		for _, s := range found {
			if !text.Names(message, s.on) || holdsValue(v, s) {
				continue
			}
			if m := fillSlot(v, s); m.Kind == do.IsAction {
				moves = append(moves, m)
			}
		}
	}
	return moves
}

// HasEntered reports whether a value was entered in the part of the task that is not
// done yet.
func (v *View) HasEntered() bool { return lastSet(v) >= 0 }

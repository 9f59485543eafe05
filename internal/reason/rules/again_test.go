package rules

import (
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// A client that counts elements anew gives the number of one row's button to
// another row's when a row is inserted. The verdict and the correction are about
// the button that was clicked.
func TestInsertedRowsDoNotMixUpTwins(t *testing.T) {
	t.Parallel()
	rows := func(ticked string, names ...string) page.Page {
		var es []page.Element
		for _, n := range names {
			tick := elem("checkbox", "Done", checked("false"))
			if n == ticked {
				tick = elem("checkbox", "Done", checked("true"))
			}
			es = append(es, elem("link", n), tick)
		}
		return pageOf(home, es...)
	}
	before := rows("", "Milk", "Bread", "Eggs")
	target := before.Elements[3] // Bread
	click := action.Action{Name: action.Click, Target: target.ID}

	verify := func(after page.Page) reasoning.Verdict {
		v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
			Query: "tick Bread", Action: click, Target: target, Before: before.Before(), Page: after,
			Observations: page.Observe(before.Before(), after, page.Witness{}),
		})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	t.Run("its own tick is seen", func(t *testing.T) {
		t.Parallel()
		if v := verify(rows("Bread", "New", "Milk", "Bread", "Eggs")); v.Undecided || !v.ActionSucceeded {
			t.Errorf("%+v", v)
		}
	})
	t.Run("another row's is not taken for it", func(t *testing.T) {
		t.Parallel()
		if v := verify(rows("Milk", "New", "Milk", "Bread", "Eggs")); !v.Undecided && v.ActionSucceeded {
			t.Errorf("%+v", v)
		}
	})
	t.Run("it is tried again where it is now", func(t *testing.T) {
		t.Parallel()
		after := rows("", "New", "Milk", "Bread", "Eggs")
		c, err := Reasoner{}.Correct(t.Context(), reasoning.CorrectQuestion{
			Query: "tick Bread", Failed: click, Target: target, Before: before.Before(), Page: after, Attempt: 1, Tried: []action.Action{click},
		})
		if want := after.Elements[5].ID; err != nil || c.Action.Target != want {
			t.Errorf("%+v, want a click on %s (%v)", c, want, err)
		}
	})
}

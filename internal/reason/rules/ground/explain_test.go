package ground_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
)

func TestFactors_SayWhatRulesOut(t *testing.T) {
	t.Parallel()
	p := ground.On(read(t, `<button id=1 disabled>Save</button><h2 id=2>Save</h2><button id=3>Close</button>
		<input id=4 type=checkbox aria-label=Save><button id=5 style="display:none">Save</button><button id=6>Save</button>`))
	for id, tc := range map[string]struct {
		r    instruction.Reference
		need ground.Need
		want string
	}{
		"1": {ref("button", "save"), ground.ToClick, "usable: it is disabled"},
		"3": {ref("button", "save"), ground.ToClick, "name: it is called otherwise"},
		"4": {ref("button", "save"), ground.ToClick, "kind: a checkbox is not called a button"},
		"6": {ref("", "save"), ground.ToFill, "need: a button is nothing to fill"},
	} {
		e, ok := p.ByID(id)
		if !ok {
			t.Fatalf("no element %s", id)
		}
		f := p.Factors(tc.r, tc.need, e)
		if last := f[len(f)-1]; last.Score != 0 || last.Of+": "+last.Why != tc.want {
			t.Errorf("%s: %+v, not %s", id, last, tc.want)
		}
	}
}

func TestTold(t *testing.T) {
	t.Parallel()
	p := ground.On(read(t, people))
	for want, r := range map[string]instruction.Reference{
		"nothing on the page fits":            ref("", "save"),
		"nothing is meant: the best has 0.50": ref("", "edit", where("in", "row", "Tom")),
		"one fits best":                       ref("", "edit", where("in", "row", "Kim")),
		"which one is meant is not clear: nothing tells apart the 3 that fit": ref("", "edit"),
		"number 2 is meant of the 3 that fit alike":                           ref("", "edit", at(2, 0)),
		"last is meant of the 3":                                              ref("", "edit", at(-1, 0)),
		"nothing is meant: the 3 that fit alike":                              ref("", "edit", at(4, 0)),
		"meant are all of the 3":                                              ref("", "edit", of(instruction.All)),
		"by what else was said 2 meant of the 3":                              ref("", "edit", of(instruction.All), except(ref("", "", at(1, 0)))),
	} {
		if got := p.Find(r, ground.ToClick).Told(r); !strings.HasPrefix(got, want) {
			t.Errorf("of %s it is told: %s; not: %s", r, got, want)
		}
	}
}

func TestNeed_String(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]ground.Need{"click": ground.ToClick, "fill": ground.ToFill, "set": ground.ToSet, "tick": ground.ToTick, "see": ground.ToSee, "Need(9)": 9} {
		if n.String() != want {
			t.Errorf("%s, not %s", n, want)
		}
	}
}

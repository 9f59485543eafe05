package page

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func lyingUnder(e Element) Element {
	e.State.Occluded = true
	return e
}

func TestDiff_whatLayUnderSomething(t *testing.T) {
	t.Parallel()
	save := button("1", "Save")
	under, bare := reading("https://a.test/", []Element{lyingUnder(save), button("2", "Close")}), reading("https://a.test/", []Element{save, button("2", "Close")})
	want := []string{`Element 'button "Save"' changed 'occluded' from 'true' to 'false'`}
	if diff := cmp.Diff(want, texts(Diff(under.Skeleton(), bare.Skeleton()))); diff != "" {
		t.Error(diff)
	}
	want = []string{`Element 'button "Save"' changed 'occluded' from 'false' to 'true'`}
	if diff := cmp.Diff(want, texts(Diff(bare.Skeleton(), under.Skeleton()))); diff != "" {
		t.Error(diff)
	}
	if NothingChanged(under.Before(), bare, Witness{}) || NothingChanged(bare.Before(), under, Witness{}) {
		t.Error("what lies over the page changed")
	}
	var many, free []Element
	for i := range 12 {
		e := button("", "Entry "+string(rune('a'+i)))
		many, free = append(many, lyingUnder(e)), append(free, e)
	}
	got := Diff(reading("https://a.test/", many).Skeleton(), reading("https://a.test/", free).Skeleton())
	if last := got[len(got)-1]; len(got) != maxOccludedLines+1 || last.Text != "7 more elements uncovered" || last.Attr != AttrOccluded || last.To != "false" {
		t.Errorf("%q", texts(got))
	}
}

func TestNothingChanged_countsTheText(t *testing.T) {
	t.Parallel()
	with := func(text string) Page {
		p := reading("https://a.test/", []Element{button("1", "Add to cart")})
		p.Text = "Lamp\n" + text
		return p
	}
	for name, c := range map[string]struct {
		from, to string
		want     bool
	}{
		"a number": {"Cart (1)", "Cart (2)", false}, "a line": {"", "Added", false}, "a clock": {"12:03:58", "12:03:59", true}, "nothing": {"Cart (1)", "Cart (1)", true}, "how many look on": {"12 people are viewing this", "13 people are viewing this", true},
	} {
		if got := NothingChanged(with(c.from).Before(), with(c.to), Witness{}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Where nothing changed, nothing is told of: both go by one notion of a change.
func TestNothingChanged_agreesWithObserve(t *testing.T) {
	t.Parallel()
	telling := []ObservationKind{URLChangedTo, ElementAppeared, ElementGone, ElementChanged, TextAppeared, AlertAppeared, AlertGone, FocusMoved}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(name string) Page {
			var es []Element
			for i := range rapid.IntRange(0, 3).Draw(rt, name+" elements") {
				e := button(string(rune('1'+i)), rapid.SampledFrom([]string{"Save", "Close", "12:03:58", "12:03:59"}).Draw(rt, name))
				e.State.Occluded = rapid.Bool().Draw(rt, name+" occluded")
				e.State.Hidden = rapid.Bool().Draw(rt, name+" hidden")
				es = append(es, e)
			}
			p := reading("https://a.test/", es)
			p.Text = rapid.SampledFrom([]string{"", "Cart (1)", "Cart (2)", "Saved"}).Draw(rt, name+" text")
			p.ActiveElement = rapid.SampledFrom([]string{"", "1"}).Draw(rt, name+" focus")
			return p
		}
		before, after := draw("before"), draw("after")
		told := slices.ContainsFunc(Observe(before.Before(), after, Witness{}), func(o Observation) bool { return slices.Contains(telling, o.Kind) })
		if NothingChanged(before.Before(), after, Witness{}) && told {
			rt.Fatalf("nothing changed, and yet: %q", texts(Observe(before.Before(), after, Witness{})))
		}
	})
}

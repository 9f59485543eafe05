package ground_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/rulestest"
)

var (
	someWords = []string{"", "Save", "Edit", "Ada", "Kim", "Save draft", "Edit Ada", "Next", "×", "$12", "12", "Language"}
	someRoles = []string{"button", "link", "textbox", "checkbox", "radio", "switch", "combobox", "tab", "heading", "slider", "row", "dialog", "generic", ""}
	someKinds = []string{"", "button", "link", "field", "text-field", "checkbox", "switch", "list", "slider", "tab", "row", "result", "section", "box", instruction.Thing}
)

// anyPage draws a page, also one with elements nobody can use and with an id twice.
func anyPage(t *rapid.T) page.Page {
	word := rapid.SampledFrom(someWords)
	element := rapid.Custom(func(t *rapid.T) page.Element {
		e := page.Element{
			ID: rapid.SampledFrom([]string{"", "1", "2", "3", "4", "5", "6", "7"}).Draw(t, "id"), Role: rapid.SampledFrom(someRoles).Draw(t, "role"),
			Name: word.Draw(t, "name"), Row: word.Draw(t, "row"), Group: word.Draw(t, "group"), Caption: word.Draw(t, "caption"), Hint: word.Draw(t, "hint"),
			Value: word.Draw(t, "value"), Layer: rapid.IntRange(0, 2).Draw(t, "layer"), NameGuessed: rapid.Bool().Draw(t, "guessed"),
		}
		e.State.Hidden, e.State.Disabled, e.State.Occluded = rapid.Bool().Draw(t, "hidden"), rapid.Bool().Draw(t, "disabled"), rapid.Bool().Draw(t, "covered")
		e.State.Checked = rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "checked")
		return e
	})
	p := page.Page{URL: rulestest.Home, Elements: rapid.SliceOfN(element, 0, 12).Draw(t, "elements")}
	p.Headings = rapid.SliceOfN(word, 0, 2).Draw(t, "headings")
	page.AssignKeys(p.Elements)
	return p
}

func anyReference(t *rapid.T, deep int) instruction.Reference {
	r := instruction.Reference{
		Kind: rapid.SampledFrom(someKinds).Draw(t, "kind"), Name: instruction.Literal{Text: rapid.SampledFrom(someWords).Draw(t, "said")},
		Noun: rapid.SampledFrom([]string{"", "draft", "Ada"}).Draw(t, "noun"), Position: rapid.IntRange(-3, 3).Draw(t, "position"),
		Number: rapid.IntRange(0, 3).Draw(t, "number"), Plural: rapid.Bool().Draw(t, "plural"),
		Quantity: rapid.SampledFrom([]instruction.Quantity{"", instruction.All, instruction.Both, instruction.Any}).Draw(t, "quantity"),
	}
	if rapid.Bool().Draw(t, "has") {
		r.With = append(r.With, rapid.SampledFrom([]instruction.Attribute{
			{Property: "state", Value: "checked"}, {Property: "state", Value: "open"}, {Property: "starts", Value: "S"}, {Property: "most", Value: "cheap"}, {Property: "most", Value: "large"}, {Property: "colour", Value: "red"},
		}).Draw(t, "attribute"))
	}
	if deep > 0 && rapid.Bool().Draw(t, "placed") {
		r.Where = append(r.Where, instruction.Relation{Is: rapid.SampledFrom([]string{"in", "of", "beside"}).Draw(t, "is"), To: anyReference(t, deep-1)})
	}
	if deep > 0 && rapid.Bool().Draw(t, "excepted") {
		r.Except = append(r.Except, anyReference(t, 0))
	}
	return r
}

func anyNeed(t *rapid.T) ground.Need {
	return rapid.SampledFrom([]ground.Need{ground.ToClick, ground.ToFill, ground.ToSet, ground.ToTick, ground.ToSee}).Draw(t, "need")
}

func TestFind_IsDeterministicAndUsable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, r, need := anyPage(t), anyReference(t, 2), anyNeed(t)
		on := ground.On(p)
		f := on.Find(r, need)
		if again, fresh := on.Find(r, need), ground.On(p).Find(r, need); !reflect.DeepEqual(f, again) || !reflect.DeepEqual(f, fresh) {
			t.Fatalf("%s means %s, then %s, and on a fresh page %s", r, ids(f.Meant), ids(again.Meant), ids(fresh.Meant))
		}
		if !slices.IsSortedFunc(f.All, func(a, b ground.Candidate) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		}) {
			t.Fatal("candidates are not best first")
		}
		for _, c := range f.All {
			if c.Score <= 0 || c.Score > 1 || !c.Element.Usable() {
				t.Fatalf("candidate %s with %v", page.Describe(c.Element), c.Score)
			}
		}
		for _, e := range f.Meant {
			if !e.Usable() || !slices.ContainsFunc(f.All, func(c ground.Candidate) bool { return reflect.DeepEqual(c.Element, e) }) {
				t.Fatalf("meant is %s, which is no usable candidate", page.Describe(e))
			}
		}
		if len(f.Meant) > 0 && f.Score <= 0 || len(f.Meant) == 0 && f.Score != 0 {
			t.Fatalf("%d meant with a score of %v", len(f.Meant), f.Score)
		}
	})
}

// What is told of a score is what it is made of, and who is no candidate has a reason.
func TestFactors_AreTheScore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, r, need := anyPage(t), anyReference(t, 2), anyNeed(t)
		on := ground.On(p)
		for _, e := range p.Elements {
			alone := on.FindAmong(r, need, func(x page.Element) bool { return reflect.DeepEqual(x, e) })
			score := 1.0
			factors := on.Factors(r, need, e)
			for _, f := range factors {
				score *= f.Score
			}
			switch last := factors[len(factors)-1]; {
			case len(alone.All) == 0 && (score != 0 || last.Why == ""):
				t.Fatalf("%s is no candidate for %s, but %+v", page.Describe(e), r, factors)
			case len(alone.All) > 0 && math.Abs(score-alone.All[0].Score) > 1e-9:
				t.Fatalf("%s scores %v for %s, not %v: %+v", page.Describe(e), alone.All[0].Score, r, score, factors)
			}
		}
	})
}

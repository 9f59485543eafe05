package chain_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
)

func TestLongest_TakesWhatIsSafe(t *testing.T) {
	t.Parallel()
	all := []chain.Candidate{set("1", "Jas"), set("2", "Berg"), set("3", "1990-01-01"), click("4"), click("5"), set("6", "Norway")}
	all[4].CanFail = true
	c, end := chain.Longest(all, patient())
	if len(c) != len(all) || end.Rule != "" || end.At != len(all) || end.String() == "" {
		t.Fatalf("%d items, ended at %d: %s", len(c), end.At, end)
	}
	for i, item := range c {
		if item.Index != i || item.Action != all[i].Action || item.CanFail != (i == 4) || item.Key == "" || item.Target.Name == "" {
			t.Errorf("item %d: %+v", i, item)
		}
	}
}

func TestLongest_EndsBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		next chain.Candidate
		rule chain.Rule
	}{
		{"an action that is not valid", set("2", "\x00"), chain.RuleInvalid},
		{"finish", do(action.Action{Name: action.Finish, Text: "done"}), chain.RuleEndsTask},
		{"fail", do(action.Action{Name: action.Fail, Text: "no"}), chain.RuleEndsTask},
		{"a search on the server", do(action.Action{Name: action.GoogleSearch, Text: "Oslo"}), chain.RuleOnServer},
		{"a check on the server", do(action.Action{Name: action.VerifySuccess, Text: "saved"}), chain.RuleOnServer},
		{"a wait", do(action.Action{Name: action.Wait, Seconds: 1}), chain.RuleWaits},
		{"another address", do(action.Action{Name: action.Navigate, Text: "https://a.example"}), chain.RuleNavigation},
		{"a step back", do(action.Action{Name: action.GoBack}), chain.RuleNavigation},
		{"a link", click("10"), chain.RuleNavigation},
		{"a key", do(action.Action{Name: action.Press, Text: "Enter"}), chain.RuleUnknown},
		{"a hover", do(action.Action{Name: action.Hover, Target: "2"}), chain.RuleUnknown},
		{"a scroll", do(action.Action{Name: action.Scroll}), chain.RuleUnknown},
		{"a button", click("9"), chain.RuleUnknown},
		{"a click on a field", click("2"), chain.RuleUnknown},
		{"a value for a button", set("9", "x"), chain.RuleUnknown},
		{"a file", set("23", "x"), chain.RuleUnknown},
		{"an element that is not there", set("99", "x"), chain.RuleMissing},
		{"a hidden element", set("19", "x"), chain.RuleReach},
		{"a covered element", set("18", "x"), chain.RuleReach},
		{"a disabled element", set("17", "x"), chain.RuleReach},
		{"a read-only field", set("16", "x"), chain.RuleReach},
		{"a secret", set("8", "hunter2"), chain.RuleSecret},
		{"a box that deletes", click("13"), chain.RuleDestroys},
		{"an option that deletes", set("6", "Delete it"), chain.RuleDestroys},
		{"a box for all the others", click("11"), chain.RuleTicksOther},
		{"a box that stands for others", click("12"), chain.RuleTicksOther},
		{"a field that suggests", set("14", "House"), chain.RuleFetches},
		{"a list that is filled while one types", set("15", "North"), chain.RuleFetches},
		{"a search", set("24", "x"), chain.RuleFetches},
		{"an option that is not there", set("6", "Mars"), chain.RuleNoOption},
		{"a list that is empty as yet", set("22", "Oslo"), chain.RuleNoOption},
		{"the same field again", set("1", "Jo"), chain.RuleSameTarget},
		{"another form", set("20", "x"), chain.RuleContainer},
		{"another frame", set("21", "x"), chain.RuleContainer},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, end := chain.Longest([]chain.Candidate{set("1", "Jas"), c.next, set("25", "a@b.no")}, patient())
			if len(got) != 1 || end.At != 1 || end.Rule != c.rule || end.String() == "" {
				t.Errorf("%d items, ended at %d by %q: %s", len(got), end.At, end.Rule, end)
			}
		})
	}
}

func TestLongest_EndsBeforeWhatDependsOnAnEarlierChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		upper, lower string
		depends      bool
	}{
		{"Country", "State", true},
		{"Country *", "City", true},
		{"Land", "Bundesland", true},
		{"国", "都道府県", true},
		{"Make", "Model", true},
		{"Kategorie", "Unterkategorie", true},
		{"State", "Country", false},
		{"Month", "Day", false},
		{"Statement", "City", false},
	} {
		p := read(
			page.Element{ID: "1", Role: "combobox", Name: c.upper, Tag: "select", Options: options("X")},
			page.Element{ID: "2", Role: "combobox", Name: c.lower, Tag: "select", Options: options("X")},
		)
		got, end := chain.Longest([]chain.Candidate{set("1", "X"), set("2", "X")}, p)
		if (end.Rule == chain.RuleDependent) != c.depends || (len(got) == 2) == c.depends {
			t.Errorf("%s, then %s: %d items, %q", c.upper, c.lower, len(got), end.Rule)
		}
	}
}

func TestLongest_KnowsDestructionInManyLanguages(t *testing.T) {
	t.Parallel()
	for name, destroys := range map[string]bool{
		"Delete my data": true, "Daten löschen": true, "Supprimer le compte": true, "Eliminar": true, "Excluir conta": true,
		"Удалить": true, "削除する": true, "アカウントを削除": true, "计划删除": true, "Pay now": true,
		"Payment method": false, "Deluxe": false, "Silver": false, "Exclusive offers": false, "Kupon": false,
	} {
		p := read(page.Element{ID: "1", Role: "checkbox", Name: name})
		_, end := chain.Longest([]chain.Candidate{click("1")}, p)
		if (end.Rule == chain.RuleDestroys) != destroys {
			t.Errorf("%s: %q", name, end.Rule)
		}
	}
}

func TestLongest_IsBounded(t *testing.T) {
	t.Parallel()
	var es []page.Element
	var all []chain.Candidate
	for i := range chain.MaxItems + 1 {
		id := strings.Repeat("x", i+1)
		es = append(es, page.Element{ID: id, Role: "textbox", Name: "Field " + id})
		all = append(all, set(id, "v"))
	}
	c, end := chain.Longest(all, read(es...))
	if len(c) != chain.MaxItems || end.Rule != chain.RuleLength || end.At != chain.MaxItems {
		t.Errorf("%d items, ended at %d by %q", len(c), end.At, end.Rule)
	}
}

func TestLongest_OfNothingIsEmpty(t *testing.T) {
	t.Parallel()
	if c, end := chain.Longest(nil, patient()); len(c) != 0 || end.Rule != "" {
		t.Errorf("%d items, %q", len(c), end.Rule)
	}
	if c, end := chain.Longest([]chain.Candidate{click("9")}, patient()); len(c) != 0 || end.At != 0 || end.Rule == "" {
		t.Errorf("%d items, ended at %d by %q", len(c), end.At, end.Rule)
	}
}

// Whatever is proposed: a chain is the head of it, every part of a chain is a
// chain, and nothing in it could not stand first.
func TestLongest_IsASafePrefix(t *testing.T) {
	t.Parallel()
	p := patient()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(anyCandidate(p), 0, 14).Draw(t, "candidates")
		c, end := chain.Longest(all, p)
		if len(c) != end.At || (end.Rule == "") != (end.At == len(all)) {
			t.Fatalf("%d items, ended at %d of %d by %q", len(c), end.At, len(all), end.Rule)
		}
		for i, item := range c {
			if item.Candidate != all[i] {
				t.Fatalf("item %d is %+v", i, item)
			}
			if alone, why := chain.Longest(all[i:i+1], p); len(alone) != 1 {
				t.Fatalf("%s is in a chain and not safe: %s", item.Action, why)
			}
			if part, _ := chain.Longest(all[:i+1], p); !slices.Equal(part, c[:i+1]) {
				t.Fatalf("the first %d differ", i+1)
			}
		}
	})
}

func anyCandidate(p page.Page) *rapid.Generator[chain.Candidate] {
	return rapid.Custom(func(t *rapid.T) chain.Candidate {
		e := rapid.SampledFrom(p.Elements).Draw(t, "element")
		a := action.Action{Name: action.SetValue, Target: e.ID, Text: rapid.SampledFrom([]string{"Jas", "Norway", "Oslo"}).Draw(t, "text")}
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2, 3:
			a = action.Action{Name: action.Click, Target: e.ID}
		case 4:
			a = action.Action{Name: action.Finish}
		}
		return chain.Candidate{Action: a, CanFail: rapid.Bool().Draw(t, "can fail")}
	})
}

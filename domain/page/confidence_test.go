package page

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestConfidence(t *testing.T) {
	t.Parallel()
	of := func(name CheckName, held Truth) Check { return Check{Name: name, Held: held} }
	sure := func(f float64) *float64 { return &f }
	missing, there := of(CheckElementExists, False), of(CheckElementExists, True)
	gone, menu := of(CheckNextGoal, False), []Check{of(CheckURLChanged, True), of(CheckAttributeChanged, True), of(CheckElementsAppeared, False)}
	for name, c := range map[string]struct {
		p    Prediction
		want float64
	}{
		"nothing is known":                            {Prediction{}, 0.5},
		"checks that cannot tell count for nothing":   {Prediction{Checks: []Check{of(CheckElementExists, Unknown)}}, 0.5},
		"all checks held":                             {Prediction{Checks: []Check{there, of(CheckURLChanged, True)}}, 1},
		"the average of checks":                       {Prediction{Checks: []Check{there, of(CheckURLChanged, False)}}, 0.5},
		"of those that can tell":                      {Prediction{Checks: []Check{there, of(CheckURLChanged, Unknown)}}, 1},
		"the semantic answer alone":                   {Prediction{Semantic: sure(0.8)}, 0.8},
		"the mix":                                     {Prediction{Checks: []Check{there}, Semantic: sure(0.5)}, 0.4 + 0.6*0.5},
		"a sure semantic answer outweighs the checks": {Prediction{Checks: []Check{of(CheckURLChanged, False)}, Semantic: sure(0.9)}, 0.9},
		"at 0.85 it is mixed":                         {Prediction{Checks: []Check{of(CheckURLChanged, False)}, Semantic: sure(0.85)}, 0.6 * 0.85},
		"a sure answer does not lower the checks":     {Prediction{Checks: []Check{there}, Semantic: sure(0.9)}, 0.4 + 0.6*0.9},
		"a missing element caps the sure answer":      {Prediction{Checks: []Check{missing}, Semantic: sure(0.95)}, 0.6},
		"a missing element after a navigation":        {Prediction{Kind: KindNavigation, Checks: []Check{missing, of(CheckURLChanged, True)}, Semantic: sure(0.95)}, 0.95},
		"a missing element, a navigation that failed": {Prediction{Kind: KindNavigation, Checks: []Check{missing, of(CheckURLChanged, False)}, Semantic: sure(0.95)}, 0.6},
		"a navigation gives at least 0.75":            {Prediction{Kind: KindNavigation, Checks: []Check{of(CheckURLChanged, True), of(CheckElementsAppeared, False)}, Semantic: sure(0.1)}, 0.75},
		"a changed URL of another action does not":    {Prediction{Kind: KindGeneric, Checks: []Check{of(CheckURLChanged, True), of(CheckElementsAppeared, False)}, Semantic: sure(0.1)}, 0.4*0.5 + 0.06},
		"a menu that expanded gives at least 0.75":    {Prediction{Kind: KindDropdown, Checks: menu}, 0.75},
		"a menu is judged by behaviour alone":         {Prediction{Kind: KindDropdown, Checks: menu[:1], Semantic: sure(0.1)}, 1},
		"a menu that led away has no floor":           {Prediction{Kind: KindDropdown, Checks: []Check{of(CheckURLChanged, False), menu[1]}}, 0.5},
		"the client found it":                         {Prediction{Semantic: sure(0.4), ClientFound: yes()}, 0.8},
		"and never more than 1":                       {Prediction{Semantic: sure(0.9), ClientFound: yes()}, 1},
		"the client did not find it":                  {Prediction{Checks: []Check{there}, Semantic: sure(1), ClientFound: no()}, 0.6},
		"not even after a navigation":                 {Prediction{Kind: KindNavigation, Checks: []Check{of(CheckURLChanged, True)}, ClientFound: no()}, 0.6},
		"a cap does not lift":                         {Prediction{Semantic: sure(0.2), ClientFound: no()}, 0.2},
		"the client found what the page has not":      {Prediction{Checks: []Check{missing}, ClientFound: yes()}, 0.4},
		"the next goal is missing":                    {Prediction{Checks: []Check{there}, NextGoal: &gone, ClientFound: yes()}, 0.5},
		"the next goal cannot be known":               {Prediction{Checks: []Check{there}, NextGoal: &Check{Held: Unknown}}, 1},
		"an answer over 1":                            {Prediction{Semantic: sure(7)}, 1},
		"an answer that is no number":                 {Prediction{Checks: []Check{there}, Semantic: sure(math.NaN())}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.p.Confidence(); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("got %.3f, want %.3f", got, c.want)
			}
		})
	}
}

func TestConfidence_isAProbabilityUnderItsCaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		held := rapid.SampledFrom([]Truth{Unknown, False, True})
		p := Prediction{Kind: rapid.SampledFrom([]ActionKind{KindDropdown, KindNavigation, KindGeneric}).Draw(t, "kind")}
		for _, name := range []CheckName{CheckElementExists, CheckURLChanged, CheckAttributeChanged, CheckElementsAppeared} {
			p.Checks = append(p.Checks, Check{Name: name, Held: held.Draw(t, string(name))})
		}
		p.ClientFound = rapid.SampledFrom([]*bool{nil, yes(), no()}).Draw(t, "client")
		if rapid.Bool().Draw(t, "asked") {
			s := rapid.Float64().Draw(t, "semantic")
			p.Semantic = &s
		}
		p.NextGoal = &Check{Held: held.Draw(t, "next goal")}
		got := p.Confidence()
		if !(got >= 0 && got <= 1) {
			t.Fatalf("%f is no probability", got)
		}
		if p.ClientFound != nil && !*p.ClientFound && got > notFoundCap || p.NextGoal.Held == False && got > NextGoalCap {
			t.Fatalf("%f is over its cap", got)
		}
		p.NextGoal = nil
		if p.Confidence() < got {
			t.Fatal("a next goal raises the confidence")
		}
	})
}

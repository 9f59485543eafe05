package action_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

func TestAbilities(t *testing.T) {
	t.Parallel()
	parse := func(s string) action.Action {
		a, err := action.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for name, tt := range map[string]struct {
		words []string
		can   []string
		not   []string
	}{
		"one that declares nothing can do what the contract says": {
			nil,
			[]string{`click(1)`, `setValue(1, "x")`, `scroll()`, `wait(1)`, `goBack()`, `navigate("https://a.example/")`, `finish()`, `fail("x")`},
			[]string{`press("Enter")`, `hover(1)`, `type("x")`, `scroll("up")`},
		},
		"one that declares more can do more": {
			[]string{"type", "scrollDirection", "drag", "fly", "googleSearch"},
			[]string{`click(1)`, `type("x")`, `scroll("up")`, `scroll(1, "down")`, `drag(1, 2)`},
			[]string{`press("Enter")`, `upload(1, "x")`, `googleSearch("x")`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := action.Declared(tt.words)
			for _, s := range tt.can {
				if !c.Can(parse(s)) {
					t.Errorf("it cannot do %s", s)
				}
			}
			for _, s := range tt.not {
				if c.Can(parse(s)) {
					t.Errorf("it can do %s", s)
				}
			}
			if c.CanDo("fly") || c.Has(action.CanChain) {
				t.Errorf("it can do what nobody knows or declared")
			}
		})
	}
	if !action.Declared([]string{"chain"}).Has(action.CanChain) {
		t.Error("a chain was declared")
	}
}

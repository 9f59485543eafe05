package verdicts

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	set, p := kept(t, some())
	for name, test := range map[string]struct {
		names []string
		want  []string
	}{
		"a case by its ID":        {[]string{"train/shop/sell"}, []string{"sell"}},
		"a page by its ID":        {[]string{"train/shop"}, []string{"save", "sell"}},
		"a page by its path":      {[]string{p.Dir + "/"}, []string{"save", "sell"}},
		"a case by its path":      {[]string{filepath.Join(p.Dir, "save")}, []string{"save"}},
		"several, as they follow": {[]string{"train/shop/sell", "train/shop/save"}, []string{"sell", "save"}},
		"no case of the page":     {[]string{"train/shop/buy"}, nil},
		"no page of the set":      {[]string{"train/bank"}, nil},
		"a split":                 {[]string{"train"}, nil},
		"one that is, one not":    {[]string{"train/shop", "train/shop/buy"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded, err := Select(set, test.names...)
			if test.want == nil {
				if last := test.names[len(test.names)-1]; err == nil || !strings.Contains(err.Error(), "nothing was recorded of "+last) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			var got []string
			for _, r := range recorded {
				got = append(got, r.Name)
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	j := judged(false, "yes").in(Train, "save")
	j.Goal, j.Thought, j.Action, j.Flow = "Save it", "I'll press Save", `click("7")`, Asked
	j.Observations = []page.Observation{{Text: "The page shows an alert"}}
	var out strings.Builder
	if err := Show(&out, j); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"train/p/save [k]: it did not work; called success", "goal: Save it", "thought: I'll press Save", `action: click("7")`, "- The page shows an alert", "then: asked",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the case lacks %q:\n%s", part, out.String())
		}
	}
}

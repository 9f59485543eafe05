package rules

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// What is missing on the page is named, so that the whole page can be asked for.
func TestAct_saysWhatItIsMissing(t *testing.T) {
	t.Parallel()
	for query, c := range map[string]struct {
		page page.Page
		want string
	}{
		"click Confirm":              {pageOf(home, elem("button", "Cancel")), "“Confirm”"},
		"enter 'Oslo' as city":       {pageOf(home, elem("button", "Cancel")), "a field for “city”"},
		"search for 'weather'":       {pageOf(home, elem("button", "Cancel")), "a search box"},
		"press the 'Confirm' button": {pageOf(home, elem("button", "Confirm", state(disabled))), ""},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: query, Page: c.page})
			if err != nil || !a.Undecided || a.Seeks != c.want {
				t.Errorf("seeks %q, want %q (%+v, %v)", a.Seeks, c.want, a, err)
			}
		})
	}
}

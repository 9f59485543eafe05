package prompt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Add the Patients' list":   {"add", "the", "patient", "list"},
		"E\u200bmail\u00a0ADDRESS": {"email", "address"},
		"添加 Jas":                   {"添", "加", "jas"},
		"»":                        {"»"},
		"× 2":                      {"2"},
		"":                         nil,
	} {
		if diff := cmp.Diff(want, words(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestQuery_quotes(t *testing.T) {
	t.Parallel()
	q := newQuery(`Click "Add to cart" beside »`)
	for name, want := range map[string]bool{
		"Add to Cart": true, "add": true, "to add": false, "cart beside it": false, "»": true, "×": false, "": false,
	} {
		if got := q.quotes(words(name)); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

package page_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func TestWordsHash(t *testing.T) {
	t.Parallel()
	a := page.Page{Text: "November 2016\tMo Tu We", Headings: []string{"Choose a date"}}
	for name, tt := range map[string]struct {
		other page.Page
		same  bool
	}{
		"another month":             {page.Page{Text: "October 2016\tMo Tu We", Headings: []string{"Choose a date"}}, false},
		"other numbers, and spaces": {page.Page{Text: "November  2017 Mo\nTu We 12:30", Headings: []string{"Choose a date"}}, true},
		"another heading":           {page.Page{Text: "November 2016\tMo Tu We", Headings: []string{"Done"}}, false},
		"another title":             {page.Page{Title: "Done", Text: "November 2016\tMo Tu We", Headings: []string{"Choose a date"}}, false},
	} {
		if got := page.WordsHash(a) == page.WordsHash(tt.other); got != tt.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}

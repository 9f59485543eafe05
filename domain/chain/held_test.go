package chain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
)

func TestChain_Held(t *testing.T) {
	t.Parallel()
	box := func(checked string) page.Element {
		return page.Element{ID: "9", Role: "checkbox", Name: "Insured", Group: "Contact", State: page.State{Checked: checked}}
	}
	filled := func(from int, values map[string]string, more ...page.Element) page.Page {
		p := contact(from)
		for i := range p.Elements {
			p.Elements[i].Value = values[p.Elements[i].Name]
		}
		return read(append(p.Elements, more...)...)
	}
	before := filled(1, nil, box("false"))
	c, _ := chain.Longest([]chain.Candidate{set("1", "Jas"), set("2", "High Street 1"), click("9"), set("4", "0171 23")}, before)
	if len(c) != 4 {
		t.Fatal(c)
	}
	all := map[string]string{"Name": "Jas", "Street": "High Street 1", "Phone": "0171 23"}
	for name, tt := range map[string]struct {
		now  page.Page
		want []int
	}{
		"nothing is filled in":           {before, nil},
		"only the first is":              {filled(1, map[string]string{"Name": "Jas"}, box("false")), []int{0}},
		"all are, on other ids":          {filled(31, all, box("true")), []int{0, 1, 2, 3}},
		"the box is as it was":           {filled(1, all, box("false")), []int{0, 1, 3}},
		"a field holds something else":   {filled(1, map[string]string{"Name": "Jas", "Street": "Low Street"}, box("true")), []int{0, 2}},
		"none of them is there any more": {page.Page{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, c.Held(before.Skeleton(), tt.now)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

package page

import "testing"

func TestNeedFullDOM(t *testing.T) {
	t.Parallel()
	some, none := reading("https://a.test/", []Element{button("1", "Save")}), Page{}
	hidden := Page{Elements: []Element{{ID: "1", State: State{Hidden: true}}, button("", "Save")}}
	for name, c := range map[string]struct {
		page   Page
		mode   string
		sought string
		want   string
	}{
		"nothing is missing":                     {some, ModeSemanticV3, "", ""},
		"a page with nothing to act on":          {none, ModeSemanticV3, "", "the page you sent has no element to act on"},
		"a page that only has what nobody sees":  {hidden, ModeSemanticV3, "", "the page you sent has no element to act on"},
		"an element missing in the tree":         {some, ModeSemanticV3, `button "Confirm"`, "Element not found in the semantic tree"},
		"an element missing in the list":         {some, ModeSemantic, `button "Confirm"`, "Element not found in the semantic tree"},
		"an element missing in the skeleton":     {some, ModeSkeleton, `button "Confirm"`, "Element not found in skeleton"},
		"an element missing beside a picture":    {some, ModeHybrid, `button "Confirm"`, "Element not found in skeleton"},
		"a page of no mode is taken for whole":   {some, "", `button "Confirm"`, ""},
		"an element missing in the whole":        {some, ModeFull, `button "Confirm"`, ""},
		"a whole document with nothing to do in": {none, ModeFull, `button "Confirm"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.page.Mode = c.mode
			if got, need := NeedFullDOM(c.page, c.sought); got != c.want || need != (c.want != "") {
				t.Errorf("got %q, %t", got, need)
			}
		})
	}
}

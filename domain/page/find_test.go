package page

import "testing"

func TestFind(t *testing.T) {
	t.Parallel()
	at := func(e Element, x, y float64) Element { e.XY = &Point{x, y}; return e }
	deletes := func(id, group string) Element { return Element{ID: id, Role: "button", Name: "Delete", Group: group} }
	page := func(es ...Element) Page { return reading("https://a.test/", es) }
	for name, c := range map[string]struct {
		page      Page
		sought    Sought
		want      string
		ambiguous bool
	}{
		"by role and name under a new id": {
			page: page(button("92", "Save"), button("55", "Cancel")), sought: button("55", "Save").Sought(), want: "92",
		},
		"case and a label's colon do not count": {
			page: page(field("1", "Email Address:", "")), sought: Sought{Role: "textbox", Name: "email address"}, want: "1",
		},
		"the name alone is not enough": {
			page: page(Element{ID: "1", Role: "link", Name: "Save"}), sought: Sought{Role: "button", Name: "Save"},
		},
		"the role alone is not enough": {page: page(button("1", "Cancel")), sought: Sought{Role: "button"}},
		"role and place find a renamed element": {
			page: page(at(button("1", "Saved"), 110, 100)), sought: at(button("1", "Save"), 100, 100).Sought(), want: "1",
		},
		"fifty-one pixels away is another place": {
			page: page(at(button("1", "Saved"), 151, 100)), sought: at(button("1", "Save"), 100, 100).Sought(),
		},
		"name and place find a changed role": {
			page: page(at(Element{ID: "3", Role: "link", Name: "Save"}, 100, 100)), sought: at(button("1", "Save"), 100, 100).Sought(), want: "3",
		},
		"the group decides between twins": {
			page: page(deletes("1", "Apple"), deletes("2", "Pear")), sought: Sought{Role: "button", Name: "Delete", Group: "Pear"}, want: "2",
		},
		"place decides between twins": {
			page: page(at(deletes("1", ""), 10, 10), at(deletes("2", ""), 10, 200)), sought: at(deletes("9", ""), 12, 205).Sought(), want: "2",
		},
		"an id says nothing about another page": {
			page: page(deletes("1", ""), deletes("2", "")), sought: deletes("2", "").Sought(), ambiguous: true,
		},
		"two equally good are ambiguous": {
			page: page(deletes("1", ""), deletes("2", "")), sought: Sought{Role: "button", Name: "Delete"}, ambiguous: true,
		},
		"hidden elements do not count": {
			page:   page(deletes("1", ""), Element{ID: "2", Role: "button", Name: "Delete", State: State{Hidden: true}}),
			sought: Sought{Role: "button", Name: "Delete"}, want: "1",
		},
		"elements without an id cannot be acted on": {page: page(deletes("", "")), sought: Sought{Role: "button", Name: "Delete"}},
		"nothing is sought":                         {page: page(button("1", "Save")), sought: Sought{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok, ambiguous := Find(c.page, c.sought)
			if got.ID != c.want || ok != (c.want != "") || ambiguous != c.ambiguous {
				t.Errorf("got %q, ok %t, ambiguous %t", got.ID, ok, ambiguous)
			}
		})
	}
}

func TestByID_theEmptyIDIsNobodys(t *testing.T) {
	t.Parallel()
	if _, ok := reading("https://a.test/", []Element{button("", "Save")}).ByID(""); ok {
		t.Error("an element without an id was found by its id")
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]Element{
		`button "Save"`:         button("1", "Save"),
		`textbox "Your name"`:   {ID: "1", Role: "textbox", Placeholder: "Your name"},
		`textbox (14)`:          {ID: "14", Role: "textbox"},
		`element "Menu"`:        {ID: "14", Role: "generic", Name: "Menu"},
		`slider`:                {Role: "slider"},
		``:                      {},
		`link "` + long60 + `"`: {Role: "link", Name: long60 + "!"},
	} {
		if got := Describe(e); got != want {
			t.Errorf("Describe(%+v) = %s, want %s", e, got, want)
		}
	}
}

const long60 = "012345678901234567890123456789012345678901234567890123456789"

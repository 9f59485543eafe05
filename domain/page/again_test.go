package page

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// row is a list row as pages without groups have it: what it is called, and a
// button that every row has.
func row(id int, name string) []Element {
	return []Element{{ID: strconv.Itoa(id), Role: "link", Name: name}, button(strconv.Itoa(id+1), "Delete")}
}

// placed is a button at a height of the screen.
func placed(id, name string, y float64) []Element {
	e := button(id, name)
	e.XY = &Point{200, y}
	return []Element{e}
}

func TestFindAgain(t *testing.T) {
	t.Parallel()
	page := func(parts ...[]Element) Page { return reading("https://a.test/", slices.Concat(parts...)) }
	one := func(e Element) []Element { return []Element{e} }
	tick := func(id, checked string) Element {
		return Element{ID: id, Role: "checkbox", Name: "Done", State: State{Checked: checked}}
	}
	for name, c := range map[string]struct {
		before, after Page
		id            string // of the element on the page before
		want          string // its id on the page after, "" for not found
		ambiguous     bool
	}{
		"the same page": {page(row(1, "Apple"), row(3, "Pear")), page(row(1, "Apple"), row(3, "Pear")), "4", "4", false},
		"a node inserted before it moves its number": {
			page(one(button("1", "Home")), one(button("2", "Save"))),
			page(one(button("1", "News")), one(button("2", "Home")), one(button("3", "Save"))), "2", "3", false,
		},
		"a twin is found by the row it stands in": {
			page(row(1, "Apple"), row(3, "Pear"), row(5, "Plum")),
			page(row(1, "New"), row(3, "Apple"), row(5, "Pear"), row(7, "Plum")), "4", "6", false,
		},
		"and where another row went": {
			page(row(1, "Apple"), row(3, "Pear"), row(5, "Plum"), row(7, "Fig")),
			page(row(1, "Pear"), row(3, "Plum"), row(5, "Fig")), "6", "4", false,
		},
		"of a row that went another row's twin is not the one": {
			page(row(1, "Apple"), row(3, "Pear"), row(5, "Plum")),
			page(row(1, "Apple"), row(3, "Plum")), "4", "", true,
		},
		"twins without a landmark, all where they stood": {
			page(placed("1", "Buy", 40), placed("2", "Buy", 80)),
			page(one(Element{ID: "1", Role: "status", Name: "Hello"}), placed("2", "Buy", 40), placed("3", "Buy", 80)), "2", "3", false,
		},
		"twins without a landmark that moved": {
			page(placed("1", "Buy", 40), placed("2", "Buy", 80)),
			page(one(Element{ID: "1", Role: "status", Name: "Hello"}), placed("2", "Buy", 80), placed("3", "Buy", 120)), "2", "", true,
		},
		"a row that went and another that came to its place": {
			page(row(1, "Apple"), placed("3", "Buy", 40), row(4, "Pear"), placed("6", "Buy", 80)),
			page(row(1, "Pear"), placed("3", "Buy", 40), row(4, "Plum"), placed("6", "Buy", 80)), "3", "", true,
		},
		"one twin left of two may be either": {
			page(one(button("1", "Delete")), one(button("2", "Delete"))), page(one(button("1", "Delete"))), "1", "", true,
		},
		"a twin before it, counted anew": {
			page(one(button("1", "Delete")), one(button("2", "Save"))),
			page(one(button("1", "Delete")), one(button("2", "Delete")), one(button("3", "Save"))), "1", "", true,
		},
		"a twin before it, with ids that are kept": {
			page(one(button("1", "Delete")), one(button("2", "Save"))),
			page(one(button("9", "Delete")), one(button("1", "Delete")), one(button("2", "Save"))), "1", "1", false,
		},
		"ids that are no numbers are kept": {
			page(one(button("a", "Delete")), one(button("b", "Delete"))), page(one(button("b", "Delete"))), "b", "b", false,
		},
		"twins with nothing between keep their order": {
			page(one(button("1", "Up")), one(tick("2", "true")), one(tick("3", "false")), one(button("4", "Save"))),
			page(one(button("1", "Menu")), one(button("2", "Up")), one(tick("3", "true")), one(tick("4", "false")), one(button("5", "Save"))), "3", "4", false,
		},
		"a button that has another text now": {
			page(one(button("1", "Home")), one(button("2", "Save"))), page(one(button("1", "Home")), one(button("2", "Saved"))), "2", "2", false,
		},
		"with another number too": {
			page(one(field("1", "Name", "")), one(button("2", "Save"))),
			page(one(button("1", "Back")), one(field("2", "Name", "")), one(button("3", "Saved"))), "2", "3", false,
		},
		"a button in the place of one that is elsewhere": {
			page(one(button("1", "Save")), one(field("2", "Name", ""))), page(one(button("1", "Back")), one(field("2", "Name", "")), one(button("3", "Save"))), "1", "3", false,
		},
		"an anchor outlives name and number": {
			page(one(Element{ID: "1", Role: "button", Name: "Save", Anchor: "go"})),
			page(one(button("1", "Save")), one(Element{ID: "2", Role: "button", Name: "Saving…", Anchor: "go"})), "1", "2", false,
		},
		"what is hidden now is not found": {
			page(one(button("1", "Save"))), page(one(Element{ID: "1", Role: "button", Name: "Save", State: State{Hidden: true}})), "1", "", false,
		},
		"what has no id cannot be acted on": {page(one(button("1", "Save"))), page(one(button("", "Save"))), "1", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := c.before.ByID(c.id)
			got, ok, ambiguous := FindAgain(c.before.Skeleton(), e.Key, c.after)
			if got.ID != c.want || ok != (c.want != "") || ambiguous != c.ambiguous {
				t.Errorf("got %q, ok %t, ambiguous %t", got.ID, ok, ambiguous)
			}
		})
	}
	t.Run("a key nobody had is nobody's", func(t *testing.T) {
		t.Parallel()
		for _, key := range []string{"", "button|Save|"} {
			if _, ok, ambiguous := FindAgain(page(row(1, "Apple")).Skeleton(), key, page(row(1, "Apple"))); ok || ambiguous {
				t.Errorf("%q: ok %t, ambiguous %t", key, ok, ambiguous)
			}
		}
	})
}

// soul is an element that knows who it is, as no page does.
type soul struct {
	Element
	who int
}

func bodies(souls []soul, counted bool) (Page, map[string]int) {
	es, who := make([]Element, len(souls)), map[string]int{}
	for i, s := range souls {
		es[i] = s.Element
		if counted {
			es[i].ID = strconv.Itoa(i + 1)
		}
		who[es[i].ID] = s.who
	}
	return reading("https://a.test/", es), who
}

// An element is inserted, removed or renamed between two readings, by a client
// that keeps ids or by one that counts anew. Who is found is who was sought.
func TestFindAgain_neverGuesses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(who int) soul {
			pick := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, "part") }
			return soul{Element{
				ID: strconv.Itoa(who + 1), Role: pick("button", "link"), Group: pick("", "", "Pear"),
				Name: pick("Save", "Delete", "Delete", "Reply", strconv.Itoa(who)),
			}, who}
		}
		var souls []soul
		for who := range rapid.IntRange(1, 10).Draw(t, "elements") {
			souls = append(souls, draw(who))
		}
		counted := rapid.Bool().Draw(t, "counted anew")
		before, was := bodies(souls, counted)
		at := rapid.IntRange(0, len(souls)-1).Draw(t, "at")
		later := slices.Clone(souls)
		switch rapid.SampledFrom([]string{"insert", "remove", "rename", "none"}).Draw(t, "change") {
		case "insert":
			later = slices.Insert(later, at, draw(len(souls)))
		case "remove":
			later = slices.Delete(later, at, at+1)
		case "rename":
			later[at].Name = "Saved"
		}
		after, is := bodies(later, counted)
		both := Compare(before.Skeleton(), after)
		for _, e := range before.Elements {
			one, ok, twins := FindAgain(before.Skeleton(), e.Key, after)
			if again, ok2, twins2 := both.Find(e.Key); again.ID != one.ID || ok2 != ok || twins2 != twins {
				t.Fatalf("%q is another one among several looks: %+v, %+v", e.Name, again, one)
			}
			if got, ok, _ := FindAgain(before.Skeleton(), e.Key, after); ok && is[got.ID] != was[e.ID] {
				t.Fatalf("sought %s %q with id %s, got id %s\nbefore %+v\nafter %+v", e.Role, e.Name, e.ID, got.ID, before.Elements, after.Elements)
			}
		}
	})
}

func TestFindAgain_onTheSamePageFindsEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPage(t, "p")
		for i := range p.Elements {
			p.Elements[i].ID = strconv.Itoa(i + 1)
		}
		for _, e := range p.Elements {
			if got, ok, _ := FindAgain(p.Skeleton(), e.Key, p); ok == e.State.Hidden || ok && got.ID != e.ID {
				t.Fatalf("sought %+v, got %+v", e, got)
			}
		}
	})
}

package explore_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules/explore"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

func read(t testing.TB, html string) page.Page {
	t.Helper()
	p, err := dom.Reader{}.Read(page.Capture{URL: "https://site.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func called(name string) instruction.Reference {
	return instruction.Reference{Name: instruction.Literal{Text: name}}
}

// search looks for a name on a page that stays as it is, until there is nowhere left,
// and returns the actions.
func search(p page.Page, news bool, r instruction.Reference) []string {
	return searchTo(instruction.Click, p, news, r)
}

// searchTo is search for a step of an act.
func searchTo(act instruction.Act, p page.Page, news bool, r instruction.Reference) (looks []string) {
	var past []reasoning.Step
	for range 3 * explore.MaxLooks {
		a, on, _, ok := explore.Next(ground.On(p), past, news, r, act, text.Key(r.Name.Text))
		if !ok {
			break
		}
		looks = append(looks, a.String())
		past = append(past, reasoning.Step{
			Index: len(past), Action: a, Target: page.Describe(on), Key: on.Key, Verified: true, Succeeded: true, For: instruction.Progress{Step: 1},
		})
	}
	return looks
}

func TestNext_NeverClicks(t *testing.T) {
	t.Parallel()
	for name, html := range map[string]string{
		"what submits":                `<form><button id=1 type=submit>Invoice</button></form>`,
		"what submits by its name":    `<button id=1 aria-expanded=false>Pay invoice</button>`,
		"what marks":                  `<button id=1 aria-expanded=false>Mark all invoices as read</button>`,
		"what deletes":                `<button id=1 aria-expanded=false>Delete invoice</button>`,
		"what logs out":               `<button id=1 aria-expanded=false>Logout</button>`,
		"what downloads":              `<button id=1 aria-expanded=false>Export invoice</button>`,
		"a link to another site":      `<a id=1 href="https://other.test/invoice">Invoice</a>`,
		"a link to another port":      `<a id=1 href="https://site.test:8443/invoice">Invoice</a>`,
		"a mail":                      `<a id=1 href="mailto:a@b.test">Invoice</a>`,
		"more of another site":        `<a id=1 href="https://other.test/2">Next</a>`,
		"a field":                     `<input id=1 aria-label=Invoice>`,
		"a box":                       `<input id=1 type=checkbox aria-label=Invoice>`,
		"what is disabled":            `<button id=1 disabled aria-expanded=false>Invoice</button>`,
		"what is hidden":              `<button id=1 style="display:none">Invoice</button>`,
		"the tab that is shown":       `<button role=tab id=1 aria-selected=true>Overview</button>`,
		"a list to choose from":       `<div role=combobox id=1 aria-expanded=false>Sort</div>`,
		"what has no word in common":  `<button id=1>Help</button>`,
		"most words that nobody said": `<button id=1>Create a recurring invoice</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read(t, html)
			if len(p.Elements) == 0 {
				t.Fatal("the page has no element")
			}
			for _, l := range search(p, true, called("invoice list")) {
				if strings.HasPrefix(l, "click") {
					t.Errorf("did %s", l)
				}
			}
		})
	}
}

func TestNext_LooksBehind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ html, want string }{
		"words in common":      {`<button id=1>Help</button><button id=2>Invoice</button>`, `click("2")`},
		"a collapsed section":  {`<button id=1 aria-expanded=true>A</button><button id=2 aria-expanded=false>B</button>`, `click("2")`},
		"more":                 {`<button id=1>Show more</button>`, `click("1")`},
		"the next page":        {`<a id=1 href="?page=2">Next</a>`, `click("1")`},
		"the next page's sign": {`<button id=1>›</button>`, `click("1")`},
		"another tab":          {`<button role=tab id=1 aria-selected=true>A</button><button role=tab id=2 aria-selected=false>B</button>`, `click("2")`},
		"a menu":               {`<button id=1 aria-haspopup=menu>Actions</button>`, `click("1")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := search(read(t, tc.html), false, called("invoice")); len(got) == 0 || got[0] != tc.want {
				t.Errorf("did %v, not %s", got, tc.want)
			}
		})
	}
}

// What says most is tried first: the place that was named, words in common, what is
// closed, more of a list, then what is further down, tabs and menus.
func TestNext_Order(t *testing.T) {
	t.Parallel()
	p := read(t, `<button id=1 aria-haspopup=menu>Actions</button><button role=tab id=2 aria-selected=false>History</button>
		<button id=3>Show more</button><button id=4 aria-expanded=false>Details</button><button id=5>Invoice</button><button id=6>Settings</button>`)
	p.Scrollable = []string{"9"}
	r := called("invoice")
	r.Where = []instruction.Relation{{Is: "in", To: called("settings")}}
	want := []string{`click("6")`, `click("5")`, `click("4")`, `click("3")`, `scroll("9")`}
	if got := search(p, false, r); !slices.Equal(got[:5], want) {
		t.Errorf("looked\n%v\nnot\n%v", got, want)
	}
	p = read(t, `<button id=1 aria-haspopup=menu>Actions</button><button role=tab id=2 aria-selected=false>History</button><button id=3>Settings</button>`)
	if got, want := search(p, false, called("invoice")), []string{`click("2")`, `click("1")`}; !slices.Equal(got, want) {
		t.Errorf("tabs come before menus: %v", got)
	}
	if got, want := searchTo(instruction.Choose, p, false, called("invoice")), []string{`click("2")`, `click("1")`, `click("3")`}; !slices.Equal(got, want) {
		t.Errorf("what is to be set is looked for among the settings at last: %v", got)
	}
}

func TestNext_Bounds(t *testing.T) {
	t.Parallel()
	var html strings.Builder
	for range 2 * explore.MaxLooks {
		html.WriteString(`<button aria-expanded=false>Section</button>`)
	}
	p := read(t, html.String())
	for i := range p.Elements {
		p.Elements[i].ID = string(rune('a' + i))
		p.Elements[i].Name += " " + p.Elements[i].ID
	}
	page.AssignKeys(p.Elements)
	if got := search(p, true, called("invoice")); len(got) != explore.MaxLooks {
		t.Errorf("looked %d times: %v", len(got), got)
	}
	p = read(t, `<p>Nothing here</p>`)
	p.Scrollable = []string{"8", "9"}
	if got, want := search(p, false, called("invoice")), []string{`scroll("8")`, `scroll("9")`}; !slices.Equal(got, want) {
		t.Errorf("without news each list is scrolled once: %v", got)
	}
	if got, want := search(p, true, called("invoice")), []string{`scroll("8")`, `scroll("8")`, `scroll("8")`, `scroll("9")`, `scroll("9")`, `scroll("9")`}; len(got) < 4 || !slices.Equal(got[:4], want[:4]) {
		t.Errorf("with news a list is scrolled again, and then the next: %v", got)
	}
	more := read(t, `<button id=1>Load more</button>`)
	if got := search(more, false, called("invoice")); len(got) != 1 {
		t.Errorf("more that brings nothing is asked for once: %v", got)
	}
	if got := search(more, true, called("invoice")); len(got) != explore.MaxLooks {
		t.Errorf("more that brings something is asked for again: %v", got)
	}
}

// On any page: no look is taken twice but what shows more, no more looks than the bound,
// and no click on what may submit or leads away.
func TestNext_IsSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"Invoice", "Delete invoice", "Pay", "Invoice list", "Send", "Next", "Show more", "Log out", "Settings", "List", ""})
		element := rapid.Custom(func(t *rapid.T) page.Element {
			e := page.Element{
				Role: rapid.SampledFrom([]string{"button", "link", "tab", "checkbox", "textbox", "combobox", "dialog", "menuitem", ""}).Draw(t, "role"),
				Name: names.Draw(t, "name"), Href: rapid.SampledFrom([]string{"", "/a", "https://other.test/", "#x", "mailto:a@b.test"}).Draw(t, "href"),
				Type: rapid.SampledFrom([]string{"", "submit"}).Draw(t, "type"),
			}
			e.State.Expanded, e.State.HasPopup = rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "expanded"), rapid.Bool().Draw(t, "popup")
			e.State.Disabled, e.State.Hidden = rapid.Bool().Draw(t, "disabled"), rapid.Bool().Draw(t, "hidden")
			return e
		})
		p := page.Page{URL: "https://site.test/", Elements: rapid.SliceOfN(element, 0, 15).Draw(t, "elements")}
		for i := range p.Elements {
			p.Elements[i].ID = string(rune('a' + i))
		}
		page.AssignKeys(p.Elements)
		looks := search(p, rapid.Bool().Draw(t, "news"), called("invoice list"))
		if len(looks) > explore.MaxLooks {
			t.Fatalf("%d looks", len(looks))
		}
		for i, l := range looks {
			a, err := action.Parse(l)
			if err != nil {
				t.Fatal(err)
			}
			e, known := p.ByID(a.Target)
			if a.Name != action.Click || !known || !e.Usable() || strings.Contains(e.Href, "other") || strings.HasPrefix(e.Href, "mailto") {
				t.Fatalf("look %s at %s", l, page.Describe(e))
			}
			if e.Name == "Next" || e.Name == "Show more" {
				continue // what shows more of a list is asked for again
			}
			if e.IsField() || e.IsTick() || page.ClickMaySubmit(e) || strings.Contains(e.Name, "Delete") || slices.Contains(looks[:i], l) {
				t.Fatalf("look %s at %s, of %v", l, page.Describe(e), looks)
			}
		}
	})
}

func TestTurnsPage(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Next": true, ">": true, "»": true, "next page": true, "Next steps": false, "Previous": false, "": false} {
		if explore.TurnsPage(name) != want {
			t.Errorf("%q turns the page: %v", name, !want)
		}
	}
}

package dom

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// TestRead_marks: words of a class that say a state are one; those that say what a
// control does are not.
func TestRead_marks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ html, want string }{
		{`<span class="like active" data-llm-id=1>Like</span>`, "active"},
		{`<span class="like" data-llm-id=1>Like</span>`, ""},
		{`<button class="nav-link-selected" data-llm-id=1>A</button>`, "selected"},
		{`<button class="is-open" data-llm-id=1>A</button>`, "open"},
		{`<button class="menu--open" data-llm-id=1>A</button>`, "open"},
		{`<button class="btn-open" data-llm-id=1>A</button>`, ""},
		{`<button class="active-users" data-llm-id=1>A</button>`, ""},
		{`<button class="hover:active" data-llm-id=1>A</button>`, ""},
		{`<button class="btn ql-active" data-llm-id=1>A</button>`, "active"},
		{`<button class="active" aria-pressed=true data-llm-id=1>A</button>`, ""},
		{`<button class="disabled" disabled data-llm-id=1>A</button>`, ""},
		{`<div data-state=open onclick=x data-llm-id=1>A</div>`, "open"},
		{`<div data-state=active onclick=x data-llm-id=1>A</div>`, "active"},
		{`<ul><li class=active><a href=/x data-llm-id=1>A</a></ul>`, "active"},
		{`<ul><li class=active><a href=/x data-llm-id=1>A</a><b>2</b></ul>`, ""},
		{`<button data-llm-id=1><i class="bi bi-heart-fill"></i></button>`, "fill"},
		{`<button data-llm-id=1><i class="fas fa-heart"></i></button>`, "fas"},
		{`<input class="active" data-llm-id=1>`, ""},
	} {
		p := readPage(t, tt.html)
		if got := p.Elements[0].State.Marks; got != tt.want {
			t.Errorf("%s is marked %q, want %q", tt.html, got, tt.want)
		}
	}
}

// TestRead_aMarkThatComesIsAChange: a style that switches on is what an action did.
func TestRead_aMarkThatComesIsAChange(t *testing.T) {
	t.Parallel()
	const off, on = `<p>Ann</p><span class="like" data-llm-id=1></span><p>Kim</p><span class="like" data-llm-id=2></span>`,
		`<p>Ann</p><span class="like" data-llm-id=1></span><p>Kim</p><span class="like active" data-llm-id=2></span>`
	before, after := readPage(t, off), readPage(t, on)
	if page.NothingChanged(before.Before(), after, page.Witness{}) {
		t.Error("nothing changed")
	}
	seen := page.Observe(before.Before(), after, page.Witness{})
	if !slices.ContainsFunc(seen, func(o page.Observation) bool {
		return o.Attr == page.AttrMarks && o.From == "" && o.To == "active" && strings.Contains(o.Text, "changed 'state' from '' to 'active'")
	}) {
		t.Errorf("%+v", seen)
	}
	if before.MeaningHash == after.MeaningHash {
		t.Error("the two pages mean the same")
	}
}

// TestRead_authorsWords: what shows no text is named by its author's words, and marked.
func TestRead_authorsWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		html, name string
		guessed    bool
	}{
		{`<span class="star" data-llm-id=1></span>`, "star", true},
		{`<i class="trash" data-llm-id=1></i>`, "trash", true},
		{`<button class="ql-bold" data-llm-id=1></button>`, "bold", true},
		{`<button class="ql-align" value="center" data-llm-id=1></button>`, "align center", true},
		{`<button class="ql-list" value="ordered" data-llm-id=1></button>`, "list ordered", true},
		{`<button data-llm-id=1><i class="fa fa-link"></i></button>`, "link", true},
		{`<button class="btn btn-small" data-llm-id=1></button>`, "", false},
		{`<input id=first-name data-llm-id=1>`, "first name", true},
		{`<input class="form-control" data-llm-id=1>`, "", false},
		{`<input class="email-field" placeholder="you@a.test" data-llm-id=1>`, "you@a.test", false},
		{`<span data-llm-id=1><img src=x.png alt="Rate 3"></span>`, "Rate 3", false},
		{`<img src=x.png alt="Delete" data-llm-id=1>`, "Delete", false},
		{`<button title="Bold" class="ql-bold" data-llm-id=1></button>`, "Bold", false},
	} {
		e := readPage(t, tt.html).Elements[0]
		if e.Name != tt.name || e.NameGuessed != tt.guessed {
			t.Errorf("%s is called %q (guessed: %v), want %q (%v)", tt.html, e.Name, e.NameGuessed, tt.name, tt.guessed)
		}
	}
}

// TestRead_tagsAreNoNames: some clients put the tag where a node has no name.
func TestRead_tagsAreNoNames(t *testing.T) {
	t.Parallel()
	p, err := Reader{}.Read(page.Capture{
		URL: "https://a.test/", Mode: page.ModeSemanticV3,
		DOM:  `<span class="star" data-llm-id=1></span><button data-llm-id=2>span</button><span data-llm-id=3></span>`,
		Tree: []page.NodeV3{{ID: "1", Role: "span", Name: "span"}, {ID: "2", Role: "btn", Name: "span"}, {ID: "3", Role: "span", Name: "span"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range p.Elements {
		names = append(names, e.Name)
	}
	if !slices.Equal(names, []string{"star", "span", ""}) {
		t.Errorf("%q", names)
	}
}

// TestRead_places: elements know where they stand in the text, also those of a tree,
// and after secrets were cut out of it.
func TestRead_places(t *testing.T) {
	t.Parallel()
	const html = `<p>Ann's key is 4711hunter, and hers alone.</p><p>Apples <a href=/add data-llm-id=1>Add</a> $5</p><div data-llm-id=2 onclick=x><b>Pears</b> are out</div><p>The end`
	tree := []page.NodeV3{{ID: "1", Role: "link", Name: "Add"}, {ID: "9", Role: "btn", Name: "Unknown"}, {ID: "2", Role: "div", Name: "Pears are out"}}
	for _, c := range []page.Capture{
		{URL: "https://a.test/", Mode: page.ModeFull, DOM: html},
		{URL: "https://a.test/", Mode: page.ModeSemanticV3, DOM: html, Tree: tree},
		{URL: "https://a.test/", Mode: page.ModeSkeleton, SkeletonDOM: html},
	} {
		p, err := Reader{}.Read(c)
		if err != nil {
			t.Fatal(err)
		}
		cut := p.MapText(func(s string) string { return strings.ReplaceAll(s, "4711hunter", "[secret]") })
		for _, read := range []page.Page{p, cut} {
			for id, want := range map[string]string{"1": "Add", "2": "Pears are out", "9": ""} {
				e, ok := read.ByID(id)
				if got := read.Text[e.TextFrom:e.TextTo]; strings.TrimSpace(got) != want || !ok && id != "9" {
					t.Errorf("%s: element %s stands at %q, want %q", c.Mode, id, got, want)
				}
			}
			if e, _ := read.ByID("1"); !strings.HasSuffix(read.Text[:e.TextFrom], "Apples ") {
				t.Errorf("%s: before it stands %q", c.Mode, read.Text[:e.TextFrom])
			}
		}
		// A line that changes is not looked into, and a text that changes as a whole says nothing.
		inLine := p.MapText(func(s string) string { return strings.ReplaceAll(s, "Apples", "Fruit") })
		if e, _ := inLine.ByID("1"); !strings.HasPrefix(inLine.Text[e.TextFrom:], "Fruit") {
			t.Errorf("in a changed line it stands before %q", inLine.Text[e.TextFrom:])
		}
		across := p.MapText(func(s string) string { return strings.ReplaceAll(s, "alone.\nApples", "[secret]") })
		if e, _ := across.ByID("2"); e.TextFrom != 0 || e.TextTo != 0 {
			t.Errorf("after a change over two lines it stands at %d to %d", e.TextFrom, e.TextTo)
		}
	}
}

func TestRead_columns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ html, want string }{
		{`<table><tr><th>Name<th>Paid<tr><td>Jas<td><button data-llm-id=1>x</button></table>`, "Paid"},
		{`<table><thead><tr><th colspan=2>Name<th>Paid</thead><tbody><tr><td>Jas<td>K<td><button data-llm-id=1>x</button></table>`, "Paid"},
		{`<table><tr><th scope=row>Jas<td><button data-llm-id=1>x</button></table>`, ""},
		{`<div role=grid><div role=row><span role=columnheader>Mo</span><span role=columnheader>Tu</span></div><div role=row><span role=gridcell>1</span><span role=gridcell><button data-llm-id=1>2</button></span></div></div>`, "Tu"},
		{`<table><tr><td>Jas<td><button data-llm-id=1>x</button></table>`, ""},
	} {
		p := readPage(t, tt.html)
		e, _ := p.ByID("1")
		if e.Column != tt.want {
			t.Errorf("%s: column %q, want %q", tt.html, e.Column, tt.want)
		}
	}
}

func TestRead_regions(t *testing.T) {
	t.Parallel()
	p, err := Reader{}.Read(page.Capture{
		URL: "https://a.test/", Mode: page.ModeSemanticV3, ScrollPosition: "25%",
		Tree:       []page.NodeV3{{ID: "1", Role: "btn", Name: "A"}, {ID: "7", Role: "list", Name: "Orders", Scroll: &page.ScrollInfo{Depth: "40%", More: true}}},
		Containers: []page.ScrollContainer{{ID: "7", Depth: "45%", HasMore: true}, {ID: "8", Depth: "100%"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []page.Region{{ID: "7", Depth: "45%", More: true}, {ID: "8", Depth: "100%"}}
	if !slices.Equal(p.Regions, want) || p.ScrollPosition != "25%" {
		t.Errorf("%+v, %q", p.Regions, p.ScrollPosition)
	}
}

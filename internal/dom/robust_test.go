package dom

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// Bounds are counted, never timed: memory against that of the bare parse, and
// looks at nodes against their number. Not parallel, since others' memory would
// be counted too.
func TestRead_hugePages(t *testing.T) {
	labels := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<label for=f%d>Field</label><input id=f%d value=x>`, i, i)
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"five megabytes of forms":  domtest.FormPage(4_900_000),
		"five megabytes of text":   "<p>" + strings.Repeat("word ", 980_000),
		"one hundred thousand":     strings.Repeat("<button>b</button>", 100_000),
		"all fields with labels":   labels(60_000),
		"two thousand levels":      strings.Repeat("<div><button id=b>B</button>", 2_000),
		"one label for everything": strings.Repeat("<label for=a>A <input id=a></label>", 50_000),
		"one name for everything":  "<div id=n>" + strings.Repeat("<i>n</i>", 20_000) + "</div>" + strings.Repeat("<a href=/ aria-labelledby=n>", 50_000),
		"style sheets":             "<style>" + strings.Repeat(".a .b,.c>i{display:block}", 30_000) + "</style>" + strings.Repeat("<a href=/ class='a b c'><i class=b>i</i></a>", 50_000),
		"shadow trees":             strings.Repeat("<b><template shadowrootmode=open><slot></slot><button>x</button></template>y", 50_000),
		"selects":                  strings.Repeat("<select><option>a<option>b</select>", 50_000),
		"attributes":               "<button " + strings.Repeat("aria-label=x ", 300_000) + ">b",
	} {
		t.Run(name, func(t *testing.T) {
			var p page.Page
			ours := allocated(func() { p = read1(t, src) })
			bare := allocated(func() {
				if _, err := html.Parse(strings.NewReader(src)); err != nil {
					_, _ = html.Parse(strings.NewReader(string(flatten(src)))) // what we read, then
				}
			})
			if limit := 5*bare + 10<<20; ours > limit {
				t.Errorf("%d MB for a document of %d, the bare parse takes %d", ours>>20, len(src)>>20, bare>>20)
			}
			checkCaps(t, p)
			if len(p.Elements) == 0 && p.Text == "" {
				t.Error("the page came out empty")
			}
			if len(p.Elements) == maxElements && len(p.Notes) == 0 {
				t.Error("elements were left out without a note")
			}
		})
	}
}

// allocated is how many bytes f takes from the heap in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestRead_oddPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		html string
		want string // of the elements, then the text
	}{
		"right to left":                 {`<button dir=rtl>שלח <b>טופס</b></button>`, `button "שלח טופס" | שלח טופס`},
		"emoji":                         {`<button aria-label="👩‍💻 Code 🇧🇷">x</button>`, `button "👩💻 Code 🇧🇷" | x`},
		"a template shows nothing":      {`<template><button>No</button></template><button>Yes</button>`, `button "Yes" | Yes`},
		"a shadow tree is shown":        {`<x-a><template shadowrootmode=open><button>In</button></template></x-a>`, `button "In" | In`},
		"closed ones too":               {`<x-a><template shadowrootmode=closed><button>In</button></template></x-a>`, `button "In" | In`},
		"what is slotted":               {`<x-a><template shadowrootmode=open><h2><slot></slot></h2></template><a href=/>Out</a></x-a>`, `link "Out" | Out`},
		"what is not slotted":           {`<x-a><template shadowrootmode=open><button>In</button></template><a href=/>Out</a></x-a>`, `button "In" | In`},
		"slots by name, in their order": {`<x-a><template shadowrootmode=open><slot name=b></slot> <slot name=a></slot></template><i slot=a>A</i><i slot=b>B</i></x-a>`, ` | B A`},
		"a slot taken by the first":     {`<x-a><template shadowrootmode=open><slot></slot>, <slot>none left</slot></template>One</x-a>`, ` | One, none left`},
		"shadow trees in shadow trees":  {`<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open>(<slot></slot>)</template><slot></slot></x-b></template>One</x-a>`, ` | (One)`},
		"a slot in no shadow tree":      {`<slot><button>B</button></slot>`, `button "B" | B`},
		"duplicate ids":                 {`<button id=a>1</button><button id=a>2</button>`, `button "1", button "2" | 1 2`},
		"a frame's elements":            {`<div data-frame-id=2><button>A</button><button data-frame-id=3>B</button></div><button data-frame-id=main-frame>C</button>`, `button "A" frame=2, button "B" frame=3, button "C" | A B C`},
		"a frame is not looked into":    {`<iframe srcdoc="<button>No</button>">No</iframe><button>Yes</button>`, `button "Yes" | Yes`},
		"inert":                         {`<div inert><p><button>A</button></p></div><button>B</button>`, `button "A" hidden, button "B" | B`},
		"aria-hidden above":             {`<div aria-hidden=true><button>A</button></div><button>B</button>`, `button "A" hidden, button "B" | B`},
		"hidden until found":            {`<div hidden=until-found><button>A</button></div><button>B</button>`, `button "A" hidden, button "B" | B`},
		"occluded":                      {`<button data-occluded=true>A</button><button data-occ>B</button><button data-occluded=false>C</button>`, `button "A" occluded, button "B" occluded, button "C" | A B C`},
		"a disabled fieldset":           {`<fieldset disabled><button>A</button><a href=/>B</a></fieldset>`, `button "A" disabled, link "B" | A B`},
		"a disabled group":              {`<div role=group aria-disabled=true><button>A</button><a href=/>B</a></div><button>C</button>`, `button "A" disabled, link "B" disabled, button "C" | A B C`},
		"a lone surrogate":              {`<button>a&#xD800;b</button>`, "button \"a\ufffdb\" | a\ufffdb"},
		"bytes that are no UTF-8":       {"<button>a\xff\xfeb</button>", "button \"a\ufffd\ufffdb\" | a\ufffd\ufffdb"},
		"null characters":               {"<button>a\x00b</button>", "button \"ab\" | ab"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read1(t, c.html)
			var list []string
			for _, e := range p.Elements {
				s := fmt.Sprintf("%s %q", e.Role, e.Name)
				if e.Frame != "" {
					s += " frame=" + e.Frame
				}
				if e.State.Hidden {
					s += " hidden"
				}
				if e.State.Occluded {
					s += " occluded"
				}
				if e.State.Disabled {
					s += " disabled"
				}
				list = append(list, s)
			}
			if got := strings.Join(list, ", ") + " | " + strings.Join(strings.Fields(p.Text), " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// What is looked at for names grows with the page, not with its square.
func TestRead_looksAreBounded(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"forms":      `<form><fieldset><legend>L</legend><label>A <input></label> B <input></fieldset></form>`,
		"tables":     `<table><tr><td>A<td><a href=/>B</a><td><input></table>`,
		"nameless":   `<div><p><span></span><input></p></div>`,
		"groups":     `<section><div>`,
		"references": `<a id=a aria-labelledby=a href=/>A</a>`,
		"hidden":     `<a aria-labelledby=z href=/>A</a><p hidden id=z>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spent := func(n int) int {
				doc, _ := parseDocument(t, strings.Repeat(part, n))
				b := newBuilder(doc)
				start := b.budget
				for _, f := range doc.found {
					b.element(&page.Element{}, &subject{found: f, attrs: readAttrs(f.node)})
				}
				return start - b.budget
			}
			if few, many := spent(100), spent(200); many > 3*few+1000 {
				t.Errorf("%d looks for a hundred parts, %d for two hundred", few, many)
			}
		})
	}
}

// A name is put together in place: what it costs does not depend on how many
// nodes it is made of. Not parallel, since it counts allocations.
func TestName_allocatesNothingPerNode(t *testing.T) {
	cost := func(parts int) float64 {
		doc, tree := parseDocument(t, "<button id=x>"+strings.Repeat("<b><i class=c></i><img alt=''></b><input type=checkbox>", parts)+"Go</button>")
		n := withID(tree, "x")
		f := subject{found: found{node: n, role: "button"}, attrs: readAttrs(n)}
		nm := namer{doc: doc}
		return testing.AllocsPerRun(20, func() {
			nm.budget = 1_000_000
			if nm.name(&f) != "Go" {
				t.Error("the name is wrong")
			}
		})
	}
	if few, many := cost(10), cost(100); many > few {
		t.Errorf("%.0f allocations for ten parts, %.0f for a hundred", few, many)
	}
}

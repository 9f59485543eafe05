package dom

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
)

func read1(t *testing.T, html string) page.Page {
	t.Helper()
	p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		capture page.Capture
		field   string
	}{
		"an unknown mode":           {page.Capture{Mode: "semantic_v4", DOM: "<p>"}, "domMode"},
		"a capture without a page":  {page.Capture{Mode: page.ModeSemanticV3, Title: "x"}, "dom"},
		"an oversized dom":          {page.Capture{DOM: strings.Repeat("a", page.MaxDOM+1)}, "dom"},
		"an oversized full dom":     {page.Capture{Mode: page.ModeFull, DOM: strings.Repeat("a", page.MaxFullDOM+1)}, "dom"},
		"an oversized skeleton":     {page.Capture{SkeletonDOM: strings.Repeat("a", page.MaxDOM+1)}, "skeletonDom"},
		"pairs count as two units":  {page.Capture{DOM: strings.Repeat("😀", page.MaxDOM/2+1)}, "dom"},
		"an oversized hybrid's dom": {page.Capture{Mode: page.ModeHybrid, SkeletonDOM: "<p>", DOM: strings.Repeat("a", page.MaxDOM+1)}, "dom"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Reader{}.Read(c.capture)
			var e *domain.Error
			if !errors.As(err, &e) || e.Kind != domain.Invalid || e.Code != "VALIDATION_ERROR" || e.Field != c.field {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRead_acceptsWhatFits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]page.Capture{
		"bytes are not units":      {DOM: strings.Repeat("ä", page.MaxDOM)},
		"full may be ten times":    {Mode: page.ModeFull, DOM: strings.Repeat("a", page.MaxFullDOM)},
		"a tree without dom":       {Tree: []page.NodeV3{{ID: "1", Role: "btn", Name: "Go"}}},
		"a list without dom":       {Nodes: []page.Node{{ID: "1", Role: "button", Name: "Go"}}},
		"a skeleton without dom":   {SkeletonDOM: "<button id=1>Go</button>"},
		"a mode without its field": {Mode: page.ModeSkeleton, DOM: "<button id=1>Go</button>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := (Reader{}).Read(c); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRead_infersTheMode(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]page.Capture{
		page.ModeSemanticV3: {DOM: "<p>", Tree: []page.NodeV3{{ID: "1", Role: "btn"}}},
		page.ModeSemantic:   {DOM: "<p>", Nodes: []page.Node{{ID: "1", Role: "button"}}},
		page.ModeSkeleton:   {DOM: "<p>", SkeletonDOM: "<p>"},
		page.ModeHybrid:     {DOM: "<p>", SkeletonDOM: "<p>", Screenshot: "x"},
		page.ModeFull:       {DOM: "<p>"},
	} {
		p, err := Reader{}.Read(c)
		if err != nil || p.Mode != want {
			t.Errorf("got %q, %v, want %q", p.Mode, err, want)
		}
	}
}

func TestRead_clockPage(t *testing.T) {
	t.Parallel()
	at := func(time, ago string) page.Page {
		return read1(t, `<title>`+time+`</title><div id="clock">`+time+`</div><p>updated `+ago+`</p><button id="b">Save</button>
			<a id="l" href="/log">`+ago+`</a><div role="status">Time left: `+time+`</div>`)
	}
	before, now := at("12:03:58", "3 seconds ago"), at("12:03:59", "4 seconds ago")
	if before.DOMHash == now.DOMHash {
		t.Error("the raw hash did not change")
	}
	if before.MeaningHash != now.MeaningHash {
		t.Error("the meaning changed with the clock")
	}
	if !page.NothingChanged(before.Before(), now, page.Witness{}) {
		t.Error("a clock counts as an effect")
	}
	want := []string{"URL did not change", "Page content updated (DOM changed; no interactive element changes detected)"}
	var got []string
	for _, o := range page.Observe(before.Before(), now, page.Witness{}) {
		got = append(got, o.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRead_insertedSiblingKeepsKeysThoughIDsMove(t *testing.T) {
	t.Parallel()
	before := read1(t, `<button data-id=1>Save</button><a data-id=2 href=/x>Home</a><input data-id=3 name=email>`)
	now := read1(t, `<div role=alert data-id=1>New!</div><button data-id=2>Try it</button><button data-id=3>Save</button><a data-id=4 href=/x>Home</a><input data-id=5 name=email>`)
	var want []string
	for _, e := range before.Elements {
		want = append(want, e.Key)
	}
	var got []string
	for _, e := range now.Elements[1:] {
		got = append(got, e.Key)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var lines []string
	for _, o := range page.Diff(before.Skeleton(), now.Skeleton()) {
		lines = append(lines, o.Text)
	}
	if diff := cmp.Diff([]string{"New message/alert appeared: New!", `New element appeared: button "Try it"`}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestRead_modesAgree(t *testing.T) {
	t.Parallel()
	const html = `<form aria-label=Login><input data-llm-id=1 type=email aria-label=Email value=a@b.c><input data-llm-id=2 type=checkbox aria-label=Stay><button data-llm-id=3>Log in</button></form>`
	const skeleton = `<input id=1 type=email aria-label=Email value=a@b.c><input id=2 type=checkbox aria-label=Stay><button id=3>Log in</button>`
	want := read1(t, html)
	for name, c := range map[string]page.Capture{
		"semantic_v3": {Tree: []page.NodeV3{{ID: "1", Role: "inp", Name: "Email", Value: "a@b.c"}, {ID: "2", Role: "chk", Name: "Stay"}, {ID: "3", Role: "btn", Name: "Log in"}}},
		"semantic":    {Nodes: []page.Node{{ID: "1", Role: "textbox", Name: "Email", Value: "a@b.c"}, {ID: "2", Role: "checkbox", Name: "Stay"}, {ID: "3", Role: "button", Name: "Log in"}}},
		"skeleton":    {SkeletonDOM: skeleton},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Mode, c.URL, c.DOM = name, "https://a.test/", html
			got, err := Reader{}.Read(c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Skeleton(), got.Skeleton()); diff != "" {
				t.Error("the same page in two modes differs:", diff)
			}
			if got.MeaningHash != want.MeaningHash {
				t.Error("the same page in two modes means something else")
			}
		})
	}
}

func TestRead_treeOfAnotherPageIsNotEnriched(t *testing.T) {
	t.Parallel()
	p, err := Reader{}.Read(page.Capture{
		DOM:  `<form aria-label=Old><a data-llm-id=7 href=/old>Old</a></form>`,
		Tree: []page.NodeV3{{ID: "7", Role: "inp", Name: "Name", Value: "Jas"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Elements[0]; e.Group != "" || e.Href != "" || e.Value != "Jas" {
		t.Errorf("a textbox took over a link: %+v", e)
	}
}

func TestRead_deepNesting(t *testing.T) {
	t.Parallel()
	for name, tag := range map[string]string{"div": "div", "span": "span", "b": "b", "unknown": "x-y", "list": "li><ul"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 20_000
			p := read1(t, `<title>Deep</title><button id=top>Top</button>`+strings.Repeat("<"+tag+">", n)+
				`<p hidden>HIDDEN</p><div style="display:none"><button id=hid>Hidden</button></div><label for=in>Inner</label><input id=in><button id=mid>Middle</button>`+
				strings.Repeat("</"+strings.Split(tag, ">")[0]+">", n)+`<button id=end>End</button>`)
			for _, id := range []string{"top", "in", "mid", "end"} {
				if e, ok := p.ByID(id); !ok || e.State.Hidden {
					t.Errorf("%s: %t, hidden %t", id, ok, e.State.Hidden)
				}
			}
			if strings.Contains(p.Text, "HIDDEN") {
				t.Error("flattening showed hidden text")
			}
			if e, ok := p.ByID("hid"); ok && !e.State.Hidden {
				t.Error("flattening showed a hidden button")
			}
			if len(p.Notes) == 0 {
				t.Error("the page was degraded without a note")
			}
		})
	}
}

func TestRead_formattingLeftOpen(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "<p><font size=%d>line <b hidden>HIDDEN</b></p>", i)
	}
	p := read1(t, b.String()+"<button id=end>End</button>")
	if _, ok := p.ByID("end"); !ok || len(p.Notes) == 0 || strings.Contains(p.Text, "HIDDEN") {
		t.Errorf("found %t, notes %q", ok, p.Notes)
	}
}

func TestRead_capsHold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 2000)
	for name, html := range map[string]string{
		"elements": strings.Repeat("<button>x</button>", maxElements+1000),
		"alerts":   strings.Repeat("<div role=alert>Message</div>", 1000),
		"headings": strings.Repeat("<h2>Heading</h2>", 1000),
		"text":     strings.Repeat("<p>word word word</p>", 10_000),
		"options":  "<select id=s>" + strings.Repeat("<option>x", 5000) + "</select>",
		"lengths": fmt.Sprintf("<title>%[1]s</title><form aria-label='%[1]s'><input id=a aria-label='%[1]s' value='%[1]s' placeholder='%[1]s'>"+
			"<a href='%[1]s' id=b>%[1]s</a><div role=alert>%[1]s</div><h1>%[1]s</h1><button id='%[1]s'>%[1]s</button></form>", long),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkCaps(t, read1(t, html))
		})
	}
}

// checkCaps fails where a page is larger than it may be.
func checkCaps(t *testing.T, p page.Page) {
	t.Helper()
	most := func(what string, n, limit int) {
		if n > limit {
			t.Errorf("%s: %d, at most %d", what, n, limit)
		}
	}
	runes := func(what, s string, limit int) { most(what, len([]rune(s)), limit) }
	most("elements", len(p.Elements), maxElements)
	most("alerts", len(p.Alerts), maxAlerts)
	most("headings", len(p.Headings), maxHeadings)
	runes("text", p.Text, maxText)
	runes("title", p.Title, maxTitle)
	ids := map[string]bool{}
	for _, e := range p.Elements {
		runes("name", e.Name, maxName)
		runes("value", e.Value, maxValue)
		runes("group", e.Group, maxGroup)
		runes("href", e.Href, maxHref)
		runes("placeholder", e.Placeholder, maxName)
		most("options", len(e.Options), maxOptions)
		most("id", len(e.ID), maxID)
		if e.ID != "" && ids[e.ID] {
			t.Errorf("two elements have the id %q", e.ID)
		}
		ids[e.ID] = true
		if e.State.Secret && e.Value != "" {
			t.Errorf("the secret field %q has the value %q", e.Name, e.Value)
		}
	}
	for _, a := range p.Alerts {
		runes("alert", a.Text, maxAlertText)
	}
}

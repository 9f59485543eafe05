package dom

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
)

func TestRead_rows(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ html, want string }{
		"a table":                {`<table><tr><td>1<td>Ann<td><button id=a>Edit</button><tr><td>2<td>Kim<td><button id=x>Edit</button></table>`, "2 Kim"},
		"boxes":                  {`<div><div>Ann</div><button id=a>Edit</button></div><div><div>Kim</div><button id=x>Edit</button></div>`, "Kim"},
		"boxes in boxes":         {`<div><p>Ann</p><div><div><button id=a>Edit</button></div></div></div><div><p>Kim</p><div><div><button id=x>Edit</button></div></div></div>`, "Kim"},
		"a link in the item":     {`<ul><li><a href=/1>Lamp</a><button id=x>Buy</button></ul>`, "Lamp"},
		"an image":               {`<div><img alt="Red lamp"><button id=x>Buy</button></div>`, "Red lamp"},
		"other buttons are not":  {`<ul><li>Kim <button id=x>Edit</button> <button>Delete</button></ul>`, "Kim"},
		"what is hidden is not":  {`<ul><li>Kim <i hidden>Ann</i><button id=x>Edit</button></ul>`, "Kim"},
		"one alone":              {`<div><span>Figma</span><button id=x>Disconnect</button></div>`, "Figma"},
		"a field's value is not": {`<ul><li>PIN <input type=password value=1234><button id=x>Show</button></ul>`, "PIN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, ok := read1(t, tc.html).ByID("x"); !ok || e.Row != tc.want {
				t.Errorf("row %q, want %q", e.Row, tc.want)
			}
		})
	}
}

func TestRead_layers(t *testing.T) {
	t.Parallel()
	p := read1(t, `<body class="modal-open"><button id=a>Open modal</button><div id=cookie-notice>We use cookies <button id=b>OK</button></div>
		<dialog open><h2>Delete Kim?</h2><p>For good.</p><button id=c>Delete</button></dialog>
		<div role=alertdialog aria-modal=true aria-label=Sure><button id=d>Yes</button></div><div role=dialog hidden><button id=e>No</button></div>`)
	want := []page.Layer{
		{Text: "We use cookies"}, {Role: "dialog", Name: "Delete Kim?", Text: "Delete Kim? For good."},
		{Role: "alertdialog", Modal: true, Name: "Sure"},
	}
	for i, text := range []string{"We use cookies\nOK", "Delete Kim?\nFor good.\nDelete", "Yes"} {
		l := &p.Layers[i]
		if got := strings.TrimSpace(p.Text[l.TextFrom:l.TextTo]); got != text {
			t.Errorf("layer %d has the text %q", i+1, got)
		}
		l.TextFrom, l.TextTo = 0, 0
	}
	if diff := cmp.Diff(want, p.Layers); diff != "" {
		t.Error(diff)
	}
	for id, layer := range map[string]int{"a": 0, "b": 1, "c": 2, "d": 3} {
		if e, _ := p.ByID(id); e.Layer != layer {
			t.Errorf("%s is in layer %d, not %d", id, e.Layer, layer)
		}
	}
}

// What stands together is one line of the text: cells of a row, a label and its value.
func TestRead_linesThatStandTogether(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<div><div>Full name</div><div>Alex</div></div><div><div>Email</div><div>a@b.test</div></div>`:                          "Full name\tAlex\nEmail\ta@b.test",
		`<section><div><div>Full name</div><div>Alex</div></div><div><div>Email</div><div>a@b.test</div></div></section>`:       "Full name\tAlex\nEmail\ta@b.test",
		`<div><div><p>GitHub</p><p>alex</p></div><p>Connected</p></div><div><div><p>Slack</p><p>al</p></div><p>Off</p></div>`:   "GitHub\talex\tConnected\nSlack\tal\tOff",
		`<table><tr><td>Mon</td><td>1</td><td>2</td><td>3</td><td>4</td><td>5</td></tr><tr><td>Tue</td><td>6</td></tr></table>`: "Mon\t1\t2\t3\t4\t5\nTue\t6",
		`<dl><dt>Born</dt><dd>1990</dd><dt>In</dt><dd>Ulm</dd><dt>As</dt><dd>Ann</dd></dl>`:                                     "Born\t1990\nIn\tUlm\nAs\tAnn",
		`<p>One</p><p>Two</p><p>Three</p><p>Four</p><p>Five</p><p>Six</p>`:                                                      "One\nTwo\nThree\nFour\nFive\nSix",
	} {
		if got := read1(t, "<body><i></i>"+html+"<p>"+strings.Repeat("long ", 70)+"</p>").Text; !strings.HasPrefix(got, want+"\n") {
			t.Errorf("%s: %.100q", html, got)
		}
	}
}

func TestRead_layersOfATree(t *testing.T) {
	t.Parallel()
	box := func(x, y, w, h float64) *[4]float64 { return &[4]float64{x, y, w, h} }
	p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", Tree: []page.NodeV3{
		{ID: "1", Role: "dialog", Name: "Delete Kim?", Box: box(100, 100, 200, 100)}, {ID: "2", Role: "btn", Name: "Delete", Box: box(110, 160, 50, 20)},
		{ID: "3", Role: "btn", Name: "Delete", Box: box(10, 400, 50, 20)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Layers) != 1 || p.Layers[0].Name != "Delete Kim?" || p.Elements[1].Layer != 1 || p.Elements[2].Layer != 0 {
		t.Errorf("%+v", p)
	}
}

func TestRead_namesNobodyReads(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<button id=x data-testid=remove-allergy></button>`:                   "remove allergy",
		`<button id=x class="btn btn-sm trashCan css-1x2y3z"></button>`:       "trash can",
		`<button id=x><svg><use href="/i.svg#icon-gear"/></svg></button>`:     "gear",
		`<span data-llm-id=x class=star></span>`:                              "star",
		`<button id=x class="btn btn-primary mt-2"><i class=fa></i></button>`: "",
	} {
		if e, ok := read1(t, html).ByID("x"); !ok || e.Name != want || e.NameGuessed != (want != "") {
			t.Errorf("%s: %q, guessed %t", html, e.Name, e.NameGuessed)
		}
	}
	if e, _ := read1(t, `<button id=x title="Remove allergy" class="remove-entry">Remove</button>`).ByID("x"); e.Name != "Remove" || e.NameGuessed || e.Hint != "Remove allergy entry" {
		t.Errorf("%+v", e)
	}
}

// Rows are looked for around every element: a page made for it must not take long.
func TestRead_rowsTakeNoTime(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<div>", 300)
	for name, html := range map[string]string{
		"many of one name, deep": deep + strings.Repeat(`<p><button>Edit</button></p>`, 15_000),
		"many names, twice":      strings.Repeat(`<div>`+strings.Repeat(`<i>x</i>`, 20)+`<button>A</button></div>`, 2_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			read1(t, html)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestRead_rowsOfATree(t *testing.T) {
	t.Parallel()
	btn, link := func(id, name string) page.NodeV3 {
		return page.NodeV3{ID: page.Scalar(id), Role: "btn", Name: page.Scalar(name)}
	},
		func(name string) page.NodeV3 {
			return page.NodeV3{ID: page.Scalar("l" + name), Role: "link", Name: page.Scalar(name)}
		}
	at := func(n page.NodeV3, x, y float64) page.NodeV3 { n.Box = &[4]float64{x, y, 80, 20}; return n }
	for name, tc := range map[string]struct {
		tree []page.NodeV3
		want string // of the second button
	}{
		"names first":      {[]page.NodeV3{link("Ann"), btn("1", "Edit"), btn("2", "Delete"), link("Kim"), btn("3", "Edit"), btn("x", "Delete")}, "Kim"},
		"names last":       {[]page.NodeV3{link("Home"), btn("1", "Edit"), link("Ann"), btn("x", "Edit"), link("Kim")}, ""},
		"by their height":  {[]page.NodeV3{at(btn("1", "Edit"), 0, 0), at(link("Ann"), 90, 0), at(btn("x", "Edit"), 0, 30), at(link("Kim"), 90, 30)}, "Kim"},
		"what is repeated": {[]page.NodeV3{btn("1", "Edit"), btn("x", "Edit")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", Tree: tc.tree})
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := p.ByID("x"); !ok || e.Row != tc.want {
				t.Errorf("row %q, want %q", e.Row, tc.want)
			}
		})
	}
}

// A caption stands before a control that shows its value; an item of the same list, or
// another control, is none.
func TestRead_captionIsNoSibling(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ html, want string }{
		"a label":               {`<label>Community</label><div class=custom-dropdown><div class=dropdown-trigger data-llm-id=x>Technology</div></div>`, "Community"},
		"an item of a list":     {`<div class=dropdown-menu><div class="dropdown-item selected" data-llm-id=a>Finance</div><div class=dropdown-item data-llm-id=x>Healthcare</div></div>`, ""},
		"an item without ids":   {`<div class=select-box><div class="pick-select on">Finance</div><div class=pick-select data-llm-id=x>Healthcare</div></div>`, ""},
		"the menu":              {`<div><div class=dropdown-trigger data-llm-id=a>Technology</div><div class=dropdown-menu data-llm-id=x>All</div></div>`, ""},
		"another drop-down":     {`<div class=select-a data-llm-id=a>Red</div><div class=select-b data-llm-id=x>Large</div>`, ""},
		"a control with a role": {`<div role=button>Red</div><div class=size-select data-llm-id=x>Large</div>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, ok := readPage(t, tt.html).ByID("x"); !ok || e.Caption != tt.want {
				t.Errorf("caption %q, want %q", e.Caption, tt.want)
			}
		})
	}
}

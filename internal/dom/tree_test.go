package dom

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
)

func TestParseState(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]page.State{
		"":                               {},
		"disabled":                       {Disabled: true},
		"Checked, Required":              {Checked: "true", Required: true},
		"expanded focused":               {Expanded: "true", Focused: true},
		"collapsed;haspopup":             {Expanded: "false", HasPopup: true},
		"unchecked|invalid":              {Checked: "false", Invalid: true},
		"checked=false disabled:true":    {Checked: "false", Disabled: true},
		"checked=mixed":                  {Checked: "mixed"},
		"indeterminate":                  {Checked: "mixed"},
		"expanded=false,selected":        {Expanded: "false", Selected: true},
		"readonly secret nonsense":       {Readonly: true, Secret: true},
		"enabled valid required=0":       {},
		"pressed":                        {Checked: "true"},
		"disabled=false, checked : true": {Checked: "true"},
	} {
		if diff := cmp.Diff(want, parseState(s)); diff != "" {
			t.Errorf("%q: %s", s, diff)
		}
	}
}

func TestTreeRole(t *testing.T) {
	t.Parallel()
	for short, want := range map[string]string{
		"btn": "button", "inp": "textbox", "link": "link", "chk": "checkbox", "sel": "combobox", "radio": "radio",
		"menu": "menuitem", "tab": "tab", "opt": "option", "switch": "switch", "slider": "slider", "BTN": "button",
		"textarea": "textbox", "searchbox": "searchbox", "treeitem": "treeitem", "": "generic",
		strings.Repeat("x", 100): "generic",
	} {
		if got := treeRole(short); got != want {
			t.Errorf("%q is %q, want %q", short, got, want)
		}
	}
}

func TestRead_fallsBackToWhatThereIs(t *testing.T) {
	t.Parallel()
	tree := []page.NodeV3{{ID: "1", Role: "btn", Name: "From tree"}}
	nodes := []page.Node{{ID: "1", Role: "button", Name: "From nodes"}}
	const skeleton, dom = `<button id=1>From skeleton</button>`, `<button data-llm-id=1>From dom</button>`
	for name, c := range map[string]struct {
		capture    page.Capture
		want, note string
	}{
		"v3":                      {page.Capture{Mode: page.ModeSemanticV3, Tree: tree, Nodes: nodes, SkeletonDOM: skeleton, DOM: dom}, "From tree", ""},
		"v3 without a tree":       {page.Capture{Mode: page.ModeSemanticV3, Nodes: nodes, DOM: dom}, "From nodes", "interactiveTree was empty: read from semanticNodes"},
		"v3 with a useless tree":  {page.Capture{Mode: page.ModeSemanticV3, Tree: []page.NodeV3{{}}, DOM: dom}, "From dom", "interactiveTree was empty: read from dom"},
		"v3 with only a skeleton": {page.Capture{Mode: page.ModeSemanticV3, SkeletonDOM: skeleton}, "From skeleton", "interactiveTree was empty: read from skeletonDom"},
		"semantic":                {page.Capture{Mode: page.ModeSemantic, Tree: tree, Nodes: nodes, DOM: dom}, "From nodes", ""},
		"skeleton":                {page.Capture{Mode: page.ModeSkeleton, Tree: tree, SkeletonDOM: skeleton, DOM: dom}, "From skeleton", ""},
		"skeleton without one":    {page.Capture{Mode: page.ModeSkeleton, Tree: tree, DOM: dom}, "From dom", "skeletonDom was empty: read from dom"},
		"full":                    {page.Capture{Mode: page.ModeFull, Tree: tree, DOM: dom}, "From dom", ""},
		"full without elements":   {page.Capture{Mode: page.ModeFull, Tree: tree, DOM: "<p>Text"}, "From tree", "dom was empty: read from interactiveTree"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Reader{}.Read(c.capture)
			if err != nil {
				t.Fatal(err)
			}
			if p.Elements[0].Name != c.want || strings.Join(p.Notes, ";") != c.note {
				t.Errorf("got %q, notes %q", p.Elements[0].Name, p.Notes)
			}
		})
	}
}

func TestRead_treeWinsOverStaleHTML(t *testing.T) {
	t.Parallel()
	c := page.Capture{
		DOM: `<input data-llm-id=1 aria-label=Old value=old><input data-llm-id=2 type=checkbox checked aria-label=C>`,
		Tree: []page.NodeV3{
			{ID: "1", Role: "inp", Name: "New", Value: ""},
			{ID: "2", Role: "chk", Name: "C"},
		},
	}
	p, err := Reader{}.Read(c)
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Elements[0]; e.Name != "New" || e.Value != "" {
		t.Errorf("%+v", e)
	}
	if e := p.Elements[1]; e.State.Checked != "false" {
		t.Errorf("a box the tree does not call checked is %q", e.State.Checked)
	}
}

func TestRead_focus(t *testing.T) {
	t.Parallel()
	tree := []page.NodeV3{{ID: "1", Role: "inp", Name: "A", Focused: true}, {ID: "2", Role: "inp", Name: "B"}}
	for name, c := range map[string]struct {
		active page.Scalar
		want   string
	}{
		"as the tree marks it":    {"", "1"},
		"the client's word wins":  {"2", "2"},
		"an element not captured": {"77", "77"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Reader{}.Read(page.Capture{Tree: tree, ActiveElement: c.active})
			if err != nil || p.ActiveElement != c.want {
				t.Fatalf("active %q, %v", p.ActiveElement, err)
			}
			for _, e := range p.Elements {
				if e.State.Focused != (e.ID == c.want) {
					t.Errorf("%s: focused %t", e.ID, e.State.Focused)
				}
			}
		})
	}
}

func TestRead_tooManyNodesAreCutWithANote(t *testing.T) {
	t.Parallel()
	nodes := make([]page.NodeV3, page.MaxTree+1)
	for i := range nodes {
		nodes[i] = page.NodeV3{Role: "btn", Name: "B"}
	}
	p, err := Reader{}.Read(page.Capture{Tree: nodes})
	if err != nil || len(p.Elements) != page.MaxTree || len(p.Notes) != 1 {
		t.Errorf("%d elements, notes %q, %v", len(p.Elements), p.Notes, err)
	}
}

func TestRead_hashesWhatCame(t *testing.T) {
	t.Parallel()
	hash := func(c page.Capture) string {
		p, err := Reader{}.Read(c)
		if err != nil {
			t.Fatal(err)
		}
		return p.DOMHash
	}
	if got := hash(page.Capture{DOM: "abc"}); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("not the SHA-256 of the document: %s", got)
	}
	one := page.Capture{Tree: []page.NodeV3{{ID: "1", Role: "btn", Name: "A"}}}
	two := page.Capture{Tree: []page.NodeV3{{ID: "1", Role: "btn", Name: "B"}}}
	first, again := hash(one), hash(one)
	if first != again || first == hash(two) {
		t.Error("trees are not told apart by their hash")
	}
}

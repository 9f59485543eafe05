package dom

import (
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
)

// A page reads the same whichever Unicode form it is written in; what the client has to
// find again stays as it came.
func TestRead_unicodeForms(t *testing.T) {
	t.Parallel()
	const written = `<title>Zürich</title><h1>Straße nach Zürich</h1><form aria-label="Zürich"><a id=1 href="/zürich">Zürich</a>
		<input id=2 placeholder="Ångström" value="Việt Nam"><select id=3 aria-label="Stadt"><option>Zürich<option>Genève</select></form>
		<div role=alert>Zürich wurde gewählt</div><p>한국어 Zürich</p>`
	read := func(s string, tree []page.NodeV3) page.Page {
		p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", DOM: s, Tree: tree})
		if err != nil {
			t.Fatal(err)
		}
		p.DOMHash = ""
		for i := range p.Elements {
			p.Elements[i].Href = ""
			p.Elements[i].TextFrom, p.Elements[i].TextTo = 0, 0 // in a line that was composed only its beginning is known
			for j := range p.Elements[i].Options {
				p.Elements[i].Options[j].Value = ""
			}
		}
		return p
	}
	if diff := cmp.Diff(read(norm.NFC.String(written), nil), read(norm.NFD.String(written), nil)); diff != "" {
		t.Error(diff)
	}
	tree := func(f norm.Form) []page.NodeV3 {
		return []page.NodeV3{{ID: "1", Role: "link", Name: page.Scalar(f.String("Zürich"))}, {ID: "2", Role: "inp", Name: "x", Value: page.Scalar(f.String("é"))}}
	}
	if diff := cmp.Diff(read("", tree(norm.NFC)), read("", tree(norm.NFD))); diff != "" {
		t.Error(diff)
	}
	p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", DOM: "<button data-llm-id='u\u0308'>u\u0308</button>"})
	if err != nil || p.Elements[0].ID != "u\u0308" || p.Elements[0].Name != "ü" {
		t.Errorf("%+v, %v", p.Elements, err)
	}
}

// Values are compared without the library, by a table that has to know what it knows.
func TestCompare_composesAsPagesAre(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r < 0x20000; r++ {
		if r >= 0xf900 && r < 0xfb00 { // compatibility ideographs, which nobody types
			continue
		}
		apart, joined := "x"+norm.NFD.String(string(r))+"y", "x"+norm.NFC.String(string(r))+"y"
		if apart != joined && value.Compare(apart, joined, page.Element{}) != value.Same {
			t.Errorf("%q and %q (%x) are not the same", apart, joined, r)
		}
	}
}

// What bounds a value, and which options can be chosen, is read with the field.
func TestRead_whatAControlTakes(t *testing.T) {
	t.Parallel()
	p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", DOM: `<label>Volume<input id=1 type=range min=0 max=11 step=0.5></label>
		<select id=2 aria-label=Size><option disabled>Choose<option>M<option value=xl disabled>XL<optgroup label=Old disabled><option>XS</optgroup></select>
		<select id=3 aria-label=Toppings multiple><option selected>Ham<option selected>Egg</select>`})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Elements[0]; e.Min != "0" || e.Max != "11" || e.Step != "0.5" {
		t.Errorf("%+v", e)
	}
	want := []page.Option{{Value: "Choose", Label: "Choose", Disabled: true}, {Value: "M", Label: "M"}, {Value: "xl", Label: "XL", Disabled: true}, {Value: "XS", Label: "XS", Disabled: true}}
	if diff := cmp.Diff(want, p.Elements[1].Options); diff != "" || p.Elements[1].Value != "M" {
		t.Errorf("%q %s", p.Elements[1].Value, diff)
	}
	if e := p.Elements[2]; !e.Multiple || e.Value != "Ham, Egg" {
		t.Errorf("%+v", e)
	}
}

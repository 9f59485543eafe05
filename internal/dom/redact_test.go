package dom

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
)

func TestRedact_html(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"a password": {
			`<p>a<INPUT  Type=Password value="hunter2" id=x ><b>`,
			`<p>a<INPUT  Type=Password value="" id=x ><b>`,
		},
		"single quotes": {`<input type='password' value='hunter2'/>`, `<input type='password' value=''/>`},
		"no quotes":     {`<input value=hunter2 type=password>`, `<input value="" type=password>`},
		"spaces and line breaks": {
			"<input\ntype = password\nvalue\n=\n\"hunter2\">", "<input\ntype = password\nvalue\n=\n\"\">",
		},
		"a second value": {`<input type=password value="hunter2" value="hunter2">`, `<input type=password value="" value="">`},
		"a data attribute that repeats it": {
			`<input type=password value="hunter2" data-was="hunter2" data-n="3">`, `<input type=password value="" data-was="" data-n="3">`,
		},
		"a card number":            {`<input autocomplete="cc-number" value="4111">`, `<input autocomplete="cc-number" value="">`},
		"a one-time code":          {`<input autocomplete=one-time-code value="123456">`, `<input autocomplete=one-time-code value="">`},
		"by its label":             {`<label for=a>PIN</label><input id=a value="1234">`, `<label for=a>PIN</label><input id=a value="">`},
		"by a label with entities": {`<label for="a&amp;b">PIN</label><input id="a&amp;b" value="1234">`, `<label for="a&amp;b">PIN</label><input id="a&amp;b" value="">`},
		"by the text beside it":    {`<div>Card number: <input value="4111"></div>`, `<div>Card number: <input value=""></div>`},
		"a shown password":         {`<input type=text name=userPassword value="hunter2">`, `<input type=text name=userPassword value="">`},
		"a text area":              {`<textarea name=recovery_phrase>one two</TextArea ><p>`, `<textarea name=recovery_phrase></TextArea ><p>`},
		"an open tag":              {`<input type=password value="hunter2`, `<input type=password value="`},
		"in a table, moved by the parser": {
			`<table><input type=password value="hunter2"><tr><td>x</table>`, `<table><input type=password value=""><tr><td>x</table>`,
		},
		"in a comment and a script": {
			`<!--<input type=password value="hunter2">--><script>'<input type=password value="hunter2">'</script>`,
			`<!--<input type=password value="">--><script>'<input type=password value="">'</script>`,
		},
		"an email stays":              {`<input type=email value="a@b.c">`, `<input type=email value="a@b.c">`},
		"a button stays":              {`<input type=submit name=password value="Show password">`, `<input type=submit name=password value="Show password">`},
		"an <inputs> is not an input": {`<inputs type=password value="x">`, `<inputs type=password value="x">`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Reader{}.Redact(page.Capture{DOM: c.in})
			if diff := cmp.Diff(c.want, got.DOM); diff != "" {
				t.Error(diff)
			}
			if skeleton := (Reader{}).Redact(page.Capture{SkeletonDOM: c.in}); skeleton.SkeletonDOM != c.want {
				t.Errorf("as a skeleton: %s", skeleton.SkeletonDOM)
			}
		})
	}
}

func TestRedact_trees(t *testing.T) {
	t.Parallel()
	c := page.Capture{
		DOM: `<input data-llm-id=2 type=password value="hunter2"><input data-llm-id=3 value="open">`,
		Tree: []page.NodeV3{
			{ID: "2", Role: "inp", Name: "Key", Value: "hunter2", State: "focused"},
			{ID: "3", Role: "inp", Name: "Name", Value: "Jas"},
			{ID: "4", Role: "inp", Name: "CVV", Value: "hunter2"},
		},
		Nodes: []page.Node{
			{ID: "2", Role: "textbox", Name: "Key", Value: "hunter2"},
			{ID: "5", Role: "textbox", Name: "Any", Value: "hunter2", Type: "password"},
			{ID: "6", Role: "textbox", Name: "Any", Value: "hunter2", State: "secret"},
		},
	}
	got := Reader{}.Redact(c)
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "hunter2") {
		t.Errorf("the secret is still there: %s", b)
	}
	if got.Tree[1].Value != "Jas" || !strings.Contains(got.DOM, "open") {
		t.Errorf("something else was cut: %s", b)
	}
	if s := parseState(string(got.Tree[0].State)); !s.Secret || !s.Filled {
		t.Errorf("a cut value leaves the state %q", got.Tree[0].State)
	}
	if c.Tree[0].Value != "hunter2" || c.Nodes[0].Value != "hunter2" {
		t.Error("the caller's capture was changed")
	}
}

// A skeleton has no labels and a tree may know more than the document: what one
// carrier calls secret is cut from all.
func TestRedact_aSecretOfOneCarrierIsCutFromAll(t *testing.T) {
	t.Parallel()
	const labelled = `<label for=a>PIN</label><input id=a data-llm-id=1 value="4321">`
	const bare = `<input id=1 name=q value="4321">`
	for name, c := range map[string]page.Capture{
		"the document's label": {Mode: page.ModeHybrid, DOM: labelled, SkeletonDOM: bare},
		"the skeleton's type":  {Mode: page.ModeSkeleton, DOM: `<input data-llm-id=1 value="4321">`, SkeletonDOM: `<input id=1 type=password value="4321">`},
		"the tree's name":      {Tree: []page.NodeV3{{ID: "1", Role: "inp", Name: "Passcode", Value: "4321"}}, DOM: `<input data-llm-id=1 value="4321">`},
		"the list's type":      {Nodes: []page.Node{{ID: "1", Role: "textbox", Type: "password", Value: "4321"}}, DOM: `<input data-llm-id=1 value="4321">`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, redacted, err := Reader{}.ReadRedacted(c)
			if err != nil || !p.Elements[0].State.Secret {
				t.Fatalf("%+v, %v", p.Elements, err)
			}
			stored, err := json.Marshal([]any{redacted, p, p.Before()})
			if err != nil || strings.Contains(string(stored), "4321") {
				t.Errorf("%v: %s", err, stored)
			}
		})
	}
}

func TestRedact_readsAsTheSamePage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"form.in.html", "malformed.in.html", "v3_merge.in.json", "v3_only.in.json", "semantic.in.json", "skeleton.in.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := capture(t, "testdata/"+name)
			want, redacted, err := Reader{}.ReadRedacted(c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Reader{}.Redact(c), redacted); diff != "" {
				t.Error("Redact and ReadRedacted differ:", diff)
			}
			got, err := Reader{}.Read(redacted)
			if err != nil {
				t.Fatal(err)
			}
			got.DOMHash = want.DOMHash
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRedact_ofWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	got := Reader{}.Redact(page.Capture{Mode: "nonsense", DOM: `<input type=password value="hunter2"><input id=a value="Jas">`})
	if strings.Contains(got.DOM, "hunter2") || !strings.Contains(got.DOM, "Jas") {
		t.Error(got.DOM)
	}
}

func TestRead_secretsAreNowhere(t *testing.T) {
	t.Parallel()
	c := page.Capture{
		DOM: `<form><label for=p>Password</label><input id=p data-llm-id=1 type=password value="hunter2" title="x">
			<span id=q>Code</span><input data-llm-id=2 autocomplete=one-time-code aria-labelledby="q p" value="hunter2">
			<textarea data-llm-id=3 name=recovery-phrase>hunter2</textarea></form>`,
	}
	p, err := Reader{}.Read(c)
	if err != nil {
		t.Fatal(err)
	}
	for what, v := range map[string]any{"page": p, "before state": p.Before(), "observations": page.Observe(page.Before{MeaningHash: "x"}, p, page.Witness{})} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "hunter2") {
			t.Errorf("the secret is in the %s: %s", what, b)
		}
	}
	for _, e := range p.Elements {
		if !e.State.Secret {
			t.Errorf("%q is not secret", e.Name)
		}
	}
}

// The value of a field is part of the names around it, of a secret one never,
// whatever makes it secret.
func TestRead_secretsAreInNoName(t *testing.T) {
	t.Parallel()
	for name, field := range map[string]string{
		"type":             `<input id=s type=password value=hunter2>`,
		"attribute":        `<input id=s name=cvv value=hunter2>`,
		"autocomplete":     `<input id=s autocomplete=cc-number value=hunter2>`,
		"title":            `<input id=s title=Passcode value=hunter2>`,
		"data-label":       `<input id=s data-label="API key" value=hunter2>`,
		"label":            `<input id=s value=hunter2><label for=s>Security code</label>`,
		"two labels":       `<input id=s value=hunter2><label for=s>Security</label> <label for=s>code</label>`,
		"references":       `<input id=s value=hunter2 aria-labelledby="p q"><i id=p>Security</i><i id=q>code</i>`,
		"labelled pointer": `<input id=s value=hunter2 aria-labelledby=p><i id=p aria-label=PIN>x</i>`,
		"the text before":  `<p>Card number: <input id=s value=hunter2></p>`,
		"a text area":      `<textarea id=s name=recovery_phrase>hunter2</textarea>`,
		"a number":         `<input id=s type=number name=pin value=hunter2>`,
		"a combo box":      `<input id=s role=combobox name=pin value=hunter2>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, around := range []string{
				`<label for=x>Use %s</label><input id=x>`, `<label>%s<input type=checkbox id=x></label>`,
				`<a href=/ id=x>%s</a>`, `%s<a href=/ id=x aria-labelledby=s>A</a>`, `%s<h2 id=x aria-labelledby="s">B</h2>`,
				`<a href=/ id=x aria-owns=s>C</a>%s`, `<form aria-labelledby=s>%s<button id=x></button></form>`,
				`<ul><li>%s<button id=x>D</button></ul>`, `<h2 id=x>%s</h2>`, `<div role=alert>Wrong %s</div>`,
			} {
				p := read1(t, strings.Replace(around, "%s", field, 1))
				if b, err := json.Marshal(p); err != nil || strings.Contains(string(b), "hunter2") {
					t.Errorf("%s: %v %s", around, err, b)
				}
				doc, tree := parseDocument(t, strings.Replace(around, "%s", field, 1))
				if got := accessibleName(doc, withID(tree, "x")); strings.Contains(got, "hunter2") {
					t.Errorf("%s: named %q", around, got)
				}
			}
		})
	}
}

// checkRedacted parses what redaction left and looks for values in fields that
// are secret.
func checkRedacted(t *testing.T, html string) {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		return // nested too deeply for the parser
	}
	doc.Find(`input[type="password"][value]`).Each(func(_ int, s *goquery.Selection) {
		if v := s.AttrOr("value", ""); v != "" {
			t.Errorf("a password field holds %q in %q", v, html)
		}
	})
}

// redactHTML cuts the secret fields out of a document.
func redactHTML(src string, known, ids map[string]bool) string {
	return cutParts(src, secretFields(src, known, ids, func(string) {}))
}

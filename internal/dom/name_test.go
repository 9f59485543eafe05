package dom

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func TestRead_names(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ html, want string }{
		"labelledby before label":          {`<b id=x>By ref</b><input aria-labelledby=x aria-label=Own>`, "By ref"},
		"aria-label before a label":        {`<label>Wrap <input aria-label=Own></label>`, "Own"},
		"a label after its field":          {`<input id=a><label for=a>Late</label>`, "Late"},
		"two labels":                       {`<label for=a>One</label><label for=a>Two</label><input id=a>`, "One Two"},
		"a label around two fields":        {`<label>Up to <input> items <select><option>5</option></select></label>`, "Up to items 5"},
		"a label for a missing id":         {`<label for=gone>Gone</label> Here <input>`, "Here"},
		"a button's label element":         {`<label for=a>Wipe</label><button id=a></button>`, "Wipe"},
		"value of a button":                {`<input type=button value=Go>`, "Go"},
		"submit without a value":           {`<input type=submit>`, "Submit"},
		"reset without a value":            {`<input type=reset>`, "Reset"},
		"alt of an image button":           {`<input type=image alt=Buy value=x>`, "Buy"},
		"alt inside a link":                {`<a href=/><img alt="Our logo"> Home</a>`, "Our logo Home"},
		"a labelled part inside":           {`<button><i aria-label="Star"></i>Rate</button>`, "Star Rate"},
		"title before placeholder":         {`<input placeholder=P title=T>`, "T"},
		"title of an icon":                 {`<a href=/ title=Top><svg></svg></a>`, "Top"},
		"text before the field":            {`Name: <input>`, "Name:"},
		"text after a check box":           {`Before <input type=checkbox> After`, "After"},
		"text beside a radio button":       {`<input type=radio name=c value=r><span>Red</span>`, "Red"},
		"the cell to the left":             {`<table><tr><td>Age<td><input></table>`, "Age"},
		"not the label of another field":   {`Name <input id=n> <input name=mail>`, "Name"},
		"not across a form":                {`Intro<form><input name=q></form>`, "q"},
		"not a heading":                    {`<div><h2>Big</h2><input name=q></div>`, "q"},
		"not a link":                       {`<a>Help</a><input name=q>`, "q"},
		"not prose":                        {`<p>` + strings.Repeat("prose ", 30) + `</p><input name=q>`, "q"},
		"data-label as a last resort":      {`<input data-label=Data name=n>`, "Data"},
		"no-break spaces":                  {`<button>Capital&nbsp;Federal</button>`, "Capital Federal"},
		"entities":                         {`<button>Terms &amp; conditions</button>`, "Terms & conditions"},
		"an editable keeps its name apart": {`Note <div contenteditable>typed</div>`, "Note"},
		"scripts are no text":              {`<button><script>x()</script>Ok</button>`, "Ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read1(t, c.html)
			if len(p.Elements) == 0 {
				t.Fatal("no element")
			}
			got := p.Elements[0].Name
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRead_aLabelIsForTheFirstElementOfAnID(t *testing.T) {
	t.Parallel()
	p := read1(t, `<label for=a>First</label><input id=a><form><input id=a name=second></form>`)
	if p.Elements[0].Name != "First" || p.Elements[1].Name != "second" {
		t.Errorf("got %q and %q", p.Elements[0].Name, p.Elements[1].Name)
	}
}

func TestRead_groups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ inside, want string }{
		"a labelled form":             {`<form aria-label=Login>%s</form>`, "Login"},
		"a form with a heading":       {`<form><div><h3>Sign in</h3></div>%s</form>`, "Sign in"},
		"a form without either":       {`<form>%s</form>`, ""},
		"a legend in a form":          {`<form aria-label=Order><fieldset><legend>Gift</legend>%s</fieldset></form>`, "Gift"},
		"a fieldset without a legend": {`<form aria-label=Order><fieldset>%s</fieldset></form>`, "Order"},
		"a dialog by reference":       {`<div role=dialog aria-labelledby=t><p id=t>Sure?</p>%s</div>`, "Sure?"},
		"a row by its first text":     {`<table><tr><td> • <td><b>Apple</b><td>%s</table>`, "Apple"},
		"a list item by its heading":  {`<ul><li>New <h4>Lamp</h4>%s</li></ul>`, "Lamp"},
		"a row by role":               {`<div role=row><div role=cell>Pear</div>%s</div>`, "Pear"},
		"hidden text names no row":    {`<table><tr><td hidden>Secret<td>Kiwi<td>%s</table>`, "Kiwi"},
		"a nameless row looks out":    {`<nav aria-label=Main><ul><li>%s</li></ul></nav>`, "Main"},
		"a heading that is a label":   {`<div role=search><h3><label for=q>Find</label></h3><input id=q>%s</div>`, "Find"},
		"a div with a label":          {`<div aria-label=Panel>%s</div>`, "Panel"},
		"a plain div is none":         {`<div><h2>Title</h2>%s</div>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := read1(t, fmt.Sprintf(c.inside, `<button id=b>Go</button>`))
			if e, _ := p.ByID("b"); e.Group != c.want {
				t.Errorf("got %q, want %q", e.Group, c.want)
			}
		})
	}
}

func TestLooksNamed(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"save-button": true, "email": true, "del-1": true, "address_line_2": true,
		"": false, ":r1:": false, "ember1234": false, "12": false, "a": false, "radix-7f3a9c21": false,
		"react-select-2-input": true, "550e8400-e29b-41d4-a716-446655440000": false, "two words": false,
		strings.Repeat("x", 300): false,
	} {
		if got := looksNamed(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

func TestRead_ids(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<button data-llm-id=1 data-id=2 id=c>`:              "1",
		`<button data-id=2 id=c>`:                            "2",
		`<button id=c>`:                                      "c",
		`<button name=c>`:                                    "",
		"<button id='a\nb'>":                                 "",
		`<button id="` + strings.Repeat("x", maxID+1) + `">`: "",
	} {
		if got := read1(t, html).Elements[0].ID; got != want {
			t.Errorf("%s: %q, want %q", html, got, want)
		}
	}
}

// A control that shows nothing is called by what stands in its row: the first line of the
// text before it, if it is the only control there.
func TestRead_namesBeside(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		html, want string
		guessed    bool
	}{
		"a switch after its label":      {`<div><span>Status changes</span><div class="toggle-switch" data-llm-id=x></div></div>`, "Status changes", false},
		"a setting with a description":  {`<div><div><div>Changelogs</div><div>Receive updates about new features.</div></div><div class="toggle-switch active" data-llm-id=x></div></div>`, "Changelogs", false},
		"a button without words":        {`<div><div>Theme</div><div><b role=button data-llm-id=x></b></div></div>`, "Theme", true},
		"the text is another control's": {`<div><a href=/a data-llm-id=a>Profile</a><button data-llm-id=x></button></div>`, "", false},
		"of another row":                {`<table><tr><th>Fruit<tr><td><button data-llm-id=x></button><td>Apple</table>`, "", false},
		"by its author's word":          {`<div><span>Report</span><button class="trash-icon" data-llm-id=x></button></div>`, "trash", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, ok := readPage(t, tt.html).ByID("x"); !ok || e.Name != tt.want || e.NameGuessed != tt.guessed {
				t.Errorf("it is called %q, guessed %v, want %q, %v", e.Name, e.NameGuessed, tt.want, tt.guessed)
			}
		})
	}
}

// A tree that calls a drawn switch a button does not know its state; the document does.
func TestRead_switchOfATree(t *testing.T) {
	t.Parallel()
	read := func(class string) page.Page {
		p, err := Reader{}.Read(page.Capture{
			URL: "https://a.test/", Mode: page.ModeSemanticV3, DOM: `<div><span>Mentions</span><div class="toggle-switch ` + class + `" data-llm-id=1></div></div>`,
			Tree: []page.NodeV3{{ID: "1", Role: "btn"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	off, on := read(""), read("active")
	if e := on.Elements[0]; e.Role != "switch" || e.Name != "Mentions" || e.State.Checked != "true" {
		t.Errorf("it is a %s %q, checked %q", e.Role, e.Name, e.State.Checked)
	}
	diff := page.Diff(off.Skeleton(), on.Skeleton())
	if len(diff) != 1 || diff[0].Attr != page.AttrChecked || diff[0].To != "true" {
		t.Errorf("a click changes %v", diff)
	}
}

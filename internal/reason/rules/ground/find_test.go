package ground_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/rulestest"
)

// ref is a reference to something of that kind and name, either of which may be "".
func ref(kind, name string, with ...func(*instruction.Reference)) instruction.Reference {
	r := instruction.Reference{Kind: kind, Noun: kind, Name: instruction.Literal{Text: name}}
	for _, f := range with {
		f(&r)
	}
	return r
}

// where adds a relation.
func where(is, kind, name string) func(*instruction.Reference) {
	return func(r *instruction.Reference) {
		r.Where = append(r.Where, instruction.Relation{Is: is, To: ref(kind, name)})
	}
}

// has adds an attribute.
func has(property, value string) func(*instruction.Reference) {
	return func(r *instruction.Reference) {
		r.With = append(r.With, instruction.Attribute{Property: property, Value: value})
	}
}

// at sets the position, and how many are meant from there; 0 is not said.
func at(position, number int) func(*instruction.Reference) {
	return func(r *instruction.Reference) { r.Position, r.Number = position, number }
}

// of sets the quantity.
func of(q instruction.Quantity) func(*instruction.Reference) {
	return func(r *instruction.Reference) { r.Quantity = q }
}

// except adds an exception.
func except(x instruction.Reference) func(*instruction.Reference) {
	return func(r *instruction.Reference) { r.Except = append(r.Except, x) }
}

// a noun that no grammar knows.
func thing(noun string, with ...func(*instruction.Reference)) instruction.Reference {
	r := ref(instruction.Thing, "", with...)
	r.Noun = noun
	return r
}

// read reads a page as a client would send it.
func read(t testing.TB, html string) page.Page {
	t.Helper()
	p, err := dom.Reader{}.Read(page.Capture{URL: "https://site.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ids(list []page.Element) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.ID
	}
	return strings.Join(out, " ")
}

// sought is a reference on a page, and the ids of what it means there.
type sought struct {
	html string
	need ground.Need
	what instruction.Reference
	want string
}

func finds(t *testing.T, cases map[string]sought) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ground.On(read(t, tc.html)).Find(tc.what, tc.need)
			if got := ids(f.Meant); got != tc.want {
				t.Errorf("%s means %q, not %q; candidates:", tc.what, got, tc.want)
				for _, c := range f.All {
					t.Logf("%.3f %s %s: %v", c.Score, c.Element.ID, page.Describe(c.Element), c.Why)
				}
			}
		})
	}
}

const people = `<title>People</title><h1>People</h1><table>
	<tr><td>Ada<td><button id=1>Edit</button><button id=2>Remove</button></tr>
	<tr><td>Kim<td><button id=3>Edit</button><button id=4 disabled>Remove</button></tr>
	<tr><td>Mia<td><button id=5>Edit</button><button id=6>Remove</button></tr></table>`

func TestFind_ByName(t *testing.T) {
	t.Parallel()
	finds(t, map[string]sought{
		"the same text before other words": {`<button id=1>Save draft</button><button id=2>Save</button>`, ground.ToClick, ref("", "save"), "2"},
		"the same words in another form":   {`<button id=1>Log-in</button><button id=2>Log out</button>`, ground.ToClick, ref("", "log in"), "1"},
		"words among others":               {`<button id=1>Save all changes</button><button id=2>Close</button>`, ground.ToClick, ref("", "save changes"), "1"},
		"fewer other words":                {`<button id=1>Save and close the window</button><button id=2>Save draft</button>`, ground.ToClick, ref("", "save"), "2"},
		"no part of a word":                {`<button id=1>Previews</button>`, ground.ToClick, ref("", "prev"), ""},
		"a caption":                        {`<div><span>Language</span><button id=1 aria-haspopup=listbox>English</button></div><button id=2>Save</button>`, ground.ToSet, ref("", "language"), "1"},
		"a hint":                           {`<button id=1 class="btn remove-medication"></button><button id=2 class="btn remove-allergy"></button>`, ground.ToClick, ref("", "remove allergy"), "2"},
		"a title":                          {`<button id=1 title="Remove medication">Remove</button><button id=2 title="Remove allergy">Remove</button>`, ground.ToClick, ref("", "remove allergy"), "2"},
		"a placeholder":                    {`<input id=1 placeholder="First name"><input id=2 placeholder="Last name">`, ground.ToFill, ref("", "last name"), "2"},
		"the rest in the row":              {people, ground.ToClick, ref("", "edit Kim"), "3"},
		"a sign":                           {`<button id=1>×</button><button id=2>Save</button>`, ground.ToClick, ref("", "x"), "1"},
		"a word for a sign":                {`<button id=1>›</button><button id=2>‹</button>`, ground.ToClick, ref("", "next"), "1"},
		"the noun is a part of the name":   {`<button id=1>Rows</button><button id=2>Add row</button>`, ground.ToClick, ref("row", "add"), "2"},
		"another name":                     {`<button id=1>Cancel</button>`, ground.ToClick, ref("", "save"), ""},
		"a noun nobody knows":              {`<label for=1>Nickname</label><input id=1><label for=2>Town</label><input id=2>`, ground.ToFill, thing("town"), "2"},
		"nothing was said":                 {`<button id=1>Save</button>`, ground.ToClick, instruction.Reference{}, ""},
	})
}

func TestFind_ByKind(t *testing.T) {
	t.Parallel()
	const all = `<a id=1 href="/a">Docs</a><button id=2>Docs</button><label><input id=3 type=checkbox>Docs</label>
		<label><input id=4 type=radio name=r>Docs</label><label for=5>Docs</label><input id=5><label for=6>Docs</label><select id=6><option>a</select>
		<label for=7>Docs</label><input id=7 type=range><div role=switch id=8 aria-checked=false>Docs</div><button role=tab id=9>Docs</button>`
	finds(t, map[string]sought{
		"a link":                  {all, ground.ToClick, ref("link", "docs"), "1"},
		"a button":                {all, ground.ToClick, ref("button", "docs"), "2"},
		"a checkbox":              {all, ground.ToTick, ref("checkbox", "docs"), "3"},
		"a radio button":          {all, ground.ToTick, ref("radio", "docs"), "4"},
		"a text field":            {all, ground.ToFill, ref("text-field", "docs"), "5"},
		"a list":                  {all, ground.ToSet, ref("list", "docs"), "6"},
		"a slider":                {all, ground.ToSet, ref("slider", "docs"), "7"},
		"a tab":                   {all, ground.ToClick, ref("tab", "docs"), "9"},
		"a switch":                {`<label><input id=1 type=radio>Docs</label><div role=switch id=2 aria-checked=false>Docs</div>`, ground.ToTick, ref("switch", "docs"), "2"},
		"the only one":            {`<button id=1>Docs</button><label><input id=2 type=checkbox>Terms</label>`, ground.ToTick, ref("checkbox", ""), "2"},
		"what may be called so":   {`<a id=1 href="/a">Docs</a>`, ground.ToClick, ref("button", "docs"), "1"},
		"what is never called so": {`<label><input id=1 type=checkbox>Docs</label>`, ground.ToClick, ref("button", "docs"), ""},
		"a drawn switch":          {`<p>Sounds <span class="switch active" data-llm-id=1></span></p>`, ground.ToTick, ref("switch", "sounds"), "1"},
		"one of two kinds":        {`<div role=treeitem id=1>Plans</div><input id=2 aria-label=Plans>`, ground.ToClick, ref("folder", "plans", func(r *instruction.Reference) { r.Or = "file" }), "1"},
		"a field that looks up":   {`<input id=1 type=search aria-label="Find a name"><label for=2>Your name</label><input id=2>`, ground.ToFill, ref("", "name"), "2"},
	})
}

func TestFind_ByPlace(t *testing.T) {
	t.Parallel()
	const sections = `<h2>Billing</h2><p>Cards and so on</p><button id=1>Change</button><h2>Delivery</h2><p>Where to</p><button id=2>Change</button>`
	const dialog = `<button id=1>Save</button><div role=dialog><h2>Rename</h2><button id=2>Save</button></div>`
	finds(t, map[string]sought{
		"in a row":           {people, ground.ToClick, ref("", "edit", where("in", "row", "Mia")), "5"},
		"of a thing":         {people, ground.ToClick, ref("button", "edit", where("of", "", "Ada")), "1"},
		"in no row there is": {people, ground.ToClick, ref("", "edit", where("in", "row", "Tom")), ""},
		"the place in a place": {people, ground.ToClick, ref("", "edit", func(r *instruction.Reference) {
			r.Where = []instruction.Relation{{Is: "in", To: ref("row", "", where("of", "", "Kim"))}}
		}), "3"},
		"under a heading":                {sections, ground.ToClick, ref("", "change", where("under", "heading", "Delivery")), "2"},
		"in a section":                   {sections, ground.ToClick, ref("", "change", where("in", "section", "Billing")), "1"},
		"in the dialog":                  {dialog, ground.ToClick, ref("", "save", where("in", "dialog", "")), "2"},
		"in a dialog of that name":       {dialog, ground.ToClick, ref("", "save", where("in", "dialog", "Rename")), "2"},
		"in a dialog of another name":    {dialog, ground.ToClick, ref("", "save", where("in", "dialog", "Delete")), ""},
		"beside a label":                 {`<p>Phone <button id=1>Add</button></p><p>Address <button id=2>Add</button></p>`, ground.ToClick, ref("", "add", where("beside", "", "Address")), "2"},
		"on the page it is about":        {`<title>Settings</title><h1>Settings</h1><button id=1>Save</button>`, ground.ToClick, ref("", "save", where("in", "", "Settings")), "1"},
		"in the form says nothing":       {`<button id=1>Save</button>`, ground.ToClick, ref("", "save", where("in", "form", "")), "1"},
		"where it stands is also a name": {people, ground.ToClick, ref("", "remove", where("in", "row", "Ada")), "2"},
	})
}

func TestFind_ByAttribute(t *testing.T) {
	t.Parallel()
	const boxes = `<label><input id=1 type=checkbox>One</label><label><input id=2 type=checkbox checked>Two</label><label><input id=3 type=checkbox>Three</label>`
	const shop = `<ul><li>Lamp $30.00 <button id=1>Buy</button></li><li>Chair $7.50 <button id=2>Buy</button></li><li>Desk $199 <button id=3>Buy</button></li></ul>`
	finds(t, map[string]sought{
		"checked":                   {boxes, ground.ToTick, ref("checkbox", "", has("state", "checked")), "2"},
		"unchecked, the first":      {boxes, ground.ToTick, ref("checkbox", "", has("state", "unchecked"), at(1, 0)), "1"},
		"starts with":               {boxes, ground.ToTick, ref("checkbox", "", has("starts", "T"), at(2, 0)), "3"},
		"ends with":                 {boxes, ground.ToTick, ref("checkbox", "", has("ends", "ree")), "3"},
		"contains":                  {boxes, ground.ToTick, ref("", "", has("contains", "wo")), "2"},
		"open":                      {`<button id=1 aria-expanded=true>A</button><button id=2 aria-expanded=false>B</button>`, ground.ToClick, ref("section", "", has("state", "open")), "1"},
		"empty":                     {`<input id=1 aria-label=A value=x><input id=2 aria-label=B>`, ground.ToFill, ref("text-field", "", has("state", "empty")), "2"},
		"required":                  {`<input id=1 aria-label=A><input id=2 aria-label=B required>`, ground.ToFill, ref("field", "", has("state", "required")), "2"},
		"the cheapest":              {shop, ground.ToClick, ref("", "buy", has("most", "cheap")), "2"},
		"the dearest":               {shop, ground.ToClick, ref("", "buy", has("most", "dear")), "3"},
		"the longest":               {`<button id=1>Mon</button><button id=2>Wednesday</button>`, ground.ToClick, ref("button", "", has("most", "long")), "2"},
		"the shortest":              {`<button id=1>Mon</button><button id=2>Wednesday</button>`, ground.ToClick, ref("button", "", has("most", "short")), "1"},
		"the most of nothing known": {boxes, ground.ToTick, ref("checkbox", "", has("most", "cheap")), "1 2 3"},
	})
}

func TestFind_Counts(t *testing.T) {
	t.Parallel()
	const boxes = `<label><input id=1 type=checkbox>One</label><label><input id=2 type=checkbox>Two</label><label><input id=3 type=checkbox>Three</label>`
	const two = `<label><input id=1 type=checkbox>One</label><label><input id=2 type=checkbox>Two</label>`
	const results = `<ul><li><b>Alpha</b> first <a id=1 href="/1">Read</a><a id=2 href="/1#c">Discuss</a></li><li><b>Beta</b> second <a id=3 href="/2">Read</a><a id=4 href="/2#c">Discuss</a></li></ul>`
	finds(t, map[string]sought{
		"the second":                  {boxes, ground.ToTick, ref("checkbox", "", at(2, 0)), "2"},
		"the last":                    {boxes, ground.ToTick, ref("checkbox", "", at(-1, 0)), "3"},
		"the last but one":            {boxes, ground.ToTick, ref("checkbox", "", at(-2, 0)), "2"},
		"the fourth of three":         {boxes, ground.ToTick, ref("checkbox", "", at(4, 0)), ""},
		"the first two":               {boxes, ground.ToTick, ref("checkbox", "", at(1, 2)), "1 2"},
		"the last two":                {boxes, ground.ToTick, ref("checkbox", "", at(-1, 2)), "2 3"},
		"all":                         {boxes, ground.ToTick, ref("checkbox", "", of(instruction.All)), "1 2 3"},
		"both":                        {two, ground.ToTick, ref("checkbox", "", of(instruction.Both)), "1 2"},
		"all except one by name":      {boxes, ground.ToTick, ref("checkbox", "", of(instruction.All), except(ref("", "two"))), "1 3"},
		"all except one by position":  {boxes, ground.ToTick, ref("checkbox", "", of(instruction.All), except(ref("", "", at(1, 0)))), "2 3"},
		"all except the last":         {boxes, ground.ToTick, ref("checkbox", "", of(instruction.All), except(ref("", "", at(-1, 0)))), "1 2"},
		"the plural":                  {boxes, ground.ToTick, ref("checkbox", "", func(r *instruction.Reference) { r.Plural = true }), "1 2 3"},
		"two of three":                {boxes, ground.ToTick, ref("checkbox", "", at(0, 2)), "1 2"},
		"the third of a name":         {people, ground.ToClick, ref("button", "edit", at(3, 0)), "5"},
		"results are counted by row":  {results, ground.ToClick, ref("result", "", at(2, 0)), "3"},
		"of equals all are meant":     {people, ground.ToClick, ref("", "edit"), "1 3 5"},
		"a disabled one is not meant": {people, ground.ToClick, ref("", "remove"), "2 6"},
	})
}

func TestFind_Order(t *testing.T) {
	t.Parallel()
	f := ground.On(read(t, `<button id=1>Doc</button><button id=2>Docs</button>`)).Find(ref("button", "docs", of(instruction.All)), ground.ToClick)
	if ids(f.Meant) != "1 2" {
		t.Errorf("several are meant in the order of the page, not by score: %s", ids(f.Meant))
	}
	if f.All[0].Element.ID != "2" {
		t.Errorf("candidates come best first: %+v", f.All)
	}
	if _, ok := f.One(); ok {
		t.Error("two are not one")
	}
}

func TestFind_ByWhatOnlyTheClientKnows(t *testing.T) {
	t.Parallel()
	box := func(hint string, w, h float64) page.Element {
		return rulestest.Element("button", "Go", func(e *page.Element) { e.Hint, e.Box = hint, &page.Rect{W: w, H: h} })
	}
	p := ground.On(rulestest.Page(rulestest.Home, box("red", 10, 20), box("blue", 30, 20), box("green", 5, 5)))
	for want, r := range map[string]instruction.Reference{
		"10": ref("button", "go", has("colour", "red")),
		"11": ref("button", "go", has("most", "large")),
		"12": ref("button", "go", has("most", "small")),
	} {
		if f := p.Find(r, ground.ToClick); ids(f.Meant) != want {
			t.Errorf("%s means %s, not %s", r, ids(f.Meant), want)
		}
	}
}

func TestFindAmong_LeavesOut(t *testing.T) {
	t.Parallel()
	p := ground.On(read(t, people))
	f := p.FindAmong(ref("", "edit"), ground.ToClick, func(e page.Element) bool { return e.ID != "3" })
	if ids(f.Meant) != "1 5" {
		t.Errorf("meant are %s", ids(f.Meant))
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		r    instruction.Reference
		e    page.Element
		want bool
	}{
		"by name":          {ref("button", "save"), page.Element{ID: "1", Role: "button", Name: "Save"}, true},
		"another name":     {ref("button", "save"), page.Element{ID: "1", Role: "button", Name: "Close"}, false},
		"where is unknown": {ref("", "save", where("in", "row", "Ada")), page.Element{ID: "1", Role: "button", Name: "Save"}, true},
		"nothing was said": {instruction.Reference{}, page.Element{ID: "1", Role: "button", Name: "Save"}, false},
	} {
		if got := ground.Fits(tc.r, tc.e); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIsOn(t *testing.T) {
	t.Parallel()
	p := read(t, `<input id=1 type=checkbox checked aria-label=A><input id=2 type=checkbox aria-label=B>
		<div role=switch id=3 aria-checked=true>C</div><span class="switch active" data-llm-id=4>D</span><span class="switch" data-llm-id=5>E</span><button id=6>F</button>`)
	want := map[string][2]bool{"1": {true, true}, "2": {false, true}, "3": {true, true}, "4": {true, true}, "5": {false, true}, "6": {false, false}}
	for _, e := range p.Elements {
		if on, known := ground.IsOn(e); [2]bool{on, known} != want[e.ID] {
			t.Errorf("%s is on: %v, known: %v", page.Describe(e), on, known)
		}
	}
	if len(p.Elements) != len(want) {
		t.Errorf("the page has %d elements", len(p.Elements))
	}
}

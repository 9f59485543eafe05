package dom

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// Every case names the element with the id x; the names of the groups are the
// steps of the computation.
func TestAccessibleName(t *testing.T) {
	t.Parallel()
	for step, cases := range map[string]map[string]struct{ html, want string }{
		"2A hidden": {
			"a hidden element has none":              {`<button id=x hidden>Go</button>`, ""},
			"nor has one inside a hidden one":        {`<div style="display:none"><button id=x>Go</button></div>`, ""},
			"hidden parts are left out":              {`<button id=x>A<i hidden>B</i><i aria-hidden=true>C</i><i style="visibility:hidden">D</i>E</button>`, "AE"},
			"visibility can be won back":             {`<h2 id=x>A <i style="visibility:hidden">B <b style="visibility:visible">C</b></i></h2>`, "A C"},
			"display cannot":                         {`<h2 id=x>A <i style="display:none">B <b style="display:inline">C</b></i></h2>`, "A"},
			"what a hidden reference holds is read":  {`<i id=r hidden>A <b style="display:none">B</b></i><button id=x aria-labelledby=r>N</button>`, "A B"},
			"what a shown reference hides is not":    {`<i id=r>A <b style="display:none">B</b></i><button id=x aria-labelledby=r>N</button>`, "A"},
			"a reference inside something hidden":    {`<p hidden><i id=r>A <b hidden>B</b></i></p><button id=x aria-labelledby=r>N</button>`, "A B"},
			"a hidden label still labels":            {`<label for=x style="display:none">A</label><input id=x>`, "A"},
			"an empty reference falls to aria-label": {`<i id=r><b hidden>B</b></i><button id=x aria-labelledby=r aria-label=L>N</button>`, "L"},
		},
		"2B aria-labelledby": {
			"joins in the order given":            {`<b id=q>two</b><b id=p>one</b><input id=x aria-labelledby="p q">`, "one two"},
			"skips what is not there":             {`<b id=p>one</b><input id=x aria-labelledby="gone p">`, "one"},
			"names any element":                   {`<b id=p>one</b><div id=x aria-labelledby=p>two</div>`, "one"},
			"may point at itself":                 {`<b id=p>one</b><a href=/ id=x aria-label=Own aria-labelledby="x p"></a>`, "Own one"},
			"at itself by its content":            {`<b id=p>file</b><button id=x aria-labelledby="x p">Delete</button>`, "Delete file"},
			"is not followed twice":               {`<b id=p aria-labelledby=q>one</b><b id=q>two</b><input id=x aria-labelledby=p>`, "one"},
			"but inside of a content it is":       {`<b id=q>two</b><h2 id=x>one <a href=/ aria-labelledby=q>three</a></h2>`, "one two"},
			"what was read is not read again":     {`<h2 id=x><a href=/ aria-labelledby=i>A</a> <a href=/>B <img id=i alt=I></a></h2>`, "I B"},
			"two that point at each other end":    {`<button id=x aria-labelledby=y>A</button><button id=y aria-labelledby=x>B</button>`, "B"},
			"the value of a field pointed at":     {`<input id=r value=seven><img id=x aria-labelledby=r>`, "seven"},
			"never that of a password":            {`<input id=r type=password value=hunter2><img id=x aria-labelledby=r alt=A>`, "A"},
			"nor of a field named as one":         {`<label for=r>PIN</label><input id=r value=1234><img id=x aria-labelledby=r alt=A>`, "A"},
			"nor of one that looks named as one":  {`<p>Card number <input id=r value=4111></p><img id=x aria-labelledby=r alt=A>`, "A"},
			"one's own label does not hold":       {`<label for=x>L</label><b id=p>one</b><input id=x aria-labelledby=p>`, "one"},
			"a duplicate id is the first element": {`<b id=p>one</b><b id=p>two</b><input id=x aria-labelledby=p>`, "one"},
		},
		"2C embedded controls": {
			"a text field":                 {`<label>Every <input value=5> days <input type=checkbox id=c></label><label for=x>at <input value=3>pm</label><input type=radio id=x>`, "at 3 pm"},
			"a text area":                  {`<label for=x>A <textarea>B</textarea></label><input id=x>`, "A B"},
			"an editable box":              {`<label for=x>A <span role=textbox contenteditable>B</span></label><input id=x>`, "A B"},
			"a select by what is chosen":   {`<label for=x>A <select><option>1<option selected>2</select> C</label><input id=x>`, "A 2 C"},
			"a select shows its first":     {`<label for=x>A <select><optgroup><option>1</optgroup><option>2</select></label><input id=x>`, "A 1"},
			"a list may show nothing":      {`<label for=x>A <select size=3><option>1<option>2</select></label><input id=x>`, "A"},
			"a list of many":               {`<label for=x>A <select multiple><option selected>1<option>2<option selected>3</select></label><input id=x>`, "A 1 3"},
			"a list box of its own making": {`<label for=x>A <span role=listbox><i role=option>1</i><i role=option aria-selected=true>2</i></span></label><input id=x>`, "A 2"},
			"a combo box with a list":      {`<label for=x>A <span role=combobox><i role=textbox></i><i role=listbox><i role=option aria-selected=true>1</i></i></span></label><input id=x>`, "A 1"},
			"a combo box that owns it":     {`<label for=x>A <span role=combobox aria-owns=l></span></label><ul id=l role=listbox><li role=option aria-selected=true>1</ul><input id=x>`, "A 1"},
			"a combo box of text":          {`<label for=x>A <span role=combobox>B</span></label><input id=x>`, "A B"},
			"a slider by its words":        {`<label for=x>A <i role=slider aria-valuenow=4 aria-valuetext=Thu></i></label><input id=x>`, "A Thu"},
			"a slider by its number":       {`<label for=x>A <i role=slider aria-valuenow=4>4.0</i></label><input id=x>`, "A 4"},
			"a range":                      {`<label for=x>A <input type=range value=5> B</label><input id=x>`, "A 5 B"},
			"its label does not count":     {`<label for=x>A <input value=5 aria-label=N> B</label><input id=x>`, "A 5 B"},
			"a menu says nothing":          {`<label for=x>A <span role=menu><i role=menuitem>1</i></span> B</label><input id=x>`, "A B"},
			"a button says its name":       {`<label for=x>A <button>B</button></label><input id=x>`, "A B"},
			"a check box says nothing":     {`<h2 id=x>A <input type=checkbox value=on></h2>`, "A"},
			"a secret says nothing":        {`<label for=x>A <input type=password value=hunter2> B</label><input id=x>`, "A B"},
			"nor one the label calls so":   {`<label>PIN <input value=1234> <input id=x type=checkbox></label>`, "PIN"},
			"in a heading":                 {`<h2 id=x>From <input role=combobox value=Rome title=T></h2>`, "From Rome"},
			"not itself":                   {`<label>A <input id=x value=me> B</label>`, "A B"},
		},
		"2D aria-label": {
			"before the label element":    {`<label for=x>L</label><input id=x aria-label=A>`, "A"},
			"before the content":          {`<button id=x aria-label=A>B</button>`, "A"},
			"only space is none":          {"<button id=x aria-label=' \t\n'>B</button>", "B"},
			"on any element":              {`<div id=x aria-label=A>B</div>`, "A"},
			"keeps its no-break spaces":   {`<nav id=x aria-label="A&nbsp;"></nav>`, "A\u00a0"},
			"of a part":                   {`<button id=x>A<i aria-label=B>C</i>D</button>`, "A B D"},
			"of a part without a meaning": {`<button id=x>A <i role=presentation aria-label=B>C</i></button>`, "A B"},
		},
		"2E what HTML gives": {
			"labels in their order":       {`<label for=x>one</label><label><input id=x> two</label><label for=x>three</label>`, "one two three"},
			"the label around first":      {`<label>one <input id=x></label><label for=x>two</label>`, "one two"},
			"another's label":             {`<label for=y>A <input id=x></label>`, ""},
			"a button":                    {`<input id=x type=button value=B>`, "B"},
			"a submit button":             {`<input id=x type=submit>`, "Submit"},
			"a reset button":              {`<input id=x type=reset>`, "Reset"},
			"an image button":             {`<input id=x type=image alt=A title=T>`, "A"},
			"an image button's title":     {`<input id=x type=image title=T>`, "T"},
			"an image button without any": {`<input id=x type=image>`, "Submit"},
			"an image":                    {`<img id=x alt=A title=T>`, "A"},
			"an area of a map":            {`<map><area id=x href=/ alt=A></map>`, "A"},
			"a fieldset":                  {`<fieldset id=x><legend>L</legend>C</fieldset>`, "L"},
			"a table":                     {`<table id=x><caption>C</caption><tr><td>D</table>`, "C"},
			"not an inner table's":        {`<table id=x><tr><td><table><caption>C</caption></table></table>`, ""},
			"a figure":                    {`<figure id=x><img alt=A><figcaption>F</figcaption></figure>`, "F"},
			"a drawing":                   {`<svg id=x><title>T</title><path/></svg>`, "T"},
			"a meter":                     {`<label for=x>L</label><meter id=x>1</meter>`, "L"},
			"an option by its label":      {`<select><option id=x label=L>C</select>`, "L"},
		},
		"2F content": {
			"of a button, link, heading": {`<h2 id=x>A <a href=/>B <button>C</button></a></h2>`, "A B C"},
			"of a summary":               {`<details><summary id=x title=T>S</summary></details>`, "S"},
			"not of a box":               {`<div id=x>A</div>`, ""},
			"not of a group":             {`<div id=x role=group title=T>A</div>`, "T"},
			"not of a field":             {`<div id=x role=textbox>A</div>`, ""},
			"images in it":               {`<a href=/ id=x><img alt=A>B<img alt="" title=C></a>`, "A B C"},
			"not those for decoration":   {`<a href=/ id=x><img alt="" role=presentation title=C>B</a>`, "B"},
			"not scripts":                {`<button id=x>A<script>b()</script><template>C</template></button>`, "A"},
			"a captioned figure in it":   {`<a href=/ id=x><figure>A <figcaption>B</figcaption></figure></a>`, "A B"},
			"what it owns":               {`<button id=x aria-owns=o>A</button><i id=o>B</i>`, "A B"},
			"what owns itself ends":      {`<button id=x aria-owns="o x">A</button><i id=o aria-owns=p>B</i><i id=p aria-owns=o>C</i>`, "A B C"},
			"inline parts are joined":    {`<button id=x><b>a</b><i>b</i>c</button>`, "abc"},
			"blocks are not":             {`<a href=/ id=x>a<div>b</div>c<br>d</a>`, "a b c d"},
			"nor what is styled so":      {`<button id=x><b style="display:block">a</b><b style="display:inline-block">b</b></button>`, "a b"},
			"a block styled inline is":   {`<a href=/ id=x>a<div style="display:inline">b</div></a>`, "ab"},
			"space deep inside":          {`<button id=x>a<b><i> </i></b>b</button>`, "a b"},
			"comments are nothing":       {`<button id=x>a<!-- c -->b</button>`, "ab"},
			"before and after":           {`<style>.s::before{content:"a "}.s:after{content:" z"}</style><button id=x class=s>m</button>`, "a m z"},
		},
		"2G text": {
			"white space is one space":  {"<button id=x> a \n\t b </button>", "a b"},
			"no-break spaces stay":      {`<button id=x>a&nbsp;&nbsp;b</button>`, "a\u00a0\u00a0b"},
			"but not at the ends":       {`<button id=x>&nbsp;a&nbsp;</button>`, "a"},
			"right to left":             {`<button id=x dir=rtl>שלום <b>עולם</b></button>`, "שלום עולם"},
			"emoji":                     {`<button id=x>👍🏽 Like</button>`, "👍🏽 Like"},
			"what shows nothing is out": {"<button id=x>a\u200b\u202eb</button>", "ab"},
		},
		"2I tooltip": {
			"of what says nothing":      {`<a href=/ id=x title=T><img alt=""></a>`, "T"},
			"behind the content":        {`<button id=x title=T>B</button>`, "B"},
			"before the placeholder":    {`<input id=x title=T placeholder=P>`, "T"},
			"the placeholder":           {`<input id=x placeholder=P>`, "P"},
			"of any element":            {`<abbr id=x title=T>A</abbr>`, "T"},
			"of a select":               {`<select id=x title=T><option>O</select>`, "T"},
			"of a part without content": {`<h2 id=x>A <i title=T></i></h2>`, "A T"},
		},
		"shadow trees": {
			"take the place of the content": {`<h2 id=x><b><template shadowrootmode=open>A <slot></slot> C</template>B</b></h2>`, "A B C"},
			"show their own without any":    {`<h2 id=x><b><template shadowrootmode=open>A <slot>D</slot></template></b></h2>`, "A D"},
			"slots have names":              {`<h2 id=x><b><template shadowrootmode=open><slot name=z></slot>-<slot></slot></template>B<i slot=z>Z</i></b></h2>`, "Z-B"},
			"other templates show nothing":  {`<h2 id=x><b><template>A</template>B</b></h2>`, "B"},
		},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			for name, c := range cases {
				doc, tree := parseDocument(t, c.html)
				if got := accessibleName(doc, withID(tree, "x")); got != c.want {
					t.Errorf("%s: got %q, want %q", name, got, c.want)
				}
			}
		})
	}
}

func withID(tree *html.Node, id string) *html.Node {
	for n := range tree.Descendants() {
		if attr(n, "id") == id {
			return n
		}
	}
	return nil
}

// What a label, reference or shadow tree leads to is read once, so that a page
// cannot make a name cost more than its budget.
func TestAccessibleName_isBounded(t *testing.T) {
	t.Parallel()
	var ids, targets strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&ids, "r%d ", i)
		fmt.Fprintf(&targets, `<i id=r%d aria-owns=r%d></i>`, i, (i+1)%2000)
	}
	for name, src := range map[string]string{
		"references":            strings.Repeat(`<button aria-labelledby="`+ids.String()+`"></button>`, 200) + targets.String(),
		"labels of one field":   strings.Repeat(`<label for=a><i></i></label>`, 5000) + `<input id=a>` + strings.Repeat(`<button aria-labelledby=a></button>`, 5000),
		"one text, many names":  `<i id=r>` + strings.Repeat("a ", 200_000) + `</i>` + strings.Repeat(`<button aria-labelledby=r></button>`, 5000),
		"space, many names":     `<i id=r>` + strings.Repeat(" ", 200_000) + `</i>` + strings.Repeat(`<button aria-labelledby=r></button>`, 5000),
		"slots of one name":     `<div><template shadowrootmode=open>` + strings.Repeat(`<slot></slot>`, 3000) + `</template>` + strings.Repeat(`<i>a</i>`, 3000) + `</div>`,
		"rules for every class": `<style>` + strings.Repeat(`.a .b{display:block}`, 3000) + `</style>` + strings.Repeat(`<button class=b><i class=b>x</i></button>`, 3000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, _ := parseDocument(t, src)
			b := newBuilder(doc)
			for _, f := range doc.found {
				b.element(&page.Element{}, &subject{found: f, attrs: readAttrs(f.node)})
			}
			// Once it is used up, a name still asks a few times before it gives up.
			if over := -b.budget; over > 20*len(doc.found) {
				t.Errorf("the budget was overdrawn by %d looks for %d elements", over, len(doc.found))
			}
		})
	}
}

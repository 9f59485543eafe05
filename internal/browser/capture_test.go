package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/internal/demoapp"
	"github.com/stepledger/stepledger/internal/dom"
)

func TestTab_Capture_List(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/")
	c := tab.mustCapture(t)
	if c.Mode != page.ModeSemanticV3 || c.Title != "Patients – Patient registry" || *c.Viewport != (page.Viewport{Width: 1280, Height: 800}) {
		t.Errorf("mode %q, title %q, viewport %v", c.Mode, c.Title, c.Viewport)
	}
	button := node(t, c, "btn", "New patient")
	if button.XY == nil || button.XY[0] < 900 || button.XY[1] < 60 || button.XY[1] > 160 || button.Box[2] < 80 {
		t.Errorf("the button is at %v, box %v", button.XY, button.Box)
	}
	more := node(t, c, "btn", "More")
	if more.State != "collapsed,haspopup" {
		t.Errorf("the menu button's state is %q", more.State)
	}
	node(t, c, "link", "Add patient")
	node(t, c, "inp", "Search patients")
	node(t, c, "link", "Ελένη Παππά")
	for _, n := range c.Tree {
		if n.Name == "Export" {
			t.Error("an entry of the closed menu is in the tree")
		}
		if !strings.Contains(c.DOM, fmt.Sprintf(`data-llm-id="%s"`, n.ID)) {
			t.Errorf("id %s is not in the document", n.ID)
		}
	}
	if strings.Contains(c.DOM, "<script") || !strings.Contains(c.DOM, "eleni.pappa@example.org") {
		t.Errorf("the document is %s", c.DOM)
	}
}

func TestTab_Capture_Form(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/patients/new")
	c := tab.mustCapture(t)
	want := map[string]string{ // role and name -> value / state
		"inp Full name":                          "/required",
		"inp Date of birth":                      "/",
		"combobox Gender":                        "Not stated/",
		"inp Email":                              "/",
		"inp Phone":                              "/",
		"chk The patient agrees to be contacted": "/unchecked",
		"btn Save":                               "/",
		"link Cancel":                            "/",
		"link Patients":                          "/",
		"link Add patient":                       "/",
		"link Patient registry":                  "/",
		"btn More":                               "/collapsed,haspopup",
	}
	got := map[string]string{}
	for _, n := range c.Tree {
		got[n.Role+" "+string(n.Name)] = string(n.Value + "/" + n.State)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if !strings.Contains(c.DOM, "<option selected value>Not stated</option>") && !strings.Contains(c.DOM, "<option value selected>Not stated</option>") {
		t.Errorf("the options are not in the document: %s", c.DOM)
	}
}

func TestTab_Capture_SaysWhatIsTypedButNoSecrets(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<input aria-label=Name><input type=password aria-label=Password value=hunter1>
		<input aria-label=Code autocomplete=one-time-code><textarea aria-label=Note>old</textarea>`)
	c := tab.mustCapture(t)
	tab.does(t, setValue(id(t, c, "inp", "Name"), "Jas <3"))
	tab.does(t, setValue(id(t, c, "inp", "Password"), "hunter2"))
	tab.does(t, setValue(id(t, c, "inp", "Code"), "123456"))
	tab.does(t, setValue(id(t, c, "inp", "Note"), "a & b"))
	for _, capture := range []func() (Capture, error){
		func() (Capture, error) { return tab.Capture(t.Context()) },
		func() (Capture, error) { return tab.CaptureFull(t.Context()) },
	} {
		c, err := capture()
		if err != nil {
			t.Fatal(err)
		}
		if v := node(t, c, "inp", "Name").Value; v != "Jas <3" {
			t.Errorf("the name is %q", v)
		}
		body, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"hunter1", "hunter2", "123456"} {
			if strings.Contains(string(body), secret) {
				t.Errorf("%s left the page: %s", secret, body)
			}
		}
		for _, wanted := range []string{`value="Jas <3"`, `a &amp; b</textarea>`} {
			if !strings.Contains(c.DOM, wanted) {
				t.Errorf("%s is not in %s", wanted, c.DOM)
			}
		}
	}
}

// A field that is secret, or was, gives its value away nowhere: not as text of
// another type, not in a message, not where the page replaced the field.
func TestTab_Capture_SecretFieldsStaySecret(t *testing.T) {
	t.Parallel()
	const held = "Zx81hunter"
	for name, c := range map[string]struct{ page, script string }{
		"a password shown as text":     {`<input id=p type=password value=Zx81hunter>`, `p.type = "text"`},
		"shown by the attribute":       {`<input id=p type=password value=Zx81hunter>`, `p.setAttribute("type", "text")`},
		"replaced by a text field":     {`<div id=d><input name=p type=password value=Zx81hunter></div>`, `d.innerHTML = "<input name=p value=Zx81hunter>"`},
		"replaced, without a name":     {`<div id=d><input aria-label=Key type=password value=Zx81hunter></div>`, `d.innerHTML = "<input aria-label=Key value=Zx81hunter>"`},
		"quoted by a message":          {`<input id=p type=password value=Zx81hunter><div id=d role=alert></div>`, `d.textContent = "Wrong: Zx81hunter"`},
		"quoted in another field":      {`<input id=p type=password value=Zx81hunter><input id=o aria-label=Other>`, `o.value = p.value`},
		"quoted in the title":          {`<input id=p type=password value=Zx81hunter>`, `document.title = "Hello Zx81hunter"`},
		"in the address":               {`<input id=p type=password value=Zx81hunter>`, `history.replaceState(null, "", "?q=Zx81hunter")`},
		"drawn as dots":                {`<input aria-label=Field style="-webkit-text-security:disc" value=Zx81hunter>`, ``},
		"drawn as dots by a style":     {`<style>.x{-webkit-text-security:circle}</style><textarea class=x aria-label=Field>Zx81hunter</textarea>`, ``},
		"dots that were taken away":    {`<input id=p aria-label=Field style="-webkit-text-security:disc" value=Zx81hunter>`, `p.style = ""`},
		"a card number by its name":    {`<input name=cardnumber value=Zx81hunter>`, ``},
		"a card by autocomplete":       {`<input autocomplete="billing cc-number" value=Zx81hunter><input autocomplete=cc-csc value=Zx81hunter>`, ``},
		"a one-time code":              {`<input autocomplete=one-time-code value=Zx81hunter>`, ``},
		"by a label":                   {`<label>Verification code <input value=Zx81hunter></label>`, ``},
		"by a label in another tongue": {`<label for=h>Hasło</label><input id=h value=Zx81hunter>`, ``},
		"by the text before it":        {`<p>Şifre: <input value=Zx81hunter></p>`, ``},
		"by a placeholder":             {`<input placeholder="Access token" value=Zx81hunter>`, ``},
		"a text area":                  {`<textarea aria-label="Seed phrase">Zx81hunter</textarea>`, ``},
		"an editable":                  {`<div contenteditable aria-label=Password>Zx81<b>hunter</b></div>`, ``},
		"a text box by role":           {`<div role=textbox contenteditable aria-label="API key">Zx81hunter</div>`, ``},
		"in a shadow tree":             {`<div id=d></div>`, `d.attachShadow({mode: "open"}).innerHTML = "<input type=password value=Zx81hunter><p>Zx81hunter</p>"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, c.page+`<button>B</button>`)
			tab.mustCapture(t)
			if _, err := tab.Evaluate(t.Context(), c.script+"; true"); err != nil {
				t.Fatal(err)
			}
			for _, capture := range []func(context.Context) (Capture, error){tab.Capture, tab.CaptureFull} {
				got, err := capture(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if body, err := json.Marshal(got); err != nil || strings.Contains(string(body), held) || strings.Contains(string(body), "hunter") {
					t.Errorf("%v: it left the page: %s", err, body)
				}
			}
		})
	}
	tab := openHTML(t, `<input aria-label=Secretary value=Ann99><input aria-label="Passport number" value=C01X0><input name=pincode autocomplete=postal-code value=110001>`)
	if c := tab.mustCapture(t); !strings.Contains(c.DOM, "Ann99") || !strings.Contains(c.DOM, "C01X0") || !strings.Contains(c.DOM, "110001") {
		t.Errorf("what is no secret is kept back: %s", c.DOM)
	}
}

func TestTab_Capture_IDsLast(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<main><button>One</button><button>Two</button></main><button onclick="
		const [one, two] = document.querySelectorAll('main button');
		two.before(Object.assign(document.createElement('button'), {textContent: 'New'}));
		one.removeAttribute('data-llm-id');
		document.querySelector('main').append(two.cloneNode(true));
		document.querySelector('main button:last-child').textContent = 'Clone';
		one.remove(); document.querySelector('main').append(one);
	">Render</button><a href="/next">Next</a>`)
	before := tab.mustCapture(t)
	tab.does(t, click(id(t, before, "btn", "Render")))
	after := tab.mustCapture(t)
	for _, name := range []string{"One", "Two", "Render"} {
		if a, b := id(t, before, "btn", name), id(t, after, "btn", name); a != b {
			t.Errorf("%s was %s and is %s", name, a, b)
		}
	}
	seen := map[page.Scalar]bool{}
	for _, n := range after.Tree {
		if seen[n.ID] {
			t.Errorf("id %s is used twice", n.ID)
		}
		seen[n.ID] = true
	}

	tab.does(t, click(id(t, after, "link", "Next")))
	tab.does(t, action.Action{Name: action.GoBack})
	for _, n := range tab.mustCapture(t).Tree {
		if seen[n.ID] {
			t.Errorf("id %s of the old document is used again for %s", n.ID, n.Name)
		}
	}
}

func TestTab_Capture_SeesShadowTreesAndFrames(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div id=host></div><iframe srcdoc="<button onclick='this.textContent=&quot;Framed!&quot;'>In frame</button>" style="margin:40px"></iframe>
		<script>
			const root = document.getElementById('host').attachShadow({mode: 'open'});
			root.innerHTML = '<button>In shadow</button><slot></slot>';
			root.querySelector('button').onclick = (e) => { e.target.textContent = 'Shadowed!' };
		</script>`)
	c := tab.mustCapture(t)
	inFrame := node(t, c, "btn", "In frame")
	if inFrame.ID[0] != 'f' || inFrame.Frame != "1" {
		t.Errorf("in the frame: id %s, frame %s", inFrame.ID, inFrame.Frame)
	}
	if !strings.Contains(c.DOM, "In shadow</button>") || !strings.Contains(c.DOM, "In frame</button>") {
		t.Errorf("the document is %s", c.DOM)
	}
	for _, name := range []string{"In shadow", "In frame"} {
		if r := tab.does(t, click(id(t, c, "btn", name))); !r.DidDOMMutate {
			t.Errorf("%s: the click was not witnessed", name)
		}
	}
	c = tab.mustCapture(t)
	node(t, c, "btn", "Shadowed!")
	node(t, c, "btn", "Framed!")
}

func TestTab_Capture_WhatIsBelowAndWhatIsCovered(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>body{margin:0}</style><button>Here</button><div style="height:1200px"></div><button>Below</button>
		<div style="height:3000px"></div><button>Far below</button>
		<div style="position:fixed;inset:0 auto auto 0;width:300px;height:300px;background:#fff">Cookies <button style="margin-top:200px">Accept</button></div>`)
	c := tab.mustCapture(t)
	if !node(t, c, "btn", "Here").Occluded {
		t.Error("the covered button is not marked")
	}
	if node(t, c, "btn", "Accept").Occluded {
		t.Error("the button on top is marked")
	}
	if below := node(t, c, "btn", "Below"); below.XY[1] < c.Viewport.Height || below.Occluded {
		t.Errorf("the button below the fold is at %v, occluded %v", below.XY, below.Occluded)
	}
	if strings.Contains(treeText(c), "Far below") || !strings.Contains(c.DOM, "Far below") {
		t.Error("the button far below belongs into the document only")
	}
	if c.ScrollPosition != "0%" {
		t.Errorf("scrolled %s", c.ScrollPosition)
	}
}

func TestTab_Capture_FindsWhatOnlyThePointerGivesAway(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div style="cursor:pointer" id=card><b>Open card</b></div><p>Just text</p>
		<label style="cursor:pointer"><input type=checkbox style="position:absolute;opacity:0">Custom tick</label>
		<input type=radio id=r style="position:absolute;width:1px;height:1px;clip:rect(0,0,0,0)"><label for=r>Custom round</label>
		<a href="#main" style="position:absolute;left:-9999px">Skip</a>`)
	c := tab.mustCapture(t)
	node(t, c, "btn", "Open card")
	tick := node(t, c, "chk", "Custom tick")
	node(t, c, "radio", "Custom round")
	if len(c.Tree) != 3 {
		t.Errorf("tree:\n%s", treeText(c))
	}
	tab.does(t, click(string(tick.ID)))
	if s := node(t, tab.mustCapture(t), "chk", "Custom tick").State; s != "checked" {
		t.Errorf("after a click on its label the checkbox is %q", s)
	}
}

// A row that is clicked as a whole is an element, and so are the controls in it.
func TestTab_Capture_RowsThatHoldControls(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>.row{cursor:pointer;display:flex;width:700px} .star{cursor:pointer}</style>
		<div tabindex=0 onkeydown=""><div id=list></div></div>
		<div style="cursor:pointer"><button>Alone in a box</button></div>
		<table><tr style="cursor:pointer" onclick="document.title='order'"><td>Order 7</td><td><a href="#x">Invoice</a></td></tr></table>
		<script>
			for (const who of ["Ann", "Ben"]) {
				const row = document.createElement("div");
				row.className = "row";
				row.innerHTML = '<input type=checkbox aria-label=Select><span class=star>☆</span><b>' + who + '</b><span>writes of the rain</span><div style="flex:1;text-align:center"><button>Archive</button></div>';
				row.addEventListener("click", (e) => { if (!e.target.closest("input,button,.star")) document.title = who; });
				list.append(row);
			}
		</script>`)
	c := tab.mustCapture(t)
	for _, name := range []string{"Ann writes of the rain", "Ben writes of the rain"} {
		node(t, c, "btn", name)
	}
	count := map[string]int{}
	for _, n := range c.Tree {
		count[string(n.Name)]++
	}
	want := map[string]int{
		"Ann writes of the rain": 1, "Ben writes of the rain": 1, "Select": 2, "☆": 2, "Archive": 2, "Alone in a box": 1, "Order 7": 1, "Invoice": 1,
	}
	for name, n := range want {
		if count[name] != n {
			t.Errorf("%q is listed %d times, want %d", name, count[name], n)
		}
	}
	if len(c.Tree) > 12 { // the list itself is one
		t.Errorf("boxes are listed:\n%s", treeText(c))
	}
	tab.does(t, click(id(t, c, "btn", "Ben writes of the rain")))
	if title := tab.mustCapture(t).Title; title != "Ben" {
		t.Errorf("the row was not hit: %q", title)
	}
}

// What is drawn only under the mouse is listed, marked, and can be clicked; what is
// hidden in another way is not.
func TestTab_Capture_ControlsDrawnOnHover(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>.row{width:400px} .row .edit{opacity:0} .row:hover .edit{opacity:1} .gone{opacity:0}</style>
		<div class=row>Full name <button class=edit title="Edit name" onclick="document.title = getComputedStyle(this).opacity"></button></div>
		<div class=row>Files <span class=edit><button>Attach</button></span></div>
		<button class=gone style="pointer-events:none">Clicks go through</button>
		<button class=gone style="visibility:hidden">Invisible</button>
		<button class=gone style="display:none">Not rendered</button>
		<button class=gone aria-hidden=true>For nobody</button>
		<button class=gone style="width:0;height:0;padding:0;border:0;overflow:hidden">No size</button>
		<button class=gone style="position:absolute;left:-9999px">Beyond the edge</button>
		<a class=gone href="#main" style="position:absolute;top:0;left:0">Skip to content</a>
		<div style="position:relative;width:200px;height:40px"><button class=gone style="position:absolute;inset:0">Under a picture</button><div style="position:absolute;inset:0;background:#ccc"></div></div>
		<div style="position:relative;width:20px;height:20px"><input type=checkbox aria-label=Agree class=gone style="position:absolute;inset:0;width:20px;height:20px;margin:0"><i style="position:absolute;inset:0;background:red;pointer-events:none"></i></div>
		<div style="position:relative;width:90px;height:20px"><b>Upload</b><input type=file aria-label="Your file" class=gone style="position:absolute;inset:0"></div>`)
	c := tab.mustCapture(t)
	states := map[string]string{}
	for _, n := range c.Tree {
		states[string(n.Name)] = string(n.State)
	}
	want := map[string]string{"Edit name": "onhover", "Attach": "onhover", "Agree": "unchecked", "Your file": ""}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("listed, with their states (-want +got):\n%s", diff)
	}
	tab.does(t, click(id(t, c, "btn", "Edit name")))
	tab.does(t, click(id(t, c, "chk", "Agree")))
	c = tab.mustCapture(t)
	if c.Title != "1" {
		t.Errorf("it was clicked while it was not to be seen: %q", c.Title)
	}
	if s := node(t, c, "chk", "Agree").State; s != "checked" {
		t.Errorf("the box behind its drawing is %q", s)
	}
	tab.does(t, action.Action{Name: action.Hover, Target: id(t, c, "btn", "Edit name")})
	if s := node(t, tab.mustCapture(t), "btn", "Edit name").State; s != "" {
		t.Errorf("under the mouse it is %q", s)
	}
}

// Words that a style keeps apart are apart in the document and in names, and letters
// that stand together are not.
func TestTab_Capture_SpacesAPersonSees(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>.flex{display:flex;gap:8px} .badge{background:#ddd;padding:0 6px} .lines span{display:block} .letters span{display:inline-block}</style>
		<div class=flex><span>Inbox</span><span>19</span></div>
		<button>Sent<span class=badge>4</span></button>
		<p>Issue<span class=badge>Work</span><span class=badge>Projects</span>Hey</p>
		<p class=lines><span>Full name</span><span>Alex Morgan</span></p>
		<p><b>H</b>ello <i>wor</i>ld, <span>per</span><span>fect</span></p>
		<p class=letters><span>S</span><span>a</span><span>l</span><span>e</span></p>
		<p style="width:1em"><span>患者</span><span>を追</span><span>加</span></p>
		<table><tr><td>Monday</td><td>12</td></tr></table>`)
	c := tab.mustCapture(t)
	node(t, c, "btn", "Sent 4")
	p, err := dom.Reader{}.Read(c.Capture)
	if err != nil {
		t.Fatal(err)
	}
	want := "Inbox 19\nSent 4\nIssue Work Projects Hey\nFull name\tAlex Morgan\nHello world, perfect\nSale\n患者を追加\nMonday\t12"
	if got := strings.TrimSpace(p.Text); got != want {
		t.Errorf("the text is (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// What lies over the whole page is a dialog, whatever its markup says; what only fills
// the window is not.
func TestTab_Capture_WhatCoversThePage(t *testing.T) {
	t.Parallel()
	const shell = `<style>body{margin:0}</style><div style="position:fixed;inset:0;overflow:auto"><button>Compose</button><p>A mail</p>`
	for name, tt := range map[string]struct{ html, layer string }{
		"a fixed layer with a box in it": {`<section style="position:fixed;inset:0;background:#0008"><div style="margin:200px"><h3>Empty it?</h3><button>Yes</button></div></section>`, "Empty it?"},
		"a shade, and a box over it": {`<i style="position:fixed;inset:0;background:#0008"></i>
			<section style="position:fixed;top:200px;left:300px;width:600px;height:300px;background:#fff"><h3>Empty it?</h3><button>Yes</button></section>`, "Empty it?"},
		"a layer over the body":    {`<section style="position:absolute;inset:0;background:#fff"><h3>Empty it?</h3><button>Yes</button></section>`, "Empty it?"},
		"a dialog element":         {`<dialog id=d><h3>Empty it?</h3><button>Yes</button></dialog><script>d.showModal()</script>`, "Empty it?"},
		"only the frame of a page": {``, ""},
		"a bar over the bottom":    {`<section style="position:fixed;left:0;right:0;bottom:0;height:60px;background:#fff">Cookies? <button>Yes</button></section>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openHTML(t, shell+tt.html+"</div>").mustCapture(t)
			p, err := dom.Reader{}.Read(c.Capture)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Layers) > 0 != (tt.layer != "") || tt.layer != "" && p.Layers[0].Name != tt.layer {
				t.Fatalf("the layers are %+v of %s", p.Layers, c.DOM)
			}
			shown := prompt.Page(p, prompt.View{}).Text
			if want := "dialog \"Empty it?\"\n"; tt.layer != "" && (!strings.Contains(shown, want) || strings.Index(shown, "Yes") > strings.Index(shown, "behind the dialog")) {
				t.Errorf("it is shown as\n%s", shown)
			}
		})
	}
}

// The focus is known wherever it is: on what is listed, and on what is not.
func TestTab_Capture_WhereTheFocusIs(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button>One</button><button style="opacity:0;pointer-events:none">Ghost</button><section tabindex=-1 id=s><h2>Results</h2><p>None</p></section>`)
	before := page.Page{}
	for _, tt := range []struct{ script, line, moved string }{
		{`document.body.focus()`, "", ""},
		{`document.querySelector("button").focus()`, "btn \"One\" s=focused", `Focus moved to button "One"`},
		{`document.querySelectorAll("button")[1].focus()`, "focus: on a btn \"Ghost\" that is not listed", `Focus moved from button "One" to button "Ghost"`},
		{`s.focus()`, "focus: on a region \"Results\" that is not listed", ` to region "Results"`},
	} {
		tab.eval(t, tt.script)
		c := tab.mustCapture(t)
		now, err := dom.Reader{}.Read(c.Capture)
		if err != nil {
			t.Fatal(err)
		}
		if shown := prompt.Page(now, prompt.View{}).Text; !strings.Contains(shown, tt.line) {
			t.Errorf("%s is shown as\n%s", tt.script, shown)
		}
		said := ""
		for _, o := range page.Observe(before.Before(), now, page.Witness{}) {
			if o.Kind == page.FocusMoved {
				said = o.Text
			}
		}
		if !strings.HasSuffix(said, tt.moved) || tt.moved == "" && said != "" {
			t.Errorf("%s: %q", tt.script, said)
		}
		if tt.moved != "" && page.NothingChanged(before.Before(), now, page.Witness{}) {
			t.Errorf("%s: nothing changed", tt.script)
		}
		before = now
	}
}

// What is scrolled by itself is called by its label or heading, not by all that is in it.
func TestTab_Capture_NamesOfRegions(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>main,nav,section{height:200px;overflow:auto} div{height:900px}</style>
		<main><h2>Profile</h2><div>Full name</div></main><section aria-label=Feed><h2>News</h2><div>Items</div></section><nav><div>Inbox</div></nav>`)
	c := tab.mustCapture(t)
	node(t, c, "main", "Profile")
	node(t, c, "region", "Feed")
	node(t, c, "navigation", "")
	p, err := dom.Reader{}.Read(c.Capture)
	if err != nil {
		t.Fatal(err)
	}
	if shown := prompt.Page(p, prompt.View{}).Text; strings.Contains(shown, `navigation "Inbox"`) || !strings.Contains(shown, "t \"Inbox\"") {
		t.Errorf("it is shown as\n%s", shown)
	}
}

func TestTab_Capture_ScrollsContainers(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div role=list aria-label=Feed style="height:200px;overflow:auto"><div style="height:900px">Items</div></div>`)
	c := tab.mustCapture(t)
	feed := node(t, c, "list", "Feed")
	if feed.Scroll == nil || feed.Scroll.Depth != "0%" || !feed.Scroll.More || len(c.Containers) != 1 {
		t.Fatalf("scroll %v, containers %v", feed.Scroll, c.Containers)
	}
	scroll := action.Action{Name: action.Scroll, Target: string(feed.ID)}
	tab.does(t, scroll)
	if got := node(t, tab.mustCapture(t), "list", "Feed").Scroll.Depth; got == "0%" {
		t.Error("the container did not scroll")
	}
	for range 6 {
		if r := tab.mustExecute(t, scroll); r.Status == StatusFailure {
			if r.Error.Code != CodeNothingToScroll {
				t.Error(r.Error)
			}
			return
		}
	}
	t.Error("scrolling past the end still succeeds")
}

func TestTab_Capture_SurvivesBrokenText(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button id=b>x</button><p id=p></p><script>
		document.getElementById('b').textContent = 'Lone \ud800 half';
		document.getElementById('b').setAttribute('title', '\udc00');
		document.getElementById('p').textContent = 'Capital\u00a0Federal \ud83d';
	</script>`)
	c := tab.mustCapture(t)
	node(t, c, "btn", "Lone \ufffd half")
	if !strings.Contains(c.DOM, "Capital\u00a0Federal \ufffd") && !strings.Contains(c.DOM, "Capital Federal \ufffd") {
		t.Errorf("the document is %q", c.DOM)
	}
}

func TestTab_Capture_StaysWithinTheLimits(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<ol></ol><script>
		document.querySelector('ol').innerHTML = '<li><a href="/x">A link of some length</a> and some text that goes on and on</li>'.repeat(7000);
	</script>`)
	c := tab.mustCapture(t)
	if n := len(c.DOM); n > page.MaxDOM || n < page.MaxDOM/2 {
		t.Errorf("the document has %d units, at most %d are taken", n, page.MaxDOM)
	}
	if !strings.HasSuffix(c.DOM, "</ol></body></html>") {
		t.Errorf("the document ends with %q", c.DOM[len(c.DOM)-60:])
	}
}

// That a secret field holds something is told, never what.
func TestTab_Capture_FilledSecret(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<input type=password aria-label=Password><input type=password aria-label=Old value=hunter1>`)
	before := tab.read(t)
	c := tab.mustCapture(t)
	if n := node(t, c, "inp", "Password"); n.State != "secret" {
		t.Errorf("the empty one is %q", n.State)
	}
	if n := node(t, c, "inp", "Old"); n.State != "secret,filled" || n.Value != "" {
		t.Errorf("the filled one is %q, %q", n.State, n.Value)
	}
	tab.does(t, setValue(id(t, c, "inp", "Password"), "hunter2"))
	for _, capture := range []func(context.Context) (Capture, error){tab.Capture, tab.CaptureFull} {
		c, err := capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, redacted, err := dom.Reader{}.ReadRedacted(c.Capture)
		if err != nil {
			t.Fatal(err)
		}
		if stored, err := (dom.Reader{}).Read(redacted); err != nil || stored.MeaningHash != p.MeaningHash {
			t.Errorf("%v: the stored page is another", err)
		}
		if body := fmt.Sprint(c, p); strings.Contains(body, "hunter") {
			t.Errorf("a secret left the page: %s", body)
		}
		if text := prompt.Page(p, prompt.View{}).Text; !strings.Contains(text, `inp "Password"`) || strings.Count(text, "secret,filled") != 2 {
			t.Errorf("%s: shown is\n%s", c.Mode, text)
		}
		if c.Mode != page.ModeSemanticV3 {
			continue
		}
		told := false
		for _, o := range page.Diff(before.Skeleton(), p.Skeleton()) {
			told = told || o.Attr == page.AttrFilled && o.From == "false" && o.To == "true"
		}
		if !told {
			t.Errorf("it is no change: %v", page.Diff(before.Skeleton(), p.Skeleton()))
		}
	}
}

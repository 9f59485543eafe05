package browser

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"

	"github.com/stepledger/stepledger/domain/action"
)

// serveElsewhere serves one document from another site than the page of a test.
func serveElsewhere(t *testing.T, body string) string {
	t.Helper()
	return strings.Replace(serveHTML(t, body), "127.0.0.1", "localhost", 1)
}

// hasText waits for a text in the page, since what a frame reports to it may be under way.
func (t *Tab) hasText(test *testing.T, want string) {
	test.Helper()
	if c := t.mustCapture(test); !strings.Contains(c.DOM, want) {
		test.Fatalf("%q is not in the page:\n%s", want, c.DOM)
	}
}

const form = `<style>body{margin:0}</style><label>Card holder <input onchange="document.getElementById('said').textContent = 'typed ' + this.value"></label>
	<button onclick="document.getElementById('said').textContent = 'paid'">Pay</button>
	<select aria-label="Country" onchange="document.getElementById('said').textContent = 'from ' + this.value"><option>Chad<option>Peru</select>
	<input type="range" aria-label="Share"><p id="said"></p>`

// Given a frame of another site with a border and a padding, which stands far down, when the
// page is captured, then the frame's elements are part of it where they are drawn; when they
// are acted on, then the frame does what a person would have it do.
func TestFrames_OfAnotherSite(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>body{margin:0}</style><button>Top</button><div style="height:900px"></div>
		<iframe title="Payment" src="`+serveElsewhere(t, form)+`" style="width:700px;height:200px;border:7px solid;padding:33px 44px"></iframe><div style="height:2000px"></div>`)
	c := tab.mustCapture(t)
	pay := node(t, c, "btn", "Pay")
	if pay.Frame != "1" || !strings.HasPrefix(string(pay.ID), "f1_") || pay.Occluded {
		t.Errorf("the button is %+v", pay)
	}
	if id(t, c, "btn", "Top") == strings.TrimPrefix(string(pay.ID), "f1_") {
		t.Error("two elements have one number")
	}
	if left, top := pay.Box[0], pay.Box[1]; left < 44+7 || top < 900+7+33 {
		t.Errorf("the button is at %v, %v", left, top)
	}
	if !strings.Contains(c.DOM, `title="Payment"`) || strings.Contains(c.DOM, "data-stepledger-frame") || strings.Count(c.DOM, "<body") != 2 {
		t.Errorf("html:\n%s", c.DOM)
	}
	r := tab.does(t, click(string(pay.ID)))
	if !r.DidDOMMutate || r.DirectMutations == nil || *r.DirectMutations == 0 || r.TargetChanged == nil {
		t.Errorf("the report of the click: %+v", r)
	}
	tab.hasText(t, "paid</p>")
	tab.does(t, setValue(id(t, c, "inp", "Card holder"), "Ada"))
	tab.hasText(t, "typed Ada</p>")
	if c := tab.mustCapture(t); string(c.ActiveElement) != id(t, c, "inp", "Card holder") {
		t.Errorf("the focus is on %q", c.ActiveElement)
	}
	tab.does(t, action.Action{Name: action.Type, Text: "!"})
	tab.does(t, setValue(id(t, c, "combobox", "Country"), "Peru"))
	tab.hasText(t, "from Peru</p>")
	tab.does(t, setValue(id(t, c, "slider", "Share"), "70"))
	now := tab.mustCapture(t)
	if got := node(t, now, "slider", "Share").Value; got != "70" {
		t.Errorf("the slider is at %q", got)
	}
	if got := node(t, now, "inp", "Card holder"); got.Value != "Ada!" || got.ID != node(t, c, "inp", "Card holder").ID {
		t.Errorf("the field is now %+v", got)
	}
}

// Given a frame of one site in a frame of another, both scrolled, when what is out of view in
// the inner one is clicked, then all that is around it is scrolled until it is seen, and the
// click hits it.
func TestFrames_Nested(t *testing.T) {
	t.Parallel()
	inner := serveHTML(t, `<style>body{margin:0}</style><div style="height:180px"></div><button onclick="this.textContent = 'Confirmed'">Confirm</button><div style="height:700px"></div>`)
	middle := serveElsewhere(t, `<style>body{margin:0}</style><button>Middle</button><div style="height:250px"></div>
		<iframe src="`+inner+`" style="width:300px;height:120px;border:3px solid;padding:11px"></iframe><div style="height:500px"></div>`)
	tab := openHTML(t, `<button>Top</button><div style="height:600px"></div><iframe src="`+middle+`" style="width:500px;height:160px;padding:20px;border:5px solid"></iframe><div style="height:900px"></div>`)
	c := tab.mustCapture(t)
	seen := map[string]bool{}
	for _, n := range c.Tree {
		number := string(n.ID)[strings.Index(string(n.ID), "_")+1:]
		if seen[number] {
			t.Errorf("the number of %s is another's", n.ID)
		}
		seen[number] = true
	}
	if a, b, e := node(t, c, "btn", "Top"), node(t, c, "btn", "Middle"), node(t, c, "btn", "Confirm"); a.Frame != "" || b.Frame != "1" || e.Frame != "2" {
		t.Errorf("frames %q, %q, %q", a.Frame, b.Frame, e.Frame)
	}
	tab.does(t, click(id(t, c, "btn", "Confirm")))
	now := tab.mustCapture(t)
	confirmed := node(t, now, "btn", "Confirmed")
	if box := confirmed.Box; confirmed.Occluded || box[1] < 0 || box[1]+box[3] > 800 {
		t.Errorf("it is at %v", box)
	}
}

// Given a sandboxed frame that is no origin of the page's, when its field and button are used,
// then it has the value and the click.
func TestFrames_Sandboxed(t *testing.T) {
	t.Parallel()
	for name, frame := range map[string]string{
		"srcdoc":       fmt.Sprintf(`srcdoc="%s"`, strings.ReplaceAll(form, `"`, "&quot;")),
		"another site": `src="` + serveElsewhere(t, form) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, `<iframe sandbox="allow-scripts" style="width:700px;height:200px;padding:10px" `+frame+`></iframe>`)
			c := tab.mustCapture(t)
			tab.does(t, setValue(id(t, c, "inp", "Card holder"), "Ada"))
			tab.hasText(t, "typed Ada</p>")
			tab.does(t, click(id(t, c, "btn", "Pay")))
			tab.hasText(t, "paid</p>")
		})
	}
}

// Given a layer over a frame, when an element in the frame is clicked, then nothing is done,
// and the refusal says what lies over it.
func TestFrames_Covered(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<iframe src="`+serveElsewhere(t, form)+`" style="width:700px;height:200px"></iframe>
		<div id="layer" style="position:fixed;inset:0;background:#fff">Cookies</div>`)
	c := tab.mustCapture(t)
	pay := node(t, c, "btn", "Pay")
	if !pay.Occluded {
		t.Errorf("the button under the layer: %+v", pay)
	}
	r := tab.fails(t, click(string(pay.ID)), CodeOccluded)
	if !strings.Contains(r.Error.Message, "Cookies") {
		t.Errorf("refused with %q", r.Error.Message)
	}
	tab.eval(t, `document.getElementById("layer").remove()`)
	tab.does(t, click(string(pay.ID)))
	tab.hasText(t, "paid</p>")
}

// Given an element of a frame, when the frame goes or shows another document, then an action
// on it is refused, and the rest of the page is captured as ever.
func TestFrames_Gone(t *testing.T) {
	t.Parallel()
	other := serveElsewhere(t, `<button>Other</button>`)
	tab := openHTML(t, `<button>Top</button><iframe src="`+serveElsewhere(t, form)+`" style="width:700px;height:200px"></iframe>`)
	pay := id(t, tab.mustCapture(t), "btn", "Pay")
	tab.eval(t, `document.querySelector("iframe").src = "`+other+`"`)
	if _, err := tab.WaitStable(t.Context()); err != nil {
		t.Fatal(err)
	}
	tab.fails(t, click(pay), CodeNotFound)
	c := tab.mustCapture(t)
	second := node(t, c, "btn", "Other")
	if second.Frame != "1" || string(second.ID) == pay {
		t.Errorf("in the same frame: %+v", second)
	}
	tab.eval(t, `document.querySelector("iframe").remove()`)
	tab.fails(t, click(string(second.ID)), CodeNotFound)
	if c := tab.mustCapture(t); len(c.Tree) != 1 {
		t.Errorf("what is left:\n%s", treeText(c))
	}
}

// Given frames in another window that a page opens, when the tab goes there, then they are
// part of it.
func TestFrames_InAnOpenedWindow(t *testing.T) {
	t.Parallel()
	popup := serveHTML(t, `<iframe src="`+serveElsewhere(t, form)+`" style="width:700px;height:200px"></iframe>`)
	tab := openHTML(t, `<iframe src="`+serveElsewhere(t, `<button>Near</button>`)+`"></iframe><a href="`+popup+`" target="_blank">Open</a>`)
	c := tab.mustCapture(t)
	near := node(t, c, "btn", "Near")
	tab.does(t, click(id(t, c, "link", "Open")))
	c = tab.mustCapture(t)
	pay := node(t, c, "btn", "Pay")
	if pay.ID == near.ID || pay.Frame == near.Frame {
		t.Errorf("frames of two windows have one number: %+v, %+v", near, pay)
	}
	tab.does(t, click(string(pay.ID)))
	tab.hasText(t, "paid</p>")
}

// Given a text in a frame that only a script makes clickable, when the page is captured, then
// it is an element, as in the page itself.
func TestFrames_WhatScriptsMakeClickable(t *testing.T) {
	t.Parallel()
	const own = `<div><b id=own>Here</b> <i>Prose</i></div><script>own.addEventListener("mousedown", () => 0)</script>`
	tab := openHTML(t, own+`<iframe src="`+serveElsewhere(t, strings.ReplaceAll(own, "Here", "There"))+`"></iframe>`)
	c := tab.mustCapture(t)
	if here, there := node(t, c, "btn", "Here"), node(t, c, "btn", "There"); here.Frame != "" || there.Frame != "1" {
		t.Errorf("frames %q, %q", here.Frame, there.Frame)
	}
}

// Given a frame that draws its button anew, when the old one is clicked, then the new one is.
func TestFrames_Redrawn(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div style="height:300px"></div><iframe src="`+serveElsewhere(t, form+`<script>
		addEventListener("message", () => { const old = document.querySelector("button"); old.replaceWith(old.cloneNode(true)) })</script>`)+`" style="width:700px;height:200px"></iframe>`)
	pay := id(t, tab.mustCapture(t), "btn", "Pay")
	tab.eval(t, `frames[0].postMessage("draw", "*")`)
	if _, err := tab.WaitStable(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := tab.does(t, click(pay)); !strings.HasPrefix(r.RecoveredID, "f1_") || r.RecoveredID == pay {
		t.Errorf("in place of %s: %q", pay, r.RecoveredID)
	}
	tab.hasText(t, "paid</p>")
}

// Given a field for a file in a frame, and a button that asks for one, when a file is uploaded
// to either, then the frame has it.
func TestFrames_Upload(t *testing.T) {
	t.Parallel()
	src := serveElsewhere(t, `<input type=file aria-label=Field onchange="say(this.files)"><button onclick="const f = document.createElement('input'); f.type = 'file'; f.onchange = () => say(f.files); f.click()">Button</button>
		<p id="said"></p><script>const say = (files) => { document.getElementById("said").textContent += files[0].name + ";" }</script>`)
	tab := openHTML(t, `<iframe src="`+src+`" style="width:700px;height:200px;padding:30px"></iframe>`)
	tab.allow("report.pdf", "old.pdf")
	c := tab.mustCapture(t)
	field := ""
	for _, n := range c.Tree {
		if strings.Contains(string(n.Name), "Field") {
			field = string(n.ID)
		}
	}
	tab.does(t, upload(field, "report.pdf"))
	tab.does(t, upload(id(t, c, "btn", "Button"), "old.pdf"))
	tab.hasText(t, "report.pdf;old.pdf;</p>")
}

// Given elements far from what is on screen, in a frame and in one that it reaches into, when
// the whole document is captured, then they can be acted on, also after another capture.
func TestFrames_FullDOM(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<iframe src="`+serveElsewhere(t, `<p id="said"></p><div style="height:3000px"></div><button onclick="said.textContent += 'imprint '">Imprint</button>
		<iframe srcdoc="<button onclick='parent.said.textContent += &quot;deep &quot;'>Deep</button>"></iframe>`)+`" style="width:700px;height:200px"></iframe>`)
	c, err := tab.CaptureFull(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, name := range []string{"Imprint", "Deep"} {
		found := regexp.MustCompile(`data-llm-id="([^"]*)"[^<]*>` + name + `<`).FindStringSubmatch(c.DOM)
		if found == nil {
			t.Fatalf("%s has no id:\n%s", name, c.DOM)
		}
		ids[name] = found[1]
	}
	tab.does(t, click(ids["Imprint"]))
	tab.mustCapture(t)
	tab.does(t, click(ids["Deep"]))
	tab.hasText(t, "imprint deep </p>")
}

// Given frames with more text than a capture may have, when the page is captured, then what
// is written of all of them together keeps to the limit.
func TestFrames_ShareTheLimit(t *testing.T) {
	t.Parallel()
	long := serveElsewhere(t, "<p>"+strings.Repeat("word ", 1000)+"</p>")
	tab := openHTML(t, `<iframe src="`+long+`"></iframe><iframe src="`+long+`"></iframe><button>Top</button>`)
	raw, err := tab.readPage(t.Context(), false, 6000)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(raw.HTML, "word"); n < 1000 || len(raw.HTML) > 6000 {
		t.Errorf("%d words in %d bytes", n, len(raw.HTML))
	}
}

func TestFrameSet(t *testing.T) {
	t.Parallel()
	var s frameSet
	for _, f := range []childFrame{{"a", "top"}, {"b", "a"}, {"c", "b"}, {"d", "top"}, {"b", "a"}} {
		s.attached(f.id, f.parent)
	}
	is := func(want ...cdp.FrameID) {
		t.Helper()
		var got []cdp.FrameID
		for _, f := range s.all() {
			got = append(got, f.id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("frames %v, want %v", got, want)
		}
	}
	is("a", "b", "c", "d")
	s.navigated("b")
	is("a", "b", "d")
	s.detached("a")
	is("d")
	if s.has("b") || !s.has("d") {
		t.Error("has")
	}
	s.navigated("top")
	is()
}

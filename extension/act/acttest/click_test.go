package acttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// watchAll logs every event of mouse and focus with its fields. When the browser notices
// that something else is under a mouse that rests depends on its frames, and so do the
// buttons it tells then.
const watchAll = `<script>
	for (const type of ["pointerover", "pointermove", "pointerdown", "pointerup", "pointerout", "mouseover", "mousemove", "mousedown", "mouseup", "mouseout",
		"click", "dblclick", "focus", "blur", "focusin", "focusout", "change", "input", "submit"]) addEventListener(type, tell, true)
	for (const el of document.querySelectorAll("*")) for (const type of ["pointerenter", "pointerleave", "mouseenter", "mouseleave"]) el.addEventListener(type, tell)
	function tell(e) {
		log(e.type, nameOf(e.target), "->", e.relatedTarget === undefined ? "" : nameOf(e.relatedTarget), "phase", e.eventPhase, e.bubbles, e.cancelable, e.composed,
			"detail", e.detail, "button", /over|out|enter|leave/.test(e.type) ? "" : e.button + " " + e.buttons, "at", Math.round(e.clientX), Math.round(e.clientY), Math.round(e.pageX), "pointer", e.pointerType, e.pointerId, e.isPrimary, e.width, e.constructor.name,
			e.view === window)
	}
</script>`

// real clicks what a capture names, by the real mouse of the other client.
func (o *opened) real(role, name string) {
	o.Helper()
	c, err := o.tab.Capture(o.Context())
	if err != nil {
		o.Fatal(err)
	}
	for _, n := range c.Tree {
		if n.Role == role && string(n.Name) == name {
			r, err := o.tab.Execute(o.Context(), action.Action{Name: action.Click, Target: string(n.ID)})
			if err != nil || r.Error != nil {
				o.Fatal(err, r.Error)
			}
			return
		}
	}
	o.Fatalf("there is no %s %q in %+v", role, name, c.Tree)
}

func TestClick_LooksLikeOneOfARealMouse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, selector, role, name string }{
		"a button":                         {`<div id=box><button id=save><b id=bold>Save</b></button></div>`, "#save", "btn", "Save"},
		"a field":                          {`<label id=label>Name <input id=name></label>`, "#name", "inp", "Name"},
		"a prevented press moves no focus": {`<input id=a><script>a.focus()</script><button id=save onmousedown="event.preventDefault()">Save</button>`, "#save", "btn", "Save"},
		"a prevented pointer has no mouse": {`<button id=save onpointerdown="event.preventDefault()">Save</button>`, "#save", "btn", "Save"},
		"a check box in a label":           {`<label id=label style="display: block"><input type=checkbox id=box> <i>Agree</i></label>`, "#box", "chk", "Agree"},
		"what the press removes":           {`<div id=list><button id=save onmousedown="this.remove()">Save</button></div>`, "#save", "btn", "Save"},
		"what the press covers":            {`<div id=list><button id=save onmousedown="shade.style.display = 'block'">Save</button></div><div id=shade style="display: none; position: fixed; inset: 0"></div>`, "#save", "btn", "Save"},
		"nothing takes the focus":          {`<input id=a><script>a.focus()</script><div id=card onclick="1" style="cursor: pointer">Card</div>`, "#card", "btn", "Card"},
		"an element of a shadow tree":      {`<div id=host></div><script>host.attachShadow({mode: "open"}).innerHTML = "<button id=save>Save</button>"</script>`, "#save", "btn", "Save"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body+watchAll)
			o.real(tt.role, tt.name)
			want, focus := o.asks("saw.join('\\n')"), o.asks("nameOf(document.activeElement)")
			o.again()
			o.must("click", tt.selector)
			got := o.asks("saw.join('\\n')")
			if want == "" || got != want {
				t.Errorf("the page saw\n%s\nand of a real mouse\n%s", diff(got, want), want)
			}
			o.is("nameOf(document.activeElement)", focus)
		})
	}
}

// diff marks the lines that are not at the same place of the other text.
func diff(got, want string) string {
	w := strings.Split(want, "\n")
	lines := strings.Split(got, "\n")
	for i, line := range lines {
		if i >= len(w) || w[i] != line {
			lines[i] = "! " + line
		}
	}
	return strings.Join(lines, "\n")
}

func TestClick_ActivatesWhatABrowserActivates(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, selector, expression, want string }{
		"a check box by itself":                {`<input type=checkbox id=a>`, "#a", "a.checked", "true"},
		"a check box by its label":             {`<input type=checkbox id=a style="position: absolute; opacity: 0; pointer-events: none"><label id=l for=a>Agree</label>`, "#a", "a.checked", "true"},
		"a check box under its label":          {`<div style="position: relative"><input type=checkbox id=a><label for=a style="position: absolute; inset: 0; z-index: 1"></label></div>`, "#a", "a.checked", "true"},
		"a radio button":                       {`<input type=radio name=r checked><input type=radio name=r id=a>`, "#a", "a.checked", "true"},
		"a summary":                            {`<details id=d><summary id=a>More</summary>text</details>`, "#a", "d.open", "true"},
		"a reset button":                       {`<form><input id=f value=x><button type=reset id=a>Reset</button></form><script>f.value = "y"</script>`, "#a", "f.value", "x"},
		"an option of a list":                  {`<select size=3 id=s onchange="log('change', s.value)"><option>a<option id=a>b</select>`, "#a", "saw + s.value", "change bb"},
		"a button in a frame":                  {`<iframe style="margin: 30px; border: 7px solid; padding: 11px" srcdoc="<button id=a onclick=&quot;parent.log('inner', event.clientX < 100)&quot;>Inner</button>"></iframe>`, "#a", "saw + ''", "inner true"},
		"a button in a frame in a frame":       {`<iframe style="padding: 9px" srcdoc="<iframe style='padding: 13px' srcdoc='<button id=a onclick=&amp;quot;top.log(1)&amp;quot;>Inner</button>'></iframe>"></iframe>`, "#a", "saw + ''", "1"},
		"the ninth in a box that scrolls":      {`<div style="width: 300px; overflow-x: auto; white-space: nowrap">` + buttons(10) + `</div>`, "#b9", "saw + ''", "b9"},
		"the ninth in a box that scrolls down": {`<div style="width: 300px; height: 60px; overflow-y: auto">` + buttons(10) + `</div>`, "#b9", "saw + ''", "b9"},
		"the ninth in two boxes that scroll":   {`<div style="height: 200px; overflow: auto"><p style="height: 500px"></p><div style="width: 300px; overflow-x: auto; white-space: nowrap">` + buttons(10) + `</div></div>`, "#b9", "saw + ''", "b9"},
		"what is far below":                    {`<p style="height: 5000px"></p><button id=a onclick="log('a')">Imprint</button>`, "#a", "saw + ''", "a"},
		"what an overlay uncovers":             {`<button id=a onclick="log('a')">Save</button><div id=o style="position: fixed; inset: 0"></div><script>setTimeout(() => o.remove(), 350)</script>`, "#a", "saw + ''", "a"},
		"an area of an image":                  {`<p style="height: 900px"></p><map name=m><area id=a href="#there" shape=rect coords="100,50,200,90"></map><img usemap="#m" width=300 height=100 src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">`, "#a", "location.hash", "#there"},
		"what a button has in it":              {`<button id=a onclick="log('a')"><svg width=20 height=20><rect width=20 height=20 /></svg></button>`, "#a", "saw + ''", "a"},
		"a link of which the text wraps":       {`<p style="width: 60px">aaaa <a id=a href="#x">bb cccccc</a></p>`, "#a", "location.hash", "#x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body)
			o.must("click", tt.selector)
			o.is(tt.expression, tt.want)
		})
	}
}

// buttons are some in a row, which log their ids.
func buttons(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `<button id=b%d style="width: 120px; height: 40px" onclick="log(this.id)">%[1]d</button>`, i)
	}
	return b.String()
}

func TestClick_FollowsLinksAndSubmitsForms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"a link":                 {`<a id=a href=/there>There</a>`, "/there"},
		"a submit button":        {`<form action=/sent><input name=q value=1><button id=a>Send</button></form>`, "/sent?q=1"},
		"a picture that submits": {`<form action=/sent><input id=a type=image alt=Send width=20 height=10></form>`, "/sent?x="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body)
			o.must("click", "#a")
			if _, err := o.tab.WaitStable(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := o.asks("location.pathname + location.search"); !strings.HasPrefix(got, tt.want) {
				t.Errorf("the page is %s, want %s", got, tt.want)
			}
		})
	}
}

func TestClick_IsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, code, named string }{
		"what is covered":             {`<button id=a onclick="log('a')">Save</button><div style="position: fixed; inset: 0"><h1>Sale</h1></div>`, "ELEMENT_OCCLUDED", "Sale"},
		"what is covered in a frame":  {`<iframe srcdoc="<button id=a onclick=&quot;parent.log('a')&quot;>Inner</button>"></iframe><div style="position: fixed; inset: 0">Cookies</div>`, "ELEMENT_OCCLUDED", "Cookies"},
		"what is hidden":              {`<button id=a onclick="log('a')" style="visibility: hidden">Save</button>`, "ELEMENT_NOT_VISIBLE", "button"},
		"what is not drawn":           {`<div hidden><button id=a onclick="log('a')">Save</button></div>`, "ELEMENT_NOT_VISIBLE", "button"},
		"what is disabled":            {`<button id=a disabled onclick="log('a')">Save</button>`, "ELEMENT_DISABLED", "Save"},
		"what is said to be disabled": {`<div role=button tabindex=0 id=a aria-disabled=true onclick="log('a')">Save</div>`, "ELEMENT_DISABLED", "Save"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body)
			o.refuses(tt.code, tt.named, "click", "#a")
			o.saw()
			if r := o.does("hover", "#a"); r.code() != tt.code {
				t.Errorf("hover: %+v", r)
			}
		})
	}
}

func TestClick_OnWhatIsGoneOrHasBecomeAnother(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=a onclick="log('a')">Save</button>`)
	var r result
	if err := o.act(&r, `actor.perform({token: "x", action: {name: "click", target: "77", text: "", to: "", seconds: 0}})`); err != nil || r.code() != "ELEMENT_NOT_FOUND" {
		t.Errorf("%+v, %v", r, err)
	}
	expecting := func(token, role, name string) result {
		var r result
		if err := o.act(&r, fmt.Sprintf(`actor.perform({token: %q, action: %s, expect: {role: %q, name: %q}})`, token, written("click", "#a"), role, name)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := expecting("y", "button", "Delete"); r.code() != "ELEMENT_NOT_FOUND" {
		t.Errorf("a button of another name: %+v", r)
	}
	o.saw()
	if r := expecting("z", "button", "Save"); !r.Done {
		t.Errorf("the button: %+v", r)
	}
	o.saw("a")
}

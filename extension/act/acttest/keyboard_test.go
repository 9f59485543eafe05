package acttest

import (
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// watchKeys logs every event of the keyboard with its fields, and what comes of it.
const watchKeys = `<script>
	for (const type of ["keydown", "keypress", "keyup", "beforeinput", "input", "change", "click", "submit", "focus", "blur", "cancel", "close"]) {
		addEventListener(type, (e) => log(type, nameOf(e.target), e.bubbles, e.cancelable, e.composed, e.key, e.code, e.keyCode, e.charCode, e.which, e.location,
			e.ctrlKey, e.shiftKey, e.altKey, e.metaKey, e.inputType, e.data, e.target.value), true)
	}
	addEventListener("submit", (e) => e.preventDefault())
</script>`

func TestPress_LooksLikeAKeyOfARealKeyboard(t *testing.T) {
	t.Parallel()
	const field = `<form><input id=a value=abc><button id=send>Send</button></form><script>a.focus(); a.setSelectionRange(1, 1)</script>`
	for name, tt := range map[string]struct{ body, key string }{
		"a letter":                     {field, "x"},
		"a capital":                    {field, "X"},
		"a digit":                      {field, "7"},
		"a mark":                       {field, "."},
		"a shifted mark":               {field, "?"},
		"a space":                      {field, "Space"},
		"Enter submits by the button":  {field, "Enter"},
		"Backspace":                    {field, "Backspace"},
		"Delete":                       {field, "Delete"},
		"Home":                         {field, "Home"},
		"ArrowRight":                   {field, "ArrowRight"},
		"F5 does nothing to a field":   {field, "F2"},
		"Tab goes on":                  {field, "Tab"},
		"Enter on a button":            {`<button id=a>B</button><script>a.focus()</script>`, "Enter"},
		"Space on a button":            {`<button id=a>B</button><script>a.focus()</script>`, "Space"},
		"Space on a check box":         {`<input type=checkbox id=a><script>a.focus()</script>`, "Space"},
		"Enter on a link":              {`<a id=a href="#x">L</a><script>a.focus()</script>`, "Enter"},
		"Enter in a text area":         {`<textarea id=a>x</textarea><script>a.focus()</script>`, "Enter"},
		"Enter with two fields":        {`<form><input id=a><input id=b></form><script>a.focus()</script>`, "Enter"},
		"Enter with one field":         {`<form><input id=a></form><script>a.focus()</script>`, "Enter"},
		"Enter with a disabled button": {`<form><input id=a><button disabled>S</button></form><script>a.focus()</script>`, "Enter"},
		"ArrowUp on a number":          {`<input type=number id=a value=3><script>a.focus()</script>`, "ArrowUp"},
		"ArrowRight on a range":        {`<input type=range id=a value=3><script>a.focus()</script>`, "ArrowRight"},
		"ArrowDown on radio buttons":   {`<input type=radio name=r id=a checked><input type=radio name=r id=b><script>a.focus()</script>`, "ArrowDown"},
		"ArrowDown on a list":          {`<select id=a size=3><option selected>1<option>2</select><script>a.focus()</script>`, "ArrowDown"},
		"Escape on a popover":          {`<div popover id=d>x</div><script>d.showPopover()</script>`, "Escape"},
		"a prevented press":            {field + `<script>a.onkeypress = () => false</script>`, "x"},
		"nothing has the focus":        {`<p>x`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body+watchKeys)
			state := func() string {
				return o.asks("[...saw, '', document.activeElement.id, document.activeElement.value, document.activeElement.selectionStart, document.querySelector('dialog')?.open, document.querySelector('[popover]:popover-open') !== null, location.hash].join('\\n')")
			}
			r, err := o.tab.Execute(t.Context(), action.Action{Name: action.Press, Text: tt.key})
			if err != nil || r.Error != nil {
				t.Fatal(err, r.Error)
			}
			want := state()
			o.again()
			o.must("press", tt.key)
			if got := state(); got != want {
				t.Errorf("the page saw\n%s\nand of a real keyboard\n%s", diff(got, want), want)
			}
		})
	}
}

func TestPress_ClosesWhatEscapeCloses(t *testing.T) {
	t.Parallel()
	o := page(t, `<dialog id=d oncancel="log('cancel')" onclose="log('close')"><input id=a></dialog><div popover id=p>x</div><script>d.showModal(); p.showPopover()</script>`)
	o.must("press", "Escape")
	o.is("d.open + ' ' + p.matches(':popover-open')", "true false")
	o.must("press", "Escape")
	o.saw("cancel", "close")
	o.show(`<dialog id=d oncancel="event.preventDefault()"><input id=a></dialog><script>d.showModal()</script>`)
	o.must("press", "Escape")
	o.is("d.open", "true")
	o.show(`<dialog id=d open><input id=a></dialog><script>a.focus()</script>`)
	o.must("press", "Escape")
	o.is("d.open", "true")
}

// A key that the page takes for itself does nothing else.
func TestPress_OfAPreventedKey(t *testing.T) {
	t.Parallel()
	o := page(t, `<form onsubmit="event.preventDefault(); log('submit')"><input id=a onkeydown="event.preventDefault(); log(event.key)"></form><button id=b onkeydown="event.preventDefault()" onclick="log('click')">B</button><script>a.focus()</script>`)
	for _, key := range []string{"x", "Enter", "Tab", "Backspace"} {
		o.must("press", key)
	}
	o.is("a.value + document.activeElement.id", "a")
	o.asks("b.focus(), 1")
	o.must("press", "Space")
	o.saw("x", "Enter", "Tab", "Backspace")
}

func TestPress_Combinations(t *testing.T) {
	t.Parallel()
	o := page(t, `<input id=a value="one two">`+watchKeys+`<script>a.focus(); saw.length = 0</script>`)
	o.must("press", "Control+a")
	o.is("a.selectionStart + ' ' + a.selectionEnd", "0 7")
	o.is("saw.map((line) => line.split(' ').slice(0, 2).join(' ') + line.match(/(true|false) (true|false) (true|false) (true|false)  /)).join('|')",
		"keydown atrue false false false  ,true,false,false,false|keydown atrue false false false  ,true,false,false,false|keyup atrue false false false  ,true,false,false,false|keyup afalse false false false  ,false,false,false,false")
	o.must("press", "Delete")
	o.is("a.value", "")
	o.must("press", "Control+z")
	o.is("a.value", "one two")
	o.asks("a.setSelectionRange(7, 7), 1")
	o.must("press", "Control+Backspace")
	o.is("a.value", "one ")
	o.must("press", "Shift+Home")
	o.is("a.selectionStart + ' ' + a.selectionEnd", "0 4")
	for _, none := range []string{"", "enter", "Control+", "Hyper+a", "ab"} {
		o.refuses("INVALID_ACTION", "no key", "press", none)
	}
}

func TestPress_TabGoesInOrder(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=last>1</button><button id=first tabindex=1>2</button><button disabled>no</button><button tabindex=-1>no</button><button style="display: none">no</button>
		<div id=host></div><input type=radio name=r id=r1><input type=radio name=r id=r2 checked><iframe srcdoc="<input id=inner>"></iframe><a id=link href="#">x</a>
		<script>host.attachShadow({mode: "open"}).innerHTML = "<button id=s2>s</button><button id=s1 tabindex=1>s</button>"
		const focused = () => { let e = document.activeElement; while (true) { const i = e.shadowRoot?.activeElement ?? e.contentDocument?.activeElement; if (!i) return e.id; e = i } }</script>`)
	want := []string{"first", "last", "s1", "s2", "r2", "inner", "link", "first"}
	for _, id := range want {
		o.must("press", "Tab")
		o.is("focused()", id)
	}
	o.must("press", "Shift+Tab")
	o.is("focused()", "link")
}

func TestPress_ScrollsWhereNothingElseTakesTheKey(t *testing.T) {
	t.Parallel()
	o := page(t, `<p style="height: 4000px">x</p>`)
	for _, tt := range []struct{ key, want string }{{"PageDown", "720"}, {"ArrowDown", "760"}, {"End", "3264"}, {"Home", "0"}, {"Space", "720"}, {"Shift+Space", "0"}} {
		o.must("press", tt.key)
		if got := o.asks("String(Math.round(scrollY))"); got != tt.want && tt.key != "End" || got == "0" && tt.key == "End" {
			t.Errorf("after %s the page is at %s, want %s", tt.key, got, tt.want)
		}
	}
	o.show(`<div id=box style="height: 100px; overflow: auto" tabindex=0><p style="height: 900px">x</p></div><p style="height: 4000px">x</p><script>box.focus()</script>`)
	o.must("press", "ArrowDown")
	o.is("box.scrollTop + ' ' + scrollY", "40 0")
}

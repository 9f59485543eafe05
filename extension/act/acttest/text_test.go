package acttest

import (
	"strings"
	"testing"
)

// logged are handlers that log what a field is told.
const logged = ` onkeydown="log('keydown', event.key)" onkeypress="log('keypress', event.key)" onkeyup="log('keyup', event.key)" onbeforeinput="log('beforeinput', event.inputType, event.data)" oninput="log('input', this.value ?? this.innerText, event.isTrusted)" onchange="log('change')" onfocus="log('focus')"`

func TestSetValue_TypesOverWhatIsThere(t *testing.T) {
	t.Parallel()
	o := page(t, `<input id=a value=old`+logged+`>`)
	o.must("setValue", "#a", "Jas Ü")
	want := []string{"focus"}
	typed := ""
	for _, c := range "Jas Ü" {
		typed += string(c)
		want = append(want, "keydown "+string(c), "keypress "+string(c), "beforeinput insertText "+string(c), "input "+typed+" true", "keyup "+string(c))
	}
	o.saw(append(want, "change")...)
	o.is("a.value", "Jas Ü")
	o.must("setValue", "#a", "")
	o.is("a.value", "")
}

// Long texts and several lines are put in at once.
func TestSetValue_PutsInAtOnceWhatIsLong(t *testing.T) {
	t.Parallel()
	o := page(t, `<input id=a onkeydown="log('key')"><textarea id=b onkeydown="log('key')"></textarea>`)
	keys := func(id, text, want string) {
		t.Helper()
		o.must("setValue", "#"+id, text)
		o.is("saw.splice(0).length + ' ' + "+id+".value.length", want)
	}
	keys("a", strings.Repeat("ä", 100), "100 100")
	keys("a", strings.Repeat("ä", 101), "1 101")
	keys("b", "one\ntwo", "1 7")
}

// Keys go where the page leads them, and not to its shortcuts.
func TestSetValue_FollowsTheFocusWhileItTypes(t *testing.T) {
	t.Parallel()
	o := page(t, `<input id=a oninput="if (a.value.length === 2) b.focus()"><input id=b>`)
	if r := o.must("setValue", "#a", "1234"); r.ActualState != "12" {
		t.Errorf("the actual state is %q", r.ActualState)
	}
	o.is("a.value + ' ' + b.value", "12 34")
	o.show(`<input id=a oninput="a.blur()"><script>document.onkeydown = (e) => log(e.key)</script>`)
	if r := o.must("setValue", "#a", "xyz"); r.ActualState != "x" {
		t.Errorf("the actual state is %q", r.ActualState)
	}
	o.saw("x")
}

// What only hears keys gets those of the value.
func TestSetValue_PressesKeysOnWhatHearsKeys(t *testing.T) {
	t.Parallel()
	const hears = ` tabindex=0 style="width: 100px; height: 40px" onkeydown="log('keydown', event.key)" onkeypress="log('keypress', event.key)"`
	o := page(t, "")
	for _, role := range []string{"textbox", "searchbox", "spinbutton"} {
		o.show(`<div id=a role=` + role + hears + `></div>`)
		if r := o.must("setValue", "#a", "42"); r.ActualState != "" {
			t.Errorf("%s: the actual state is %q", role, r.ActualState)
		}
		o.saw("keydown 4", "keypress 4", "keydown 2", "keypress 2")
		o.refuses("VALUE_REFUSED", "emptied", "setValue", "#a", "")
	}
	const number = `<div id=a role=spinbutton tabindex=0 aria-label=Year aria-valuenow=2024>2024</div><script>
		a.onkeydown = (e) => { a.ariaValueNow = Number(a.ariaValueNow) + ({ArrowUp: 1, ArrowDown: -1}[e.key] ?? 0) }</script>`
	o.show(number)
	o.must("setValue", "#a", "2019")
	o.is("a.ariaValueNow", "2019")
}

func TestSetValue_IntoEveryKindOfField(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, text, expression, want, actual string }{
		"a text area with lines":        {`<textarea id=a>old</textarea>`, "one\ntwo", "a.value", "one\ntwo", ""},
		"a number":                      {`<input type=number id=a>`, "12.5", "a.value", "12.5", ""},
		"an address":                    {`<input type=email id=a value=x>`, "a@b.org", "a.value", "a@b.org", ""},
		"a date":                        {`<input type=date id=a onchange="log('change')">`, "1990-05-31", "a.value + saw", "1990-05-31change", ""},
		"a time":                        {`<input type=time id=a>`, "08:30", "a.value", "08:30", ""},
		"a colour":                      {`<input type=color id=a>`, "#ff0000", "a.value", "#ff0000", ""},
		"a range, which it corrects":    {`<input type=range id=a min=0 max=10 oninput="log(a.value)">`, "99", "saw + ''", "10", "10"},
		"editable text":                 {`<div id=a contenteditable>old <b>bold</b></div>`, "new", "a.innerText", "new", ""},
		"editable text with lines":      {`<div id=a contenteditable>old</div>`, "one\ntwo", "a.innerText.replace(/\\n+/g, '|')", "one|two", ""},
		"a field that makes it capital": {`<input id=a oninput="a.value = a.value.toUpperCase()">`, "jas", "a.value", "JAS", "JAS"},
		"a field of a framework":        {`<input id=a><script>let state = ""; a.addEventListener("input", () => { state = a.value }); Object.defineProperty(a, "value", {get() { return Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").get.call(this) }, set() {}})</script>`, "x", "state + a.value", "xx", ""},
		"a field that wants keys":       {`<input id=a onbeforeinput="if (event.data?.length > 1) event.preventDefault()">`, "abc", "a.value", "abc", ""},
		"a field that takes keys alone": {`<input id=a onbeforeinput="event.preventDefault()" onkeypress="a.value += event.key">`, "abc", "a.value", "abc", ""},
		"a field in a shadow tree":      {`<div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = "<input id=a>"</script>`, "x", "h.shadowRoot.querySelector('input').value", "x", ""},
		"a field in a frame":            {`<iframe srcdoc="<input id=a>"></iframe>`, "x", "frames[0].document.querySelector('input').value", "x", ""},
		"an option by its text":         {`<select id=a onchange="log('change')"><option>One<option>Two</select>`, "two", "a.value + saw", "Twochange", "Two"},
		"several options":               {`<select id=a multiple onchange="log('change')"><option>One<option>Two<option>Three</select>`, "One\nThree", "[...a.selectedOptions].map((x) => x.value) + saw", "One,Threechange", "One, Three"},
		"a check box":                   {`<input type=checkbox id=a>`, "true", "a.checked", "true", ""},
		"a check box that is ticked":    {`<input type=checkbox id=a checked onclick="log('click')">`, "yes", "a.checked + saw.join()", "true", ""},
		"a switch":                      {`<button role=switch aria-checked=false id=a onclick="this.setAttribute('aria-checked', 'true')">S</button>`, "on", "a.ariaChecked", "true", ""},
		"a slider with keys":            {slider, "37", "a.ariaValueNow", "37", ""},
		"a slider of big steps":         {strings.Replace(slider, "step = 1", "step = 10", 1), "37", "a.ariaValueNow", "40", "40"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body)
			r := o.must("setValue", "#a", tt.text)
			o.is(tt.expression, tt.want)
			if r.ActualState != tt.actual {
				t.Errorf("the actual state is %q, want %q", r.ActualState, tt.actual)
			}
		})
	}
}

// A closed shadow tree is as good as an open one: for the focus, for Tab, and for the mouse.
func TestClosedShadowTrees_TakeTheFocus(t *testing.T) {
	t.Parallel()
	o := page(t, `<script>
		customElements.define("my-box", class extends HTMLElement {
			constructor() { super(); window.root = this.attachShadow({mode: "closed", delegatesFocus: true}); root.innerHTML = "<input id=a><p id=p>Name</p><input id=b>" }
		})</script><my-box></my-box><button id=c>C</button>`)
	var adopted bool
	if err := o.act(&adopted, `(() => { const box = document.querySelector("my-box"); stepledger.adopt(box, box.attachInternals().shadowRoot); return true })()`); err != nil {
		t.Fatal(err)
	}
	has := "root.activeElement?.id ?? document.activeElement.id"
	o.must("setValue", "#a", "Jas")
	o.is("root.querySelector('input').value + ' ' + root.activeElement.id", "Jas a")
	for _, id := range []string{"b", "c", "a"} {
		o.must("press", "Tab")
		o.is(has, id)
	}
	o.must("click", "#c")
	o.must("click", "#p")
	o.is(has, "a")
}

const slider = `<div id=a role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100 aria-valuenow=50 style="width: 100px; height: 20px; background: red"></div>
	<script>const step = 1; a.onkeydown = (e) => {
		const d = {ArrowRight: step, ArrowLeft: -step}[e.key] ?? 0
		setTimeout(() => a.setAttribute("aria-valuenow", Number(a.ariaValueNow) + d))
	}</script>`

func TestSetValue_IsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, text, code, named string }{
		"what is read-only":             {`<input id=a readonly aria-label=Name>`, "x", "ELEMENT_NOT_EDITABLE", "read-only"},
		"what is disabled":              {`<input id=a disabled aria-label=Name>`, "x", "ELEMENT_DISABLED", "Name"},
		"what takes no text":            {`<button id=a>Save</button>`, "x", "ELEMENT_NOT_EDITABLE", "takes no text"},
		"text in a number":              {`<input type=number id=a aria-label=Age>`, "abc", "VALUE_REFUSED", "Age"},
		"a day that is none":            {`<input type=date id=a aria-label=Born>`, "31.5.1990", "VALUE_REFUSED", "Born"},
		"an option that is not there":   {`<select id=a aria-label=Pick><option>One<option>Two</select>`, "Three", "OPTION_NOT_FOUND", "One, Two"},
		"one of several options":        {`<select id=a multiple><option>One<option>Two</select>`, "One\nThree", "OPTION_NOT_FOUND", "One, Two"},
		"a word that is no tick":        {`<input type=checkbox id=a aria-label=Agree>`, "perhaps", "VALUE_REFUSED", "true or false"},
		"clearing a radio button":       {`<input type=radio id=a checked aria-label=One>`, "false", "VALUE_REFUSED", "another"},
		"a field that empties itself":   {`<input id=a aria-label=Name oninput="a.value = ''">`, "x", "VALUE_REFUSED", "Name"},
		"a slider beyond its end":       {slider, "370", "VALUE_REFUSED", "0 to 100"},
		"what is hidden":                {`<input id=a aria-label=Name style="display: none">`, "x", "ELEMENT_NOT_VISIBLE", "Name"},
		"what takes no focus, and text": {`<div id=a role=textbox aria-label=Name>x</div>`, "x", "ELEMENT_NOT_EDITABLE", "Name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body)
			o.refuses(tt.code, tt.named, "setValue", "#a", tt.text)
		})
	}
}

// codeBoxes are six boxes for a code, with a script of the page around them.
func codeBoxes(script string) string {
	return `<form id=f>` + strings.Repeat(`<input maxlength=1 inputmode=numeric style="width: 20px">`, 6) + `</form><script>
		const boxes = [...document.querySelectorAll("input")]; boxes[0].id = "a"
		const code = () => boxes.map((b) => b.value).join("")` + script + `</script>`
}

func TestSetValue_SpreadsACodeOverItsBoxes(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"the page moves the focus":          `; boxes.forEach((b, i) => b.oninput = () => boxes[i + 1]?.focus())`,
		"the page moves the focus by keyup": `; boxes.forEach((b, i) => b.onkeyup = () => b.value && boxes[i + 1]?.focus())`,
		"the page moves it a moment later":  `; boxes.forEach((b, i) => b.oninput = () => setTimeout(() => boxes[i + 1]?.focus(), 5))`,
		"the page does nothing":             ``,
		"the page sets the boxes itself":    `; boxes.forEach((b, i) => b.onkeydown = (e) => { e.preventDefault(); b.value = e.key; boxes[i + 1]?.focus() })`,
		"there is an old code":              `; boxes.forEach((b) => b.value = "0")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, codeBoxes(script))
			o.must("setValue", "#a", "482913")
			o.is("code()", "482913")
		})
	}
}

func TestType_IntoWhatHasTheFocus(t *testing.T) {
	t.Parallel()
	o := page(t, `<input id=a value=ab`+logged+`><button id=b>B</button>`)
	o.refuses("ELEMENT_NOT_EDITABLE", "nothing that takes text", "type", "x")
	o.asks("a.focus(), a.setSelectionRange(1, 1), saw.length = 0")
	o.must("type", "xy")
	o.is("a.value", "axyb")
	o.saw("keydown x", "keypress x", "beforeinput insertText x", "input axb true", "keyup x", "keydown y", "keypress y", "beforeinput insertText y", "input axyb true", "keyup y")
	o.show(`<form onsubmit="event.preventDefault(); log('submit', a.value)"><input id=a></form>`)
	o.asks("a.focus(), 1")
	o.must("type", "q\n")
	o.saw("submit q")
}

// What is typed into a secret field is nowhere but in it.
func TestSecrets_StayInTheirFields(t *testing.T) {
	t.Parallel()
	const secret = "Tr0ub4dor-hunter2"
	for name, body := range map[string]string{
		"a password":                       `<input type=password id=a aria-label=Password>`,
		"a password that the page changes": `<input type=password id=a aria-label=Password oninput="a.value = a.value + '!'">`,
		"one that is refused":              `<input type=password id=a aria-label=Password oninput="a.value = ''">`,
		"one that cannot be written":       `<input type=password id=a readonly aria-label=Password>`,
		"one that throws":                  `<input type=password id=a aria-label=Password oninput="throw new Error(a.value)">`,
		"a wrong field":                    `<input type=checkbox id=a aria-label=Agree>`,
		"a wrong list":                     `<select id=a><option>One</select>`,
		"a wrong slider":                   slider,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, body)
			var kept string
			err := o.act(&kept, `(async () => {
				const said = []
				for (const name of ["log", "error", "warn", "info", "debug"]) console[name] = (...all) => said.push(...all.map(String))
				const result = await actor.perform({token: "t", action: `+written("setValue", "#a", secret)+`})
				return JSON.stringify([result, actor.performed("t"), said])
			})()`)
			if err != nil || strings.Contains(kept, secret) || strings.Contains(kept, secret[:8]) {
				t.Errorf("kept: %s, %v", kept, err)
			}
		})
	}
}

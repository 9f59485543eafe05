package browser

import (
	"encoding/json"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// hears is the text of the page's output afterwards.
func (t *Tab) hears(test *testing.T) string {
	test.Helper()
	value, err := t.Evaluate(test.Context(), `document.querySelector('output').textContent`)
	if err != nil {
		test.Fatal(err)
	}
	var said string
	if err := json.Unmarshal(value, &said); err != nil {
		test.Fatal(err)
	}
	return said
}

// Controls that take their value in ways of their own: given one, when its value is set,
// then the page's scripts have it.
func TestTab_Execute_SetsControlsOfTheirOwnKind(t *testing.T) {
	t.Parallel()
	const say = `<output></output><script>window.say = (s) => { document.querySelector('output').textContent = s }</script>`
	const ariaSlider = `<div id=track style="position:relative;width:200px;height:20px;background:#ddd"><div id=s role=slider tabindex=0 aria-label=Volume aria-valuemin=0 aria-valuemax=100 aria-valuenow=20
		style="position:absolute;left:36px;width:8px;height:20px;background:#333"></div></div>`
	const move = `const set = (v) => { v = Math.max(0, Math.min(100, v)); s.setAttribute('aria-valuenow', v); s.style.left = (v * 2 - 4) + 'px'; say(v) };`
	const boxes = `<div>` + `<input maxlength=1 size=1 aria-label="Digit 1" inputmode=numeric><input maxlength=1 size=1 aria-label="Digit 2"><input maxlength=1 size=1 aria-label="Digit 3"><input maxlength=1 size=1 aria-label="Digit 4"></div>`
	const all = `const all = [...document.querySelectorAll('input')]; const tell = () => say(all.map((i) => i.value).join('|'));`
	for name, tt := range map[string]struct{ html, role, name, value, want string }{
		"a range": {`<input type=range aria-label=Volume min=0 max=100 value=20 oninput="say(this.value)">`, "slider", "Volume", "70", "70"},
		"a slider moved by keys": {ariaSlider + `<script>` + move + `s.onkeydown = (e) => { const d = {ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5}[e.key]; if (d) set(+s.getAttribute('aria-valuenow') + d) }</script>`,
			"slider", "Volume", "70", "70"},
		"a slider moved by the mouse": {ariaSlider + `<script>` + move + `let on = false; s.onpointerdown = () => { on = true }; addEventListener('pointerup', () => { on = false });
			addEventListener('pointermove', (e) => { if (on) set(Math.round((e.clientX - track.getBoundingClientRect().left) / 2)) })</script>`, "slider", "Volume", "70", "70"},
		"several options":                  {`<select multiple aria-label=Many onchange="say([...this.selectedOptions].map((o) => o.text).join('|'))"><option selected>One<option>Two<option>Three</select>`, "listbox", "Many", "Two\nThree", "Two|Three"},
		"boxes that a script goes through": {boxes + `<script>` + all + `all.forEach((el, n) => { el.oninput = () => { if (el.value) all[n + 1]?.focus(); tell() } })</script>`, "inp", "Digit 1", "1234", "1|2|3|4"},
		"boxes that nobody goes through":   {boxes + `<script>` + all + `all.forEach((el) => { el.oninput = tell })</script>`, "inp", "Digit 1", "1234", "1|2|3|4"},
		"boxes that spread a paste": {boxes + `<script>` + all + `all[0].onpaste = (e) => { e.preventDefault(); [...e.clipboardData.getData('text')].forEach((c, n) => { all[n].value = c }); tell() };
			all.forEach((el, n) => { el.oninput = () => { if (el.value) all[n + 1]?.focus(); tell() } })</script>`, "inp", "Digit 1", "1234", "1|2|3|4"},
		"boxes that hear keys":        {boxes + `<script>` + all + `all.forEach((el, n) => { el.onkeydown = (e) => { if (e.key.length === 1) { e.preventDefault(); el.value = e.key; all[n + 1]?.focus(); tell() } } })</script>`, "inp", "Digit 1", "1234", "1|2|3|4"},
		"a field that hears keydown":  {`<input aria-label=Name><script>let got = ''; document.querySelector('input').onkeydown = (e) => { if (e.key.length === 1) got += e.key; say(got) }</script>`, "inp", "Name", "Kim Ö.", "Kim Ö."},
		"a field that hears keypress": {`<input aria-label=Name><script>let got = ''; document.querySelector('input').onkeypress = (e) => { got += e.key; say(got) }</script>`, "inp", "Name", "Kim", "Kim"},
		"a field that hears keyup":    {`<input aria-label=Name><script>document.querySelector('input').onkeyup = (e) => say(e.target.value)</script>`, "inp", "Name", "Kim", "Kim"},
		"a field that takes nothing but keys": {`<input aria-label=Amount><script>document.querySelector('input').onbeforeinput = (e) => { if (e.inputType === 'insertText' && e.data.length > 1) e.preventDefault() };
			document.querySelector('input').oninput = (e) => say(e.target.value)</script>`, "inp", "Amount", "1250", "1250"},
		"a pad that hears keys":      {`<div role=textbox tabindex=0 aria-label=Pad style="width:90px;height:40px"></div><script>let got = ''; document.querySelector('div').onkeydown = (e) => { got += e.key; say(got) }</script>`, "inp", "Pad", "42", "42"},
		"a search that hears keys":   {`<div role=searchbox tabindex=-1 aria-label=Find style="width:90px;height:40px"></div><script>let got = ''; document.querySelector('div').onkeypress = (e) => { got += e.key; say(got) }</script>`, "inp", "Find", "Kim Ö", "Kim Ö"},
		"a number that hears digits": {`<div role=spinbutton tabindex=0 aria-label=Day aria-valuenow=1>1</div><script>let got = ''; const d = document.querySelector('div'); d.onkeydown = (e) => { got += e.key; d.ariaValueNow = got; say(got) }</script>`, "spinbutton", "Day", "27", "27"},
		"a number that hears arrows": {`<div role=spinbutton tabindex=0 aria-label=Year aria-valuenow=2024>2024</div><script>const d = document.querySelector('div'); d.onkeydown = (e) => { d.ariaValueNow = +d.ariaValueNow + ({ArrowUp: 1, ArrowDown: -1}[e.key] ?? 0); say(d.ariaValueNow) }</script>`, "spinbutton", "Year", "2019", "2019"},
		"an editor":                  {`<div contenteditable aria-label=Note role=textbox oninput="say(this.innerText.trim())"><p>Old <b>text</b></p></div>`, "inp", "Note", "New text", "New text"},
		"an editor with lines":       {`<div contenteditable aria-label=Note role=textbox oninput="say(this.innerText.trim().replace(/\n+/g, '|'))"><p>Old</p></div>`, "inp", "Note", "One\nTwo", "One|Two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, say+tt.html)
			target := id(t, tab.mustCapture(t), tt.role, tt.name)
			tab.does(t, setValue(target, tt.value))
			if got := tab.hears(t); got != tt.want {
				t.Errorf("the page heard %q, want %q", got, tt.want)
			}
		})
	}
}

// What is dragged arrives, whichever events a page goes by.
func TestTab_Execute_DragsIntoPlace(t *testing.T) {
	t.Parallel()
	const list = `<output></output><ul style="list-style:none;padding:0;width:200px">` +
		`<li role=listitem tabindex=0 aria-label=Ann style="height:40px">Ann<li role=listitem tabindex=0 aria-label=Ben style="height:40px">Ben<li role=listitem tabindex=0 aria-label=Cy style="height:40px">Cy</ul>
		<script>const ul = document.querySelector('ul'); const say = () => { document.querySelector('output').textContent = [...ul.children].map((e) => e.textContent.trim()).join('|') };`
	for name, tt := range map[string]struct{ html, want string }{
		"by drag events": {list + `for (const li of ul.children) {
			li.draggable = true;
			li.ondragstart = (e) => { e.dataTransfer.setData('text/plain', li.textContent); window.moving = li };
			li.ondragover = (e) => { e.preventDefault(); e.dataTransfer.dropEffect = 'move' };
			li.ondrop = (e) => { e.preventDefault(); li.after(moving); say() };
		}</script>`, "Ben|Cy|Ann"},
		"by drag events that reorder on the way": {list + `for (const li of ul.children) {
			li.draggable = true;
			li.ondragstart = () => { window.moving = li };
			li.ondragenter = () => { if (moving !== li) li.after(moving) };
			li.ondragover = (e) => e.preventDefault();
			li.ondragend = () => say();
		}</script>`, "Ben|Cy|Ann"},
		"by pointer events": {list + `let moving = null;
			ul.onpointerdown = (e) => { moving = e.target.closest('li'); ul.setPointerCapture(e.pointerId) };
			ul.onpointermove = (e) => { const over = moving && document.elementsFromPoint(e.clientX, e.clientY).find((x) => x.localName === 'li' && x !== moving); if (over) over.after(moving) };
			ul.onpointerup = () => { moving = null; say() };
		</script>`, "Ben|Cy|Ann"},
		"by the mouse after a pause": {list + `let moving = null, timer = 0;
			ul.onmousedown = (e) => { const li = e.target.closest('li'); timer = setTimeout(() => { moving = li }, 60) };
			addEventListener('mousemove', (e) => { const over = moving && document.elementsFromPoint(e.clientX, e.clientY).find((x) => x.localName === 'li' && x !== moving); if (over) over.after(moving) });
			addEventListener('mouseup', () => { clearTimeout(timer); if (moving) say(); moving = null });
		</script>`, "Ben|Cy|Ann"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, tt.html)
			c := tab.mustCapture(t)
			tab.does(t, action.Action{Name: action.Drag, Target: id(t, c, "listitem", "Ann"), To: id(t, c, "listitem", "Cy")})
			if got := tab.hears(t); got != tt.want {
				t.Errorf("the page heard %q, want %q", got, tt.want)
			}
		})
	}
}

package browser

import (
	"fmt"
	"strings"
	"testing"
)

// modesPage has what the other modes of extraction have to deal with: secrets, choices,
// a shadow tree, a frame, what is off screen, hidden and drawn.
const modesPage = `<style>.card{color:gray}</style><script>var secret = 1</script>
	<a id="1" href="/home?q=1">Home</a> <button data-id="3" type="submit">Search</button>
	<label for="q">Query</label><input id="q" name="q" type="text" value="old"> <input type="password" name="pw" value="hunter2hunter2"> <input placeholder="Full name" disabled>
	<label><input type="checkbox" checked> Remember</label> <p>It is hunter2hunter2.</p>
	<select name="via" aria-label="By"><option value="p">Post<option value="c" selected>Courier</select> <textarea aria-label="Note">a &lt; b</textarea>
	<svg><path d="M0 0"/></svg><button hidden>Unseen</button><my-box></my-box><iframe srcdoc="<button>In a frame</button>"></iframe>
	<div style="height:4000px"></div><button>Imprint</button><p id="notes">Notes</p><p class="twice" id="twice">1</p><p id="twice">2</p>
	<script>document.querySelector("my-box").attachShadow({mode: "open"}).innerHTML = "<button>Shadow</button>"; q.value = "typed & new"</script>`

func TestModes_Semantic(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, modesPage)
	var got []map[string]any
	tab.ask(t, tab.shows().frame, &got, `stepledger.semantic({start: 100, offset: {x: 1000, y: 0}})`)
	by := map[any]map[string]any{}
	for _, n := range got {
		by[n["name"]] = n
		if x := n["bounds"].(map[string]any)["x"].(float64); x < 1000 {
			t.Errorf("%v is at %v", n["name"], x)
		}
	}
	want := map[string]string{
		"Home":       "map[href:/home?q=1 id:101 name:Home role:link]",
		"Query":      "map[id:103 name:Query role:textbox type:text value:typed & new]",
		"pw":         "map[id:104 name:pw role:textbox state:secret,filled type:password]",
		"Full name":  "map[id:105 name:Full name placeholder:Full name role:textbox state:disabled type:text]",
		"Remember":   "map[id:106 name:Remember role:checkbox state:checked type:checkbox]",
		"By":         "map[id:107 name:By role:combobox value:Courier]",
		"Shadow":     "map[id:109 isInShadow:true name:Shadow role:button]",
		"In a frame": "map[frameId:1 id:f1_110 name:In a frame role:button]",
		"Imprint":    "map[id:111 name:Imprint role:button]",
	}
	for name, want := range want {
		delete(by[name], "bounds")
		if got := fmt.Sprint(by[name]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	var last struct{ LastID, LastFrame int }
	tab.ask(t, tab.shows().frame, &last, `stepledger.numbers()`)
	if by["Unseen"] != nil || last.LastID != 111 || last.LastFrame != 1 {
		t.Errorf("last numbers %+v, a hidden button %v", last, by["Unseen"])
	}
}

func TestModes_Skeleton(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, modesPage)
	var got string
	tab.ask(t, tab.shows().frame, &got, `stepledger.skeleton()`)
	const want = `<a id="1" href="/home?q=1">Home</a>
<button id="2" type="submit">Search</button>
<input id="3" name="q" type="text" value="typed & new" aria-label="Query" />
<input id="4" name="pw" type="password" data-filled aria-label="pw" />
<input id="5" placeholder="Full name" disabled />
<input id="6" type="checkbox" checked aria-label="Remember" />
<select id="7" name="via" aria-label="By">
  <option value="p">Post</option>
  <option value="c" selected>Courier</option>
</select>
<textarea id="8" aria-label="Note">a &lt; b</textarea>
<button id="9">Shadow</button>
<button id="f1_10">In a frame</button>
<button id="11">Imprint</button>`
	if unescaped := strings.ReplaceAll(got, "&amp;", "&"); unescaped != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestModes_Annotated(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, modesPage)
	var got string
	tab.ask(t, tab.shows().frame, &got, `stepledger.annotated({start: 20})`)
	for _, want := range []string{
		`<a href="/home?q=1" data-id="21" data-interactive="true" data-visible="true" data-frame-id="main-frame">Home</a>`,
		`<button type="submit" data-id="22" data-interactive="true"`,
		`<button data-id="f1_30" data-interactive="true" data-visible="true" data-frame-id="1">In a frame</button>`,
		`<button data-id="31" data-interactive="true" data-visible="true" data-frame-id="main-frame">Imprint</button>`,
		`<button hidden data-visible="false">Unseen</button>`,
		`<p id="notes">Notes</p>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, unwanted := range []string{"<script", "<style", "<svg", "hunter2", "data-llm-id", `data-id="3"`, ` id="1"`, "srcdoc"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("%s is in\n%s", unwanted, got)
		}
	}
	rows := strings.Repeat(`<tr class=row><td class="name">Item<td><button type=button class="small">Remove it</button>`, 30)
	tab.ask(t, tab.shows().frame, nil, fmt.Sprintf("document.body.innerHTML = %q", "<table>"+rows+"</table>"))
	var short string
	tab.ask(t, tab.shows().frame, &got, `stepledger.annotated()`)
	tab.ask(t, tab.shows().frame, &short, `stepledger.annotated({shrink: true})`)
	if len(short) > len(got)/2 || strings.Count(short, "Remove it") != 1 {
		t.Errorf("%d of %d characters: %s", len(short), len(got), short)
	}
}

// The whole page carries ids that can be acted on, far from what is on screen as well; what
// the page itself calls by an id is found by it, if it is the only one.
func TestFullDOM_CanBeActedOn(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, modesPage+`<script>notes.onclick = () => { document.title = "notes" }
		for (const b of document.querySelectorAll("button")) b.onclick = () => { document.title = b.textContent }</script>`)
	c, err := tab.CaptureFull(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(c.DOM, `>Imprint</button>`)
	at := strings.LastIndex(before, `data-llm-id="`)
	if !found || at < 0 || strings.Contains(before[at:], "<") {
		t.Fatalf("the button far below has no id: %s", c.DOM)
	}
	imprint, _, _ := strings.Cut(before[at+len(`data-llm-id="`):], `"`)
	for target, want := range map[string]string{imprint: "Imprint", "notes": "notes"} {
		tab.does(t, click(target))
		if got := tab.mustCapture(t).Title; got != want {
			t.Errorf("%s: title %q, want %q", target, got, want)
		}
	}
	tab.fails(t, click("twice"), CodeNotFound)
	tab.fails(t, click("999"), CodeNotFound)
}

// The hash is that of what a capture gives: the same while nothing changes, another with
// every change a person or the server would notice, and what it was when that is undone.
func TestHash(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<h1>Orders</h1><input id=q value=a><input id=c type=checkbox><div id=box style="height:80px;overflow:auto"><div style="height:900px"><button>Add</button></div></div><p id=p>1</p>`)
	var raw struct{ Hash string }
	tab.ask(t, tab.shows().frame, &raw, `stepledger.capture({start: 0, full: false, limit: 1e6})`)
	hash := func() (h string) {
		tab.ask(t, tab.shows().frame, &h, `stepledger.hash()`)
		return h
	}
	if got := hash(); raw.Hash == "" || got != raw.Hash {
		t.Fatalf("hash %q, of the capture %q", got, raw.Hash)
	}
	for change, undo := range map[string]string{
		`p.textContent = "2"`:            `p.textContent = "1"`,
		`q.value = "b"`:                  `q.value = "a"`,
		`c.checked = true`:               `c.checked = false`,
		`box.scrollTop = 300`:            `box.scrollTop = 0`,
		`q.focus()`:                      `q.blur()`,
		`document.title = "other"`:       `document.title = "test"`,
		`history.pushState(0, "", "#2")`: `history.pushState(0, "", "/")`,
		`p.insertAdjacentHTML("afterend", "<button id=new>New</button>")`: `document.getElementById("new").remove()`,
	} {
		tab.eval(t, change)
		if hash() == raw.Hash {
			t.Errorf("%s: the same hash", change)
		}
		tab.eval(t, undo)
		if hash() != raw.Hash {
			t.Errorf("%s: another hash", undo)
		}
	}
	var again struct {
		Hash   string
		LastID int
	}
	tab.ask(t, tab.shows().frame, &again, `stepledger.capture({start: 0, full: false, limit: 1e6})`)
	if again.Hash != raw.Hash || again.LastID != 4 {
		t.Errorf("captured again: hash %q, last id %d", again.Hash, again.LastID)
	}
}

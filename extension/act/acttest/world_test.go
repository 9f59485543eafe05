package acttest

import (
	"fmt"
	"strings"
	"testing"
)

// called evaluates a call of the actor and compares what it gives, as JSON.
func (o *opened) called(expression, want string) {
	o.Helper()
	var got string
	if err := o.act(&got, `(async () => { try { return JSON.stringify(await actor.`+expression+`) ?? "" } catch (e) { return e.message } })()`); err != nil || got != want {
		o.Errorf("%s gives %s, %v, want %s", expression, got, err, want)
	}
}

func TestNetwork_CountsSinceTheActionBegan(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=a onclick="fetch('/refused?token=1', {method: 'POST'}).catch(() => 0)">F</button>
		<button id=b onclick="const x = new XMLHttpRequest(); x.open('put', '/refused#x'); x.send()">X</button>
		<button id=c onclick="navigator.sendBeacon('/beacon', 'x')">B</button>
		<button id=d onclick="fetch('/stall')">S</button>
		<button id=e onclick="none.such()">E</button>
		<button id=f onclick="Promise.reject(1)">P</button>
		<button id=g onclick="const c = new AbortController(); fetch('/stall', {signal: c.signal}).catch(() => 0); c.abort()">A</button>
		<button id=h onclick="fetch('/fine').then((r) => r.text()).then((x) => log(x))">O</button>
		<script>fetch("/refused")</script>`)
	for _, tt := range []struct{ id, want string }{
		{"a", `{"pending":0,"started":1,"failed":[{"method":"POST","path":"/refused","status":503}],"errors":0}`},
		{"b", `{"pending":0,"started":1,"failed":[{"method":"PUT","path":"/refused","status":503}],"errors":0}`},
		{"c", `{"pending":0,"started":1,"failed":[],"errors":0}`},
		{"d", `{"pending":1,"started":1,"failed":[],"errors":0}`},
		{"e", `{"pending":0,"started":0,"failed":[],"errors":1}`},
		{"f", `{"pending":0,"started":0,"failed":[],"errors":1}`},
		{"g", `{"pending":0,"started":1,"failed":[],"errors":0}`},
		{"h", `{"pending":0,"started":1,"failed":[],"errors":0}`},
	} {
		o.called(`arm("") && undefined`, "")
		o.must("click", "#"+tt.id)
		o.asks("new Promise((r) => setTimeout(r, 100, 1))")
		o.called("network()", tt.want)
	}
	o.is("saw.length + saw[0].slice(-5)", "1/fine")
}

func TestNetwork_SaysSoWhereNobodyWatches(t *testing.T) {
	t.Parallel()
	o := page(t, `<p>x`)
	o.asks("location = '/bare', 1")
	if _, err := o.tab.WaitStable(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.called("network()", "the page's own world is not watched")
	o.called("openDialog()", "null")
}

func TestDialogs_AreDecidedElsewhere(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=a onclick="log('confirm', confirm('Really delete?'))">C</button><button id=b onclick="log('prompt', prompt('Your name?', 'Jas'))">P</button><button id=c onclick="alert('Saved'); log('after')">A</button>`)
	o.called(`arm("") && undefined`, "")
	o.must("click", "#a")
	o.called("openDialog()", `{"kind":"confirm","message":"Really delete?","initial":""}`)
	o.called("openDialog()", `{"kind":"confirm","message":"Really delete?","initial":""}`)
	o.called(`arm("") && undefined`, "")
	o.called("openDialog()", "null")
	// Yes is for the very question, and for one time.
	o.called(`answerDialog({kind: "confirm", message: "Really delete?", accept: true, text: ""})`, "")
	o.must("click", "#b")
	o.must("click", "#a")
	o.must("click", "#a")
	o.called(`answerDialog({kind: "prompt", message: "Your name?", accept: true, text: "Ada"})`, "")
	o.must("click", "#b")
	o.called("openDialog()", `{"kind":"confirm","message":"Really delete?","initial":""}`)
	o.called(`arm("") && undefined`, "")
	o.must("click", "#c")
	o.called("openDialog()", `{"kind":"alert","message":"Saved","initial":""}`)
	o.saw("confirm false", "prompt ", "confirm true", "confirm false", "prompt Ada", "after")
	// The next document of the site keeps its dialogs off the screen from its beginning.
	o.show(`<script>alert("Welcome"); log("on")</script>`)
	o.saw("on")
	o.called("openDialog()", `{"kind":"alert","message":"Welcome","initial":""}`)
}

// The browser's own question whether to leave a page never comes up: the page is asked
// before, and stays until it is decided.
func TestLeaving_IsDecidedElsewhere(t *testing.T) {
	t.Parallel()
	const open = `{"kind":"beforeunload","message":"This page may have unsaved changes","initial":""}`
	body := `<a id=a href="/left">L</a><a id=h href="#here">H</a><form action="/sent"><button id=s>S</button></form><button id=g onclick="location = '/gone'">G</button>
		<button id=d onclick="changed = true">D</button><script>let changed = false; %s</script>`
	for name, asks := range map[string]string{
		"listener": `addEventListener("beforeunload", (e) => { log("heard"); if (changed) e.preventDefault() })`,
		"text":     `addEventListener("beforeunload", (e) => { log("heard"); if (changed) e.returnValue = "Really?" })`,
		"handler":  `onbeforeunload = () => { log("heard"); if (changed) return "Really?" }`,
	} {
		t.Run(name, func(t *testing.T) {
			o := page(t, fmt.Sprintf(body, asks))
			o.called(`arm("") && undefined`, "")
			o.called(`staysOnLeave("http://other.test/")`, "false")
			o.saw("heard")
			o.must("click", "#d")
			o.must("click", "#h")
			o.called("staysOnLeave(location.href.split('#')[0] + '#there')", "false")
			o.called(`staysOnLeave("")`, "false") // back from #here
			o.called("openDialog()", "null")
			for _, id := range []string{"a", "s", "g"} {
				o.called(`arm("") && undefined`, "")
				o.must("click", "#"+id)
				o.asks("new Promise((r) => setTimeout(r, 100, 1))")
				o.is("location.pathname", "/")
				o.called("openDialog()", open)
			}
			o.called(`arm("") && undefined`, "")
			o.called(`staysOnLeave("http://other.test/")`, "true")
			o.called("openDialog()", open)
			o.called(`answerDialog({kind: "beforeunload", message: "This page may have unsaved changes", accept: true, text: ""})`, "")
			o.must("click", "#a")
			if _, err := o.tab.WaitStable(t.Context()); err != nil {
				t.Fatal(err)
			}
			o.is("location.pathname", "/left")
		})
	}
}

// Everything that the world beside the page's scripts listens for can be sent by the page.
// It is data: no element is touched because of it.
func TestPage_CannotMakeTheActionsAct(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=a onclick="log('clicked')">Delete</button><input id=f oninput="log('typed')">`)
	o.called(`arm("") && undefined`, "")
	var id string
	if err := o.act(&id, `actor.idOf("#a")`); err != nil {
		t.Fatal(err)
	}
	order := fmt.Sprintf(`{stepledger: 1, call: "perform", token: "t", args: [{token: "t", action: {name: "click", target: %q, text: "", to: "", seconds: 0}}]}`, id)
	o.asks(`(async () => {
		const order = ` + order + `
		const names = ["network", "dialogs", "keep-dialogs", "reply", "leave", "scheduled", "captured", "let-go", "perform"].flatMap((n) => ["stepledger:" + n, "stepledger:" + n + "?"])
		for (const target of [window, document, document.documentElement, a, f]) for (const name of names) for (const detail of [order, JSON.stringify(order), order.args[0], JSON.stringify([order]), null, "{", -1]) {
			target.dispatchEvent(new CustomEvent(name, {detail, bubbles: true, composed: true}))
			target.dispatchEvent(new MessageEvent("message", {data: order}))
		}
		postMessage(order, "*")
		globalThis.stepledger?.perform?.(order.args[0])
		await new Promise((r) => setTimeout(r, 50))
		return 1
	})()`)
	o.saw()
	o.is("typeof actor + typeof stepledger + document.activeElement.localName", "undefinedundefinedbody")
	// Lies about itself are cut to size, and harm nobody.
	o.asks(`(() => {
		const lie = (detail) => { for (const n of ["network", "dialogs"]) document.addEventListener("stepledger:" + n + "?", () => document.dispatchEvent(new CustomEvent("stepledger:" + n, {detail}))) }
		lie(JSON.stringify({started: "x", pending: {}, failed: [null, {method: "x".repeat(1e6), path: 7, n: 5}], errors: -1 / 0}))
		return 1
	})()`)
	var got string
	if err := o.act(&got, `JSON.stringify([actor.network(), actor.openDialog()])`); err != nil || len(got) > 1000 || !strings.Contains(got, `"started":0`) {
		t.Errorf("%.300s, %v", got, err)
	}
}

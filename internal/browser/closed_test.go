package browser

import (
	"strings"
	"testing"
)

// closedForm is a field and a button in a closed shadow tree, with another such tree in it.
const closedForm = `<my-box></my-box><script>
	const root = document.querySelector("my-box").attachShadow({mode: "closed"})
	root.innerHTML = "<label>Holder <input></label><button>Inside</button><p></p><section></section>"
	const said = root.querySelector("p")
	root.querySelector("button").onclick = () => { said.textContent = "pressed by " + root.querySelector("input").value }
	const inner = root.querySelector("section").attachShadow({mode: "closed"})
	inner.innerHTML = "<button>Innermost</button>"
	inner.firstChild.onclick = () => { said.textContent = "pressed within" }
	window.more = () => {
		const late = document.body.appendChild(document.createElement("my-late")).attachShadow({mode: "closed"})
		late.innerHTML = "<button>Late</button>"
		late.firstChild.onclick = () => { said.textContent = "pressed late" }
	}
</script>`

// Given a page with closed shadow trees, one in the other, when it is captured, then what is
// in them is there to be acted on; and so is one that comes later.
func TestClosed_ShadowTrees(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, closedForm)
	tab.usesClosed(t)
	tab.eval(t, `more()`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "btn", "Late")))
	tab.hasText(t, "pressed late</p>")
}

// Given closed shadow trees in a frame of another site, and in one that the page reaches into,
// when the page is captured, then what is in them is there to be acted on.
func TestClosed_InFrames(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"another site": `src="` + serveElsewhere(t, closedForm) + `"`,
		"the page's":   `srcdoc="` + strings.ReplaceAll(closedForm, `"`, "&quot;") + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, `<iframe style="width:700px;height:200px;padding:20px" `+src+`></iframe>`)
			tab.usesClosed(t)
		})
	}
}

// Given a frame in a closed shadow tree, when the page is captured, then it is part of it.
func TestClosed_AroundAFrame(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<my-box></my-box><script>
		document.querySelector("my-box").attachShadow({mode: "closed"}).innerHTML = '<iframe style="width:700px;height:200px" src="`+serveElsewhere(t, form)+`"></iframe>'</script>`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "btn", "Pay")))
	tab.hasText(t, "paid</p>")
}

// usesClosed acts on what closedForm has.
func (t *Tab) usesClosed(test *testing.T) {
	test.Helper()
	c := t.mustCapture(test)
	t.does(test, setValue(id(test, c, "inp", "Holder"), "Ada"))
	r := t.does(test, click(id(test, c, "btn", "Inside")))
	if !r.DidDOMMutate {
		test.Errorf("the report of the click: %+v", r)
	}
	t.hasText(test, "pressed by Ada</p>")
	t.does(test, click(id(test, c, "btn", "Innermost")))
	t.hasText(test, "pressed within</p>")
}

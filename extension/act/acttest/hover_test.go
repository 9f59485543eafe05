package acttest

import "testing"

const menu = `<style>
		nav ul ul { display: none } nav li:hover > ul { display: block } .tip { visibility: hidden }
		@media (min-width: 100px) { #m:hover .tip { visibility: visible } }
		#far { margin-top: 300px }
	</style>
	<nav><ul><li id=m>Products<span class=tip id=tip>tip</span><ul><li><a id=sub href="#sub">Submenu</a></ul><li id=other>Other</ul></nav><button id=far>Far</button>`

func TestHover_ShowsWhatOnlyStyleShows(t *testing.T) {
	t.Parallel()
	o := page(t, menu)
	shown := "sub.checkVisibility() + ' ' + getComputedStyle(tip).visibility"
	o.is(shown, "false hidden")
	o.must("hover", "#m")
	o.is(shown, "true visible")
	o.must("click", "#sub")
	o.is("location.hash", "#sub")
	o.must("click", "#far")
	o.is(shown, "false hidden")
	o.is("document.adoptedStyleSheets.length + ' ' + document.documentElement.outerHTML.includes('hover=')", "1 false")
}

func TestClick_InAMenuThatIsNotShownYet(t *testing.T) {
	t.Parallel()
	o := page(t, menu)
	o.must("click", "#sub")
	o.is("location.hash", "#sub")
	o.show(`<div id=d onmouseenter="s.hidden = false">Menu <button id=s hidden onclick="log('s')">Sub</button></div>`)
	o.must("click", "#s")
	o.saw("s")
	o.show(`<style>.row button { opacity: 0 } .row:hover button { opacity: 1 }</style><div class=row>Row <button id=s onclick="log(getComputedStyle(s).opacity)">Edit</button></div>`)
	o.must("click", "#s")
	o.saw("1")
}

func TestHover_InAShadowTree(t *testing.T) {
	t.Parallel()
	o := page(t, `<div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = "<style>p { display: none } div:hover p { display: block }</style><div id=m>m<p>p</p></div>"</script>`)
	o.must("hover", "#m")
	o.is("h.shadowRoot.querySelector('p').checkVisibility()", "true")
	o.show(`<div id=h></div><script>h.attachShadow({mode: "open"}).innerHTML = "<style>p { display: none } :host(:hover) p { display: block }</style><div id=m>m</div><p>p</p>"</script>`)
	o.must("hover", "#m")
	o.is("h.shadowRoot.querySelector('p').checkVisibility()", "true")
}

// A rule that is repeated weighs what it weighed.
func TestHover_KeepsTheWeightOfRules(t *testing.T) {
	t.Parallel()
	o := page(t, `<style>#m { color: green } .m:hover { color: blue; opacity: 0.5 } .m.on { opacity: 0.7 }</style><button id=m class="m on">M</button>`)
	o.must("hover", "#m")
	o.is("getComputedStyle(m).color + getComputedStyle(m).opacity", "rgb(0, 128, 0)0.5")
}

package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// What this client declares it can do.

func TestTab_Execute_TypesIntoTheFocus(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<form action="/found"><input aria-label=Field name=q value="old" autofocus></form><button>Plain</button>`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "inp", "Field")))
	tab.does(t, action.Action{Name: action.Press, Text: "End"})
	tab.does(t, action.Action{Name: action.Type, Text: " and «new»"})
	if v := node(t, tab.mustCapture(t), "inp", "Field").Value; v != "old and «new»" {
		t.Errorf("the field holds %q", v)
	}
	if r := tab.does(t, action.Action{Name: action.Type, Text: "!\n"}); !strings.Contains(r.URL, "/found?q=") {
		t.Errorf("a line break led to %s", r.URL)
	}
	tab.does(t, action.Action{Name: action.GoBack})
	tab.eval(t, `document.activeElement.blur()`)
	tab.fails(t, action.Action{Name: action.Type, Text: "x"}, CodeNotEditable)
}

func TestTab_Execute_ScrollsUpAndDown(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<ul aria-label=List tabindex=0 style="height:100px;overflow-y:auto"><li style="height:900px">One</li></ul><p style="height:3000px">Long</p>`)
	list := ""
	for _, n := range tab.mustCapture(t).Tree {
		if n.Name == "List" {
			list = string(n.ID)
		}
	}
	scroll := func(to, direction string) action.Action {
		return action.Action{Name: action.Scroll, Target: to, Text: direction}
	}
	for _, to := range []string{"", list} {
		tab.fails(t, scroll(to, action.Up), CodeNothingToScroll)
		tab.does(t, scroll(to, action.Down))
		tab.does(t, scroll(to, action.Up))
		tab.fails(t, scroll(to, action.Up), CodeNothingToScroll)
	}
}

func TestTab_Execute_ChoosesSeveral(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<select multiple aria-label=Many><option selected>One<option>Two, or so<option>Three</select>`)
	many := id(t, tab.mustCapture(t), "listbox", "Many")
	tab.does(t, setValue(many, "Two, or so\nThree"))
	if v := string(node(t, tab.mustCapture(t), "listbox", "Many").Value); !strings.Contains(v, "Two, or so") || !strings.Contains(v, "Three") || strings.Contains(v, "One") {
		t.Errorf("chosen are %q", v)
	}
	tab.fails(t, setValue(many, "Two, or so\nFour"), CodeOptionNotFound)
}

func TestTab_Execute_Drags(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div role=button tabindex=0 id=a aria-label=Card draggable=true style="width:90px;height:30px;background:#ccc"></div>
		<div role=button tabindex=0 id=knob aria-label=Knob style="width:90px;height:30px;background:#aaa"></div>
		<div role=button tabindex=0 id=b aria-label=Done style="width:90px;height:90px;margin-top:200px;background:#eee"></div>
		<output></output><script>
		const said = (s) => { document.querySelector('output').textContent += s + ' '; };
		const b = document.getElementById('b');
		document.getElementById('a').ondragstart = (e) => { e.dataTransfer.setData('text/plain', 'card'); };
		b.ondragover = (e) => e.preventDefault();
		b.ondrop = (e) => { e.preventDefault(); said('dropped'); };
		document.getElementById('knob').onmousedown = () => said('pressed');
		b.onmouseup = () => said('released');
		</script>`)
	c := tab.mustCapture(t)
	drag := func(from, to string) action.Action { return action.Action{Name: action.Drag, Target: from, To: to} }
	done := id(t, c, "btn", "Done")
	tab.does(t, drag(id(t, c, "btn", "Knob"), done))
	tab.does(t, drag(id(t, c, "btn", "Card"), done))
	if dom := tab.mustCapture(t).DOM; !strings.Contains(dom, "pressed released") || !strings.Contains(dom, "dropped") {
		t.Errorf("the page heard %s", dom)
	}
	tab.fails(t, drag("9999", done), CodeNotFound)
	tab.fails(t, drag(done, "9999"), CodeNotFound)
}

// Everything the client can do is declared, and nothing else.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	can := action.Declared(capabilities)
	for _, a := range []action.Action{
		{Name: action.Type, Text: "x"}, {Name: action.Press, Text: "Enter"}, {Name: action.Hover, Target: "1"},
		{Name: action.Scroll, Text: action.Up}, {Name: action.Drag, Target: "1", To: "2"},
	} {
		if !can.Can(a) {
			t.Errorf("%s is not declared", a)
		}
	}
	if can.CanDo(action.Upload) || !can.Has(action.CanChain) || !can.Has(action.CanChooseSeveral) || slices.Contains(capabilities, "") {
		t.Errorf("declared: %q", capabilities)
	}
}

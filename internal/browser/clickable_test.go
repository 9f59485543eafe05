package browser

import (
	"slices"
	"strings"
	"testing"
)

// What a script makes clickable without a hand cursor, a role or a tabindex is an element.
func TestTab_Capture_WhatScriptsMakeClickable(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>label.pick{cursor:pointer}.mark{display:inline-block;width:16px;height:16px;border:1px solid}</style>
		<label class=pick data-pick=a><span class="mark custom-checkbox checked"></span><span>Finance</span></label>
		<label class=pick data-pick=b><span class="mark custom-checkbox"></span><span>Consulting</span></label>
		<label class=pick>Heading</label>
		<label class=pick><input type=checkbox><span class=mark style="cursor:pointer"></span>Newsletter</label>
		<p><span data-action=archive>Archive</span> <span data-action="scroll->list#more">Scrolled</span></p>
		<p><span class="chip active" data-kind=full>Full-time</span> <span class=chip data-kind=part>Part-time</span> <span class=tag data-kind=x>Tagged</span></p>
		<ul id=list><li data-n=1>First</li><li data-n=2>Second</li></ul>
		<div><b id=own>Own handler</b> <i>Prose</i></div>
		<a data-handler=prev title=Prev><span>&lt;</span></a> <a name=anchor>Anchor</a>
		<script>list.addEventListener("click", () => 0); own.addEventListener("mousedown", () => 0);
		document.addEventListener("click", (e) => { const l = e.target.closest("[data-pick]"); if (l) l.firstChild.classList.toggle("checked") })</script>`)
	c := tab.mustCapture(t)
	for _, want := range []struct{ role, name, state string }{
		{"chk", "Finance", "checked"},
		{"chk", "Consulting", "unchecked"},
		{"chk", "Newsletter", "unchecked"},
		{"btn", "Archive", ""},
		{"btn", "Full-time", ""},
		{"btn", "Part-time", ""},
		{"listitem", "First", ""},
		{"listitem", "Second", ""},
		{"btn", "Own handler", ""},
		{"link", "<", ""},
	} {
		if n := node(t, c, want.role, want.name); string(n.State) != want.state {
			t.Errorf("%s %q is %q, want %q", want.role, want.name, n.State, want.state)
		}
	}
	if len(c.Tree) != 10 {
		t.Errorf("more than that is an element:\n%s", treeText(c))
	}
	tab.does(t, click(id(t, c, "chk", "Consulting")))
	c = tab.mustCapture(t)
	if n := node(t, c, "chk", "Consulting"); n.State != "checked" {
		t.Errorf("after the click it is %q", n.State)
	}
}

func TestTab_Capture_DrawnSwitches(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>.s{position:relative;width:36px;height:20px;border-radius:10px;background:#ccc;cursor:pointer}
		.k{position:absolute;top:2px;left:2px;width:16px;height:16px;border-radius:50%}.to{left:18px}</style>
		<div class=s id=a><div class=k></div></div><div class=s id=b><div class="k to"></div></div>
		<div class="s toggle-switch active" id=c><div class=k></div></div>
		<div class="toggle" style="cursor:pointer;width:20px;height:20px" id=d></div>
		<div style="cursor:pointer;width:36px;height:20px"><img alt="" style="width:16px;height:16px"></div>`)
	c := tab.mustCapture(t)
	var got []string
	for _, n := range c.Tree {
		got = append(got, n.Role+" "+string(n.State))
	}
	want := []string{"switch unchecked", "switch checked", "switch checked", "btn ", "btn "}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d is %q, want %q", i, got[i], want[i])
		}
	}
}

// The arrows of jQuery UI's calendar: links without an address or a hand cursor, with a
// handler of their own.
func TestTab_Capture_ArrowsOfACalendar(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div class=ui-datepicker-header><a class="ui-datepicker-prev" data-handler=prev data-event=click title=Prev><span class="ui-icon">Prev</span></a>
		<a class="ui-datepicker-next" title=Next><span class="ui-icon">Next</span></a><a class="ui-state-disabled" title=Last><span class="ui-icon">Last</span></a><span id=month>May</span></div>
		<script>document.querySelector("[title=Next]").addEventListener("click", () => { month.textContent = "June" })</script>`)
	c := tab.mustCapture(t)
	node(t, c, "link", "Prev")
	tab.does(t, click(id(t, c, "link", "Next")))
	if c = tab.mustCapture(t); !strings.Contains(c.DOM, "June") || len(c.Tree) != 2 {
		t.Errorf("after the click:\n%s\n%s", c.DOM, treeText(c))
	}
}

// A label keeps the space that its style draws, what is drawn beside its field is a part
// of it, and a field in boxes of its own is called by the text before them.
func TestTab_Capture_NamesAsTheyAreSeen(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>.b{display:inline-flex}.b span{padding:1px 6px}.toggle-row{display:flex;cursor:pointer}.toggle-switch{position:relative;width:40px;height:22px}
		.toggle-switch input{opacity:0;width:0;height:0}.toggle-slider{position:absolute;inset:0;border-radius:22px;cursor:pointer}</style>
		<label><input type=checkbox> <span class=b><span>priority</span><span>high</span></span></label>
		<label class=toggle-row><span>Show advice</span><span class=toggle-switch><input type=checkbox><span class=toggle-slider></span></span></label>
		<div><label>Size</label><div><div><div><input value=32><span>px</span></div></div></div></div>`)
	var got []string
	p := tab.read(t)
	for _, e := range p.Elements {
		got = append(got, e.Role+" "+e.Name)
	}
	want := []string{"checkbox priority high", "checkbox Show advice", "textbox Size"}
	if !slices.Equal(got, want) {
		t.Errorf("it shows %q, want %q", got, want)
	}
	tab.does(t, click(p.Elements[1].ID))
	if p = tab.read(t); p.Elements[1].State.Checked != "true" {
		t.Errorf("after a click: %+v", p.Elements[1].State)
	}
}

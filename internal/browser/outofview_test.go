package browser

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/internal/dom"
)

const listInDialog = `<style>body{margin:0}.shade{position:fixed;inset:0;display:flex;align-items:center;justify-content:center}
	.box{width:300px;height:200px;display:flex;flex-direction:column;background:#fff}.list{overflow-y:auto;height:120px}.list button{display:block;height:40px}</style>
	<button style="position:absolute;left:600px;top:360px;width:80px;height:400px">Below</button>
	<p>Page</p><div class=shade onclick="document.title = 'closed'"><div class=box onclick="event.stopPropagation()"><h2>Pick</h2><div class=list>
	<button onclick="document.title = this.textContent">A</button><button>B</button><button>C</button><button>D</button><button>E</button>
	<button onclick="document.title = this.textContent">F</button></div><button>Save</button></div></div>`

// What is scrolled out of its list is not covered, and a click scrolls it into view first:
// what lies where it would be is not hit.
func TestTab_ClickScrollsWithinTheList(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, listInDialog)
	c := tab.mustCapture(t)
	for name, want := range map[string]string{"A": "", "C": "", "E": "out-of-view", "F": "out-of-view", "Save": ""} {
		if n := node(t, c, "btn", name); string(n.State) != want || n.Occluded {
			t.Errorf("%s is %q, covered: %v, want %q", name, n.State, n.Occluded, want)
		}
	}
	if n := node(t, c, "btn", "Below"); !n.Occluded {
		t.Errorf("what lies under the shade is not covered")
	}
	tab.does(t, click(id(t, c, "btn", "F")))
	c = tab.mustCapture(t)
	if c.Title != "F" {
		t.Errorf("the click hit %q", c.Title)
	}
	// Scrolled past, the first are still there.
	if n := node(t, c, "btn", "A"); string(n.State) != "out-of-view" || n.Occluded {
		t.Errorf("A is %q, covered: %v", n.State, n.Occluded)
	}
	tab.does(t, click(id(t, c, "btn", "A")))
	if c = tab.mustCapture(t); c.Title != "A" {
		t.Errorf("the click hit %q", c.Title)
	}
}

// A page may scroll in a box of its own: what is further down is then where a page goes on,
// and its place says that.
func TestTab_Capture_PageInABox(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>body{margin:0}</style><button style="display:block;height:60px">Head</button><div style="overflow-y:auto;height:740px;width:1200px">
		<button style="display:block;height:900px">First</button><button id=b style="display:block;height:60px">Second</button></div>`)
	if n := node(t, tab.mustCapture(t), "btn", "Second"); n.State != "" || n.Occluded {
		t.Errorf("it is %q, covered: %v", n.State, n.Occluded)
	}
	tab.eval(t, `b.parentElement.scrollTop = 1000; b.style.marginBottom = "740px"; b.parentElement.scrollTop = 1000`)
	c := tab.mustCapture(t)
	if n := node(t, c, "btn", "Second"); n.Box[1] < 0 || n.Box[1] > 60 || n.State != "out-of-view" {
		t.Errorf("beneath the head, at %v, it is %q", n.Box, n.State)
	}
	tab.does(t, click(id(t, c, "btn", "Second")))
}

// A list at the top of the page that is scrolled to its end: what is above the edge of the
// page can be scrolled back to.
func TestTab_Capture_ScrolledAboveTheEdge(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>body{margin:0}</style><div id=list style="overflow-y:auto;height:100px">`+strings.Repeat(`<button style="display:block;height:90px">Item</button>`, 5)+`</div>
		<button style="position:absolute;top:-500px">Skip</button>`)
	tab.eval(t, `list.scrollTop = 1000`)
	n := 0
	c := tab.mustCapture(t)
	for _, e := range c.Tree {
		if e.Name == "Item" {
			n++
		}
		if e.Name == "Skip" {
			t.Error("what nobody can scroll to is listed")
		}
	}
	if n != 5 {
		t.Errorf("%d of 5 items are listed:\n%s", n, treeText(c))
	}
}

// What stays covered is not clicked, and what is there is not either.
func TestTab_ClickOfWhatIsCovered(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<script>document.addEventListener("click", (e) => { document.title = e.target.localName })</script><div style="position:relative;width:200px"><button>Under</button>
		<i style="position:absolute;inset:0;pointer-events:auto"></i></div><div style="height:0;overflow:hidden"><button>Shut</button></div>
		<button style="position:fixed;top:790px;height:40px">Half</button>`)
	c := tab.mustCapture(t)
	for name, covered := range map[string]bool{"Under": true, "Shut": true, "Half": false} {
		if n := node(t, c, "btn", name); n.Occluded != covered {
			t.Errorf("%s: covered %v", name, n.Occluded)
		}
	}
	tab.fails(t, click(id(t, c, "btn", "Under")), CodeOccluded)
	if c = tab.mustCapture(t); c.Title != "test" {
		t.Errorf("the click went %s", c.Title)
	}
}

// The dialog is the box with its title and its buttons, not the list in it, also once the
// list is scrolled.
func TestTab_Capture_DialogWithAList(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, strings.NewReplacer("class=shade", `class="shade modal-overlay"`, "class=box", `class="box modal"`, "class=list", `class="list modal-checkbox-list"`).Replace(listInDialog))
	for range 2 {
		p := tab.read(t)
		text := prompt.Page(p, prompt.View{}).Text
		front, behind, _ := strings.Cut(text, "behind the dialog")
		for _, want := range []string{`dialog "Pick"`, `btn "A"`, `btn "F"`, `btn "Save"`} {
			if !strings.Contains(front, want) {
				t.Errorf("the dialog lacks %s:\n%s", want, text)
			}
		}
		if !strings.Contains(behind, `"Below" s=covered`) {
			t.Errorf("what it covers is\n%s", behind)
		}
		tab.eval(t, `document.querySelector(".list").scrollTop = 1000`)
	}
}

// read is the page as the server reads what is captured of it.
func (t *Tab) read(test *testing.T) page.Page {
	test.Helper()
	p, err := dom.Reader{}.Read(t.mustCapture(test).Capture)
	if err != nil {
		test.Fatal(err)
	}
	return p
}

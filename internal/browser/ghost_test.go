package browser

import (
	"fmt"
	"testing"
)

// What a page draws anew is found again by name, role, place and the row it is in; what
// may be something else is not.
func TestGhost(t *testing.T) {
	t.Parallel()
	at := func(tag, name string, x int) string {
		return fmt.Sprintf(`<%s href="/x" style="position:absolute;left:%dpx;top:0;width:20px;height:20px;overflow:hidden" data-is="%s-%d">%s</%[1]s>`, tag, x, tag, x, name)
	}
	field := func(x int) string {
		return fmt.Sprintf(`<input style="position:absolute;left:%dpx;top:0" data-is="input-%[1]d">`, x)
	}
	row := func(tag, name, button string) string {
		return fmt.Sprintf(`<%s><b>%s</b> <button data-is="%[2]s">%s</button></%[1]s>`, tag, name, button)
	}
	cells := func(name string) string {
		return fmt.Sprintf("<tr><td>%s<td><button data-is=%[1]s>Delete</button>", name)
	}
	table := func(rows string) string { return "<table><tr><th>Name</th></tr>" + rows + "</table>" }
	save := at("button", "Save", 100)
	tests := map[string]struct {
		was  string // its first element with data-is is the one that vanishes
		now  string
		want string // data-is, "" for none
	}{
		"role and name are enough":                 {save, at("a", "Other", 100) + at("button", "Save", 900), "button-900"},
		"name and place are enough":                {save, at("a", "Save", 140), "a-140"},
		"a name alone is not":                      {save, at("a", "Save", 900), ""},
		"another name never is":                    {save, at("button", "Delete", 100), ""},
		"no name is another name":                  {save, at("button", "", 100), ""},
		"the nameless are known by role and place": {field(100), field(120), "input-120"},
		"place decides between two":                {save, at("button", "Save", 900) + at("button", "Save", 110), "button-110"},
		"two alike are not guessed":                {save, at("button", "Save", 90) + at("button", "Save", 110), ""},
		"three alike are not guessed":              {save, at("button", "Save", 900) + at("button", "Save", 800) + at("button", "Save", 700), ""},
		"the better of three after two alike":      {save, at("button", "Save", 900) + at("button", "Save", 800) + at("button", "Save", 100), "button-100"},
		"spacing is no difference":                 {save, at("button", "&nbsp;Save ", 100), "button-100"},
		"nothing is left":                          {save, "", ""},

		"a paragraph of another is not the same":   {row("p", "Alice", "Delete"), row("p", "Bob", "Delete"), ""},
		"a paragraph of the same is":               {row("p", "Alice", "Delete"), "<h1>People</h1>" + row("p", "Alice", "Delete"), "Alice"},
		"a list item of another is not":            {row("li", "Alice", "Delete"), row("li", "Bob", "Delete"), ""},
		"a box of another is not":                  {row("div", "Alice", "Delete"), row("div", "Bob", "Delete"), ""},
		"a row named by a link":                    {table(`<tr><td><a href="/1">Alice</a><td><button data-is=1>Delete</button>`), table(`<tr><td><a href="/2">Bob</a><td><button data-is=2>Delete</button>`), ""},
		"the row is found among others":            {table(cells("Alice") + cells("Bob")), table(cells("Bob") + cells("Alice")), "Alice"},
		"a row that is gone is not another":        {table(cells("Alice") + cells("Bob")), table(cells("Bob")), ""},
		"what a row says of the moment is no sign": {`<p><time>now</time> <button data-is=1>Stop</button>`, `<p><time>3 s ago</time> <button data-is=2>Stop</button>`, "2"},
	}
	tab := openHTML(t, "")
	for name, tt := range tests {
		tab.ask(t, tab.shows().frame, nil, fmt.Sprintf(`document.body.innerHTML = %q`, tt.was))
		tab.mustCapture(t)
		var got string
		tab.ask(t, tab.shows().frame, &got, fmt.Sprintf(`(() => {
			const id = document.querySelector("[data-is]").getAttribute("data-llm-id")
			document.body.innerHTML = %q
			const found = stepledger.ghost(id, 0).id
			return found ? stepledger.elementsOf(found)[0].getAttribute("data-is") : ""
		})()`, tt.now))
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// What was there beside a vanished element has not taken its place.
func TestGhost_IsNoNeighbour(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<p id="a">Alice <button>Delete</button></p><p id="b">Bob <button>Delete</button></p>`)
	c := tab.mustCapture(t)
	tab.eval(t, `a.remove(); b.firstChild.data = "Alice "`)
	tab.fails(t, click(string(c.Tree[0].ID)), CodeNotFound)
}

// A page that writes another row into the elements it has is not acted on.
func TestTab_Execute_AnotherRowInTheSameElement(t *testing.T) {
	t.Parallel()
	const page = `<ul><li><span id="who">Alice</span> <button id="b" onclick="document.title = 'clicked'">Delete</button></ul>`
	for change, acts := range map[string]bool{
		`who.textContent = "Bob"`:                             false,
		`b.textContent = "Restore"`:                           false,
		`b.setAttribute("role", "link")`:                      false,
		`who.textContent = "Alice, 3 new"`:                    true,
		`who.innerHTML = "Alice <i role=status>online</i>"`:   true,
		`b.textContent = " Delete "; b.style.color = "green"`: true,
	} {
		tab := openHTML(t, page)
		remove := click(id(t, tab.mustCapture(t), "btn", "Delete"))
		tab.eval(t, change)
		if r := tab.mustExecute(t, remove); (r.Status == StatusSuccess) != acts {
			t.Errorf("%s: %s %v", change, r.Status, r.Error)
		}
	}
}

package browser

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An outline is for the person who watches: it is seen by nothing that reads or clicks
// the page, not even over a dialog, and counts as no change.
func TestHighlight(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<p>Ward 3</p><dialog><button onclick="this.textContent = 'Saved'">Save</button></dialog>
		<script>document.querySelector("dialog").showModal()</script>`)
	before := tab.mustCapture(t)
	save := id(t, before, "btn", "Save")
	highlight := func(id string, drawn bool) {
		t.Helper()
		var got bool
		if err := tab.call(t.Context(), &got, "highlight", id); err != nil {
			t.Fatal(err)
		}
		if got != drawn {
			t.Fatalf("highlight(%q) = %v", id, got)
		}
		var outlines int
		evaluate(t, tab, `document.querySelectorAll("stepledger-outline").length`, &outlines)
		if (outlines == 1) != drawn {
			t.Fatalf("after highlight(%q) there are %d outlines", id, outlines)
		}
	}

	if err := tab.call(t.Context(), &counted{}, "arm", ""); err != nil {
		t.Fatal(err)
	}
	highlight(save, true)
	var after counted
	if err := tab.call(t.Context(), &after, "disarm"); err != nil {
		t.Fatal(err)
	}
	if after.Mutations != 0 {
		t.Errorf("the outline counts as %d changes", after.Mutations)
	}
	if diff := cmp.Diff(before, tab.mustCapture(t)); diff != "" {
		t.Errorf("the page is another with the outline (-without +with)\n%s", diff)
	}
	var open bool
	evaluate(t, tab, `document.querySelector("stepledger-outline").shadowRoot !== null`, &open)
	if open {
		t.Error("the page can look into the outline")
	}
	tab.does(t, click(save))
	id(t, tab.mustCapture(t), "btn", "Saved")

	highlight("", false)
	highlight(save, true)
	highlight("999", false)
}

// evaluate asks the page's own world.
func evaluate(t *testing.T, tab *Tab, expression string, out any) {
	t.Helper()
	value, err := tab.Evaluate(t.Context(), expression)
	if err == nil {
		err = json.Unmarshal(value, out)
	}
	if err != nil {
		t.Fatal(err)
	}
}

package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func keys(es ...Element) map[string]string {
	AssignKeys(es)
	m := map[string]string{}
	for _, e := range es {
		m[e.ID] = e.Key
	}
	return m
}

func TestAssignKeys(t *testing.T) {
	t.Parallel()
	t.Run("an inserted sibling renames nobody", func(t *testing.T) {
		t.Parallel()
		before := keys(button("1", "Save"), button("2", "Cancel"), field("3", "Email", ""))
		after := keys(button("1", "Save"), button("9", "Preview"), button("2", "Cancel"), field("3", "Email", ""))
		delete(after, "9")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("an inserted twin renames only the twins after it", func(t *testing.T) {
		t.Parallel()
		before := keys(button("1", "Delete"), button("2", "Save"))
		after := keys(button("8", "Delete"), button("1", "Delete"), button("2", "Save"))
		if before["2"] != after["2"] {
			t.Errorf("Save was %q, is %q", before["2"], after["2"])
		}
		if after["8"] == after["1"] {
			t.Errorf("twins share the key %q", after["1"])
		}
	})
	t.Run("the group tells twins apart", func(t *testing.T) {
		t.Parallel()
		row := func(id, group string) Element {
			return Element{ID: id, Role: "button", Name: "Delete", Group: group}
		}
		before := keys(row("1", "Apple"), row("2", "Banana"))
		after := keys(row("2", "Banana"))
		if before["2"] != after["2"] {
			t.Errorf("Banana's Delete was %q, is %q", before["2"], after["2"])
		}
	})
	t.Run("numbered groups are no twins", func(t *testing.T) {
		t.Parallel()
		k := keys(Element{ID: "1", Role: "button", Name: "Cancel", Group: "Order #1"}, Element{ID: "2", Role: "button", Name: "Cancel", Group: "Order #2"})
		if family(k["1"]) == family(k["2"]) {
			t.Errorf("%v", k)
		}
	})
	t.Run("the author's name outlives a changed text", func(t *testing.T) {
		t.Parallel()
		a := keys(Element{ID: "1", Role: "button", Name: "Save", Anchor: "save-btn"})
		b := keys(Element{ID: "7", Role: "button", Name: "Saved", Anchor: "save-btn"})
		if a["1"] != b["7"] {
			t.Errorf("%q and %q", a["1"], b["7"])
		}
	})
	t.Run("an author's name used twice is nobody's", func(t *testing.T) {
		t.Parallel()
		k := keys(Element{ID: "1", Role: "textbox", Name: "From", Anchor: "date"}, Element{ID: "2", Role: "textbox", Name: "To", Anchor: "date"})
		if k["1"] != "textbox|From|" || k["2"] != "textbox|To|" {
			t.Errorf("%v", k)
		}
	})
	t.Run("a name that ticks keeps its key", func(t *testing.T) {
		t.Parallel()
		if a, b := keys(button("1", "Resend in 30s")), keys(button("1", "Resend in 29s")); a["1"] != b["1"] {
			t.Errorf("%q and %q", a["1"], b["1"])
		}
	})
}

package page

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	page := func(es ...Element) Page { return reading("https://a.test/", es) }
	tick := func(id, checked string) Element {
		return Element{ID: id, Role: "checkbox", Name: "Done", State: State{Checked: checked}}
	}
	for name, c := range map[string]struct {
		before, after Page
		want          []string
	}{
		"the same page": {page(button("1", "Save")), page(button("1", "Save")), nil},
		"a changed text": {
			page(button("1", "Save"), button("2", "Cancel")),
			page(button("1", "Saved"), button("2", "Cancel")),
			[]string{`Element 'button "Save"' changed 'text' from 'Save' to 'Saved'`},
		},
		"a changed text of an element with a new id": {
			page(field("1", "Name", ""), button("2", "Save"), button("3", "Cancel")),
			page(field("11", "Name", ""), button("12", "Saved"), button("13", "Cancel")),
			[]string{`Element 'button "Save"' changed 'text' from 'Save' to 'Saved'`},
		},
		"a typed value": {
			page(field("1", "Email", "")), page(field("1", "Email", "a@b.c")),
			[]string{`Element 'textbox "Email"' changed 'value' from '' to 'a@b.c'`},
		},
		"states": {
			page(Element{ID: "1", Role: "checkbox", Name: "Gift", State: State{Checked: "false"}},
				Element{ID: "2", Role: "button", Name: "Menu", State: State{Expanded: "false"}},
				Element{ID: "3", Role: "button", Name: "Go", State: State{Disabled: true}},
				Element{ID: "4", Role: "tab", Name: "All"},
				field("5", "Zip", "x")),
			page(Element{ID: "1", Role: "checkbox", Name: "Gift", State: State{Checked: "true"}},
				Element{ID: "2", Role: "button", Name: "Menu", State: State{Expanded: "true"}},
				Element{ID: "3", Role: "button", Name: "Go"},
				Element{ID: "4", Role: "tab", Name: "All", State: State{Selected: true}},
				Element{ID: "5", Role: "textbox", Name: "Zip", Value: "x", State: State{Invalid: true}}),
			[]string{
				`Element 'checkbox "Gift"' changed 'checked' from 'false' to 'true'`,
				`Element 'button "Menu"' changed 'ariaExpanded' from 'false' to 'true'`,
				`Element 'button "Go"' changed 'disabled' from 'true' to 'false'`,
				`Element 'tab "All"' changed 'selected' from 'false' to 'true'`,
				`Element 'textbox "Zip"' changed 'invalid' from 'false' to 'true'`,
			},
		},
		"appeared and gone": {
			page(button("1", "Open"), button("2", "Close")),
			page(button("1", "Open"), Element{ID: "3", Role: "menuitem", Name: "Export"}),
			[]string{`New element appeared: menuitem "Export"`, `Element disappeared: button "Close"`},
		},
		"ids that moved by one": {
			page(button("1", "A"), button("2", "B"), button("3", "C")),
			page(button("1", "New"), button("2", "A"), button("3", "B"), button("4", "C")),
			[]string{`New element appeared: button "New"`},
		},
		"a row removed": {
			page(Element{ID: "1", Role: "button", Name: "Delete", Group: "Apple"}, Element{ID: "2", Role: "button", Name: "Delete", Group: "Pear"}),
			page(Element{ID: "1", Role: "button", Name: "Delete", Group: "Pear"}),
			[]string{`Element disappeared: button "Delete"`},
		},
		"a twin removed": {
			page(Element{ID: "1", Role: "checkbox", Name: "Done", State: State{Checked: "true"}}, Element{ID: "2", Role: "checkbox", Name: "Done", State: State{Checked: "false"}}),
			page(Element{ID: "2", Role: "checkbox", Name: "Done", State: State{Checked: "false"}}),
			[]string{`Element disappeared: checkbox "Done"`},
		},
		"a row inserted where every row has the same box": {
			page(row(1, "Apple")[0], tick("2", "false"), row(3, "Pear")[0], tick("4", "false")),
			page(row(1, "New")[0], tick("2", "false"), row(3, "Apple")[0], tick("4", "true"), row(5, "Pear")[0], tick("6", "false")),
			[]string{
				`Element 'checkbox "Done"' changed 'checked' from 'false' to 'true'`,
				`New element appeared: link "New"`, `New element appeared: checkbox "Done"`,
			},
		},
		"a row removed where every row has the same box": {
			page(row(1, "Apple")[0], tick("2", "true"), row(3, "Pear")[0], tick("4", "false")),
			page(row(1, "Pear")[0], tick("2", "false")),
			[]string{`Element disappeared: link "Apple"`, `Element disappeared: checkbox "Done"`},
		},
		"another link in the place of one": {
			page(Element{ID: "1", Role: "link", Name: "Home", Href: "/"}),
			page(Element{ID: "1", Role: "link", Name: "Help", Href: "/help"}),
			[]string{`New element appeared: link "Help"`, `Element disappeared: link "Home"`},
		},
		"a tracking token in a link": {
			page(Element{ID: "1", Role: "link", Name: "Home", Href: "/?t=1"}),
			page(Element{ID: "1", Role: "link", Name: "Home", Href: "/?t=2"}), nil,
		},
		"another page around what both have": {
			page(button("1", "Home"), button("2", "Feed"), button("3", "Jobs"), button("4", "Save"), button("5", "Share"), button("6", "Help")),
			page(button("11", "Home"), button("12", "Edit"), button("13", "Back to profile"), button("14", "Saved"), button("15", "Add a role")),
			[]string{
				`New element appeared: button "Edit"`, `New element appeared: button "Back to profile"`, `New element appeared: button "Saved"`, `New element appeared: button "Add a role"`,
				`Element disappeared: button "Feed"`, `Element disappeared: button "Jobs"`, `Element disappeared: button "Save"`, `Element disappeared: button "Share"`, `Element disappeared: button "Help"`,
			},
		},
		"another text where all around is as before": {
			page(button("1", "Home"), button("2", "Play"), button("3", "Help")),
			page(button("11", "Home"), button("12", "Pause"), button("13", "Help")),
			[]string{`Element 'button "Play"' changed 'text' from 'Play' to 'Pause'`},
		},
		"a clock on a button": {page(button("1", "12:03:58")), page(button("1", "12:03:59")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := texts(Diff(c.before.Skeleton(), c.after.Skeleton()))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDiff_messagesComeFirstAndErrorsBeforeAll(t *testing.T) {
	t.Parallel()
	before := reading("https://a.test/", []Element{button("1", "Save")}, Alert{AlertOther, "Draft"}, Alert{AlertOther, "Ends in 4:59"})
	after := reading("https://a.test/", []Element{button("1", "Saved")},
		Alert{AlertSuccess, "Successfully updated"}, Alert{AlertError, "Email is invalid"}, Alert{AlertOther, "Ends in 4:58"})
	want := []string{
		"New message/alert appeared: Email is invalid",
		"New message/alert appeared: Successfully updated",
		"Message/alert disappeared: Draft",
		`Element 'button "Save"' changed 'text' from 'Save' to 'Saved'`,
	}
	got := Diff(before.Skeleton(), after.Skeleton())
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Error(diff)
	}
	if got[0].Kind != AlertAppeared || got[0].Alert != AlertError || got[3].Attr != AttrText || got[3].To != "Saved" {
		t.Errorf("the fields do not say what the text says: %+v", got)
	}
}

func TestDiff_sameMessageTwiceIsTwoMessages(t *testing.T) {
	t.Parallel()
	one := reading("https://a.test/", nil, Alert{AlertSuccess, "Added"})
	two := reading("https://a.test/", nil, Alert{AlertSuccess, "Added"}, Alert{AlertSuccess, "Added"})
	if got := texts(Diff(one.Skeleton(), two.Skeleton())); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func TestDiff_isBoundedAndCountsTheRest(t *testing.T) {
	t.Parallel()
	list := func(prefix string) []Element {
		es := make([]Element, 200)
		for i := range es {
			es[i] = Element{ID: fmt.Sprint(prefix, i), Role: "link", Name: fmt.Sprint(prefix, i), Href: fmt.Sprint("/", prefix, i)}
		}
		return es
	}
	got := texts(Diff(reading("https://a.test/", list("old")).Skeleton(), reading("https://a.test/", list("new")).Skeleton()))
	if len(got) != maxAppearedLines+maxGoneLines+2 {
		t.Fatalf("%d lines", len(got))
	}
	if got[maxAppearedLines] != "185 more elements appeared" || got[len(got)-1] != "190 more elements disappeared" {
		t.Errorf("%q, %q", got[maxAppearedLines], got[len(got)-1])
	}
}

func TestDiff_whatWasPushedOverTheEdgeIsNotGone(t *testing.T) {
	t.Parallel()
	list := func(n int) (es []Element) {
		for i := range n {
			es = append(es, button(strconv.Itoa(i), fmt.Sprint("Entry ", i)))
		}
		return es
	}
	before := reading("https://a.test/", list(MaxSkeleton+10))
	after := reading("https://a.test/", append([]Element{button("new", "New")}, list(MaxSkeleton+10)...))
	want := []string{`New element appeared: button "New"`}
	if diff := cmp.Diff(want, texts(Diff(before.Skeleton(), after.Skeleton()))); diff != "" {
		t.Error(diff)
	}
}

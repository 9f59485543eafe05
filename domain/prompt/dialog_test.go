package prompt

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// covered is a page with a dialog in the middle of its text.
func covered() page.Page {
	p := page.Page{
		URL: "https://mail.example/", Text: "Mail\nInbox\nEmpty Spam\nAll messages are deleted.\nCancel\nThis cannot be undone.\nAnn wrote\nOpen\nThe end",
		Layers: []page.Layer{{Role: "dialog", Name: "Empty Spam"}},
		Elements: []page.Element{
			{ID: "1", Role: "button", Name: "Inbox", State: page.State{Occluded: true}},
			{ID: "2", Role: "button", Name: "Cancel", Layer: 1},
			{ID: "3", Role: "button", Name: "Open", State: page.State{Occluded: true}},
		},
	}
	l := &p.Layers[0]
	l.TextFrom = strings.Index(p.Text, "Empty Spam")
	l.TextTo = strings.Index(p.Text, "Ann wrote")
	for i := range p.Elements {
		e := &p.Elements[i]
		e.TextFrom = strings.Index(p.Text, e.Name)
		e.TextTo = e.TextFrom + len(e.Name)
	}
	page.AssignKeys(p.Elements)
	return p
}

func TestPage_openDialogComesFirst(t *testing.T) {
	t.Parallel()
	const want = `elements (3 of 3):
dialog "Empty Spam"
t "All messages are deleted."
2 btn "Cancel"
t "This cannot be undone."
behind the dialog, covered:
t "Mail"
1 btn "Inbox" s=covered
t "Ann wrote"
3 btn "Open" s=covered
t "The end"`
	if got := Page(covered(), View{}).Text; !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s", got)
	}
	if got := Find(covered(), View{}, "wrote"); strings.Contains(got, "dialog") || !strings.Contains(got, "Ann wrote") {
		t.Errorf("found behind it is\n%s", got)
	}
}

func TestPage_whatIsNoOpenDialog(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *page.Page){
		"it is covered itself": func(p *page.Page) { p.Elements[1].State.Occluded = true },
		"a banner by its class": func(p *page.Page) {
			p.Layers[0].Role = ""
			p.Elements[0].State.Occluded, p.Elements[2].State.Occluded = false, false
		},
		"all of the page":                     func(p *page.Page) { p.Elements[0].Layer, p.Elements[2].Layer = 1, 1 },
		"nothing in it can be used":           func(p *page.Page) { p.Elements[1].State.Hidden = true },
		"a layer number that is not known of": func(p *page.Page) { p.Layers = nil },
	} {
		p := covered()
		change(&p)
		if got := Page(p, View{}).Text; strings.Contains(got, "dialog") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// TestPage_allOfTheDialog: of a large page the dialog is shown whole.
func TestPage_allOfTheDialog(t *testing.T) {
	t.Parallel()
	p := orders(500)
	p.Text += "\nMove to\n"
	from := len(p.Text)
	p.Layers = []page.Layer{{Modal: true, Name: "Move to", TextFrom: from}}
	for i := range 20 {
		name := "Folder " + strconv.Itoa(i)
		p.Elements = append(p.Elements, page.Element{ID: "f" + strconv.Itoa(i), Role: "button", Name: name, Layer: 1, TextFrom: len(p.Text), TextTo: len(p.Text) + len(name)})
		p.Text += name + "\nIt holds " + strconv.Itoa(i) + " orders\n"
	}
	p.Layers[0].TextTo = len(p.Text)
	page.AssignKeys(p.Elements)
	got := Page(p, View{Task: "delete the order of customer 7", Tokens: 2_000})
	for i := range 20 {
		if !strings.Contains(got.Text, "It holds "+strconv.Itoa(i)+" orders") || got.Shown[i] != "f"+strconv.Itoa(i) {
			t.Fatalf("folder %d is missing:\n%s", i, got.Text)
		}
	}
}

// A dialog is the outermost box over the page: a list in it is not, though its author calls
// it a part of a modal and some of its entries cannot be hit; a question over it is.
func TestPage_outermostDialog(t *testing.T) {
	t.Parallel()
	nested := func(saveCovered bool) string {
		p := covered()
		p.Layers = append(p.Layers, page.Layer{Name: "", TextFrom: p.Layers[0].TextFrom + len("Empty Spam\n"), TextTo: p.Layers[0].TextTo - 1})
		p.Elements[1].Layer = 2
		at := p.Layers[0].TextTo - 1
		for i, name := range []string{"Save", "×"} {
			e := page.Element{ID: "s" + strconv.Itoa(i), Role: "button", Name: name, Layer: 1, TextFrom: at, TextTo: at}
			e.State.Occluded = saveCovered
			p.Elements = append(p.Elements[:2:2], append([]page.Element{e}, p.Elements[2:]...)...)
		}
		entry := page.Element{ID: "e", Role: "checkbox", Name: "Entry", Layer: 2, State: page.State{Occluded: true}, TextFrom: at, TextTo: at}
		p.Elements = append(p.Elements[:2:2], append([]page.Element{entry}, p.Elements[2:]...)...)
		page.AssignKeys(p.Elements)
		return Page(p, View{}).Text
	}
	front, _, _ := strings.Cut(nested(false), "behind the dialog")
	for _, want := range []string{`dialog "Empty Spam"`, `"Cancel"`, `"Entry" s=`, `"Save"`, `"×"`} {
		if !strings.Contains(front, want) {
			t.Errorf("the dialog lacks %s:\n%s", want, front)
		}
	}
	front, _, _ = strings.Cut(nested(true), "behind the dialog")
	if strings.Contains(front, `"Save"`) || !strings.Contains(front, `"Cancel"`) {
		t.Errorf("of a question over a dialog:\n%s", front)
	}
}

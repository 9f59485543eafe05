package rules

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func language(p page.Page, l string) page.Page {
	p.Language = l
	return p
}

// A message is judged by what it says of the action, and by its mark where it says
// nothing of it.
func TestVerify_Messages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, text string
		kind           page.AlertKind
		want           outcome
	}{
		{"en", "Order no. 4711 confirmed", page.AlertOther, success},
		{"en", "Order no. 4711 confirmed", page.AlertSuccess, success},
		{"fr", "Commande n° 12 confirmée", page.AlertOther, success},
		{"fr", "Commande n° 12 confirmée", page.AlertSuccess, success},
		{"", "Commande n° 12 confirmée", page.AlertSuccess, success},
		{"de", "Bestellung Nr. 3 bestätigt", page.AlertOther, success},
		{"es", "Pedido núm. 8 confirmado", page.AlertSuccess, success},
		{"it", "Ordine n. 7 confermato, nessun errore", page.AlertOther, success},
		{"pt", "Encomenda n.º 12 enviada", page.AlertOther, success},
		{"en", "No problem, saved", page.AlertOther, success},
		{"en", "Saved. 0 errors", page.AlertOther, success},
		{"en", "0 errors", page.AlertSuccess, success},
		{"en", "All set — no further action needed", page.AlertOther, success},
		{"en", "Unsaved changes", page.AlertOther, undecided},
		{"en", "Unsaved changes", page.AlertSuccess, undecided},
		{"en", "You have unsaved edits", page.AlertSuccess, undecided},
		{"de", "Ungespeicherte Änderungen", page.AlertSuccess, undecided},
		{"en", "Saving…", page.AlertSuccess, undecided},
		{"en", "Your message will be sent when you are online", page.AlertSuccess, undecided},
		{"en", "Your message will be sent when you are online", page.AlertOther, undecided},
		{"fr", "Votre message sera envoyé dès que vous serez en ligne", page.AlertOther, undecided},
		{"en", "Save your changes?", page.AlertOther, undecided},
		{"en", "Was it saved?", page.AlertSuccess, undecided},
		{"en", "Could not be saved", page.AlertOther, failure},
		{"en", "Not saved", page.AlertOther, failure},
		{"de", "nicht gespeichert", page.AlertSuccess, failure},
		{"en", "Order no. 4711 was not confirmed", page.AlertOther, failure},
	} {
		after := language(with(save, alert(c.kind, c.text)), c.language)
		m := moment{clickOne, save, after, page.Witness{NetworkOccurred: yes(), DOMMutated: yes()}}
		if v := m.verdict(t); outcomeOf(v) != c.want {
			t.Errorf("%q (%s) in %q: %v by %q, want %v: %s", c.text, c.kind, c.language, outcomeOf(v), v.Rule, c.want, v.Reason)
		}
	}
}

// Nothing that is not done yet is proof of it.
func TestConfirm_Messages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Patient saved": true, "Order no. 5 created": true, "Unsaved changes": false, "Not saved": false, "Will be saved later": false, "Was it saved?": false,
	} {
		p := language(with(pageOf(home), func(p *page.Page) { p.Headings = []string{text} }), "en")
		v, err := Reasoner{}.Confirm(t.Context(), reasoning.ConfirmQuestion{
			Query: "add a patient with name 'Jas'", Page: p, Steps: []reasoning.Step{
				{Action: setOne("Jas"), Target: `textbox "Name"`, Verified: true, Succeeded: true},
				{Index: 1, Action: action.Action{Name: action.Click, Target: "2"}, Target: `button "Save"`, Verified: true, Succeeded: true},
			},
		})
		if err != nil || v.TaskCompleted != want {
			t.Errorf("%q: %v, %v: %s", text, v.TaskCompleted, err, v.Reason)
		}
	}
}

// No reason says that nothing changed beside an observation that something did, and a
// change elsewhere is no failure of a control of which nobody knows what it did.
func TestVerify_NothingChangedIsTrue(t *testing.T) {
	t.Parallel()
	basket := pageOf(home, elem("button", "Add lamp to cart", withID("1")), elem("button", "Help"))
	bare, mutated := page.Witness{}, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), URLChanged: nay()}
	for name, c := range map[string]struct {
		before, after page.Page
		saw           page.Witness
	}{
		"a count":                  {withText(basket, append(lines, "Cart (1)")...), withText(basket, append(lines, "Cart (2)")...), bare},
		"a count, and marks":       {withText(basket, append(lines, "Cart (1)")...), withText(basket, append(lines, "Cart (2)")...), mutated},
		"a sum":                    {withText(basket, append(lines, "Total 10.00")...), withText(basket, append(lines, "Total 25.00")...), bare},
		"a line of text":           {withText(basket, lines...), withText(basket, append(lines, "Lamp")...), bare},
		"what lay under something": {with(basket, func(p *page.Page) { p.Elements[1].State.Occluded = true }), basket, bare},
		"what lies under it now":   {basket, with(basket, func(p *page.Page) { p.Elements[1].State.Occluded = true }), bare},
		"what was hidden":          {with(basket, func(p *page.Page) { p.Elements[1].State.Hidden = true }), basket, bare},
		"the document":             {basket, stirred(basket), bare},
	} {
		m := moment{clickOne, c.before, c.after, c.saw}
		v := m.verdict(t)
		if strings.Contains(v.Reason, "nothing changed") {
			t.Errorf("%s: %s", name, v.Reason)
		}
		if outcomeOf(v) == failure && name != "the document" && name != "a line of text" {
			t.Errorf("%s: failed by %q: %s", name, v.Rule, v.Reason)
		}
	}
}

// renamed is a page whose first control is called in a way that says nothing.
func renamed(p page.Page) page.Page {
	return with(p, func(p *page.Page) { p.Elements[0].Name = "Colour" })
}

// What a control takes away from over the page is what it is for.
func TestVerify_Uncovered(t *testing.T) {
	t.Parallel()
	covered := pageOf(home, elem("button", "Close", withID("1")), elem("button", "Save", state(occluded)), elem("link", "Help", state(occluded)))
	bare := pageOf(home, elem("button", "Close", withID("1")), elem("button", "Save"), elem("link", "Help"))
	german := language(pageOf(home, elem("button", "Schließen", withID("1")), elem("button", "Speichern", state(occluded))), "de")
	for name, c := range map[string]struct {
		m    moment
		want outcome
	}{
		"closed": {moment{clickOne, covered, bare, page.Witness{}}, success},
		"closed, and the click went through the client": {moment{clickOne, covered, bare, page.Witness{NetworkOccurred: nay(), DOMMutated: yes(), URLChanged: nay()}}, success},
		"closed in German":         {moment{clickOne, german, language(pageOf(home, elem("button", "Schließen", withID("1")), elem("button", "Speichern")), "de"), page.Witness{}}, success},
		"closed by a key":          {moment{escape, covered, bare, page.Witness{}}, success},
		"not closed":               {moment{clickOne, covered, covered, page.Witness{}}, failure},
		"a link that took it away": {moment{clickOne, renamed(covered), renamed(bare), page.Witness{}}, undecided},
	} {
		if v := c.m.verdict(t); outcomeOf(v) != c.want || strings.Contains(v.Reason, "nothing changed") == (c.want != failure) {
			t.Errorf("%s: %v by %q: %s", name, outcomeOf(v), v.Rule, v.Reason)
		}
	}
	if v := (moment{clickOne, bare, bare, page.Witness{}}).verdict(t); v.Confidence != reasoning.NoChangeConfidence {
		t.Errorf("nothing changed: %v", v.Confidence)
	}
}

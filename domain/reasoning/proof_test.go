package reasoning_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func shown(p page.Page) reasoning.Evidence { return reasoning.Evidence{Page: p} }

func hasWordRune(text string) reasoning.Evidence { return shown(page.Page{Text: text}) }

func TestEvidence_Find(t *testing.T) {
	t.Parallel()
	changed := func(kind page.ObservationKind, alert page.AlertKind, text string) reasoning.Evidence {
		return reasoning.Evidence{Observations: []page.Observation{{Kind: kind, Alert: alert, Text: text}}}
	}
	secret := page.Element{Name: "PIN", State: page.State{Secret: true}}
	for _, c := range []struct {
		name  string
		in    reasoning.Evidence
		quote string
		want  reasoning.ProofSource // "" for none
	}{
		{"a text of the page", hasWordRune("Order 4711 placed. Thank you!"), "Order 4711 placed.", reasoning.OnPage},
		{"whatever its case and spaces", hasWordRune("ORDER  4711\n placed"), "order 4711 placed", reasoning.OnPage},
		{"a heading", shown(page.Page{Headings: []string{"Thank you"}}), "Thank you", reasoning.OnPage},
		{"the title", shown(page.Page{Title: "Patient Jas"}), "Patient Jas", reasoning.OnPage},
		{"the address", shown(page.Page{URL: "https://a.example/orders/4711"}), "https://a.example/orders/4711", reasoning.OnPage},
		{"a name", shown(page.Page{Elements: []page.Element{{Name: "Log out"}}}), "Log out", reasoning.OnPage},
		{"a value", shown(page.Page{Elements: []page.Element{{Name: "City", Value: "Oslo"}}}), "Oslo", reasoning.OnPage},
		{"the option that is chosen", shown(page.Page{Elements: []page.Element{{Options: []page.Option{{Label: "North"}, {Label: "South", Selected: true}}}}}), "South", reasoning.OnPage},
		{"one that is not", shown(page.Page{Elements: []page.Element{{Options: []page.Option{{Label: "North"}, {Label: "South", Selected: true}}}}}), "North", ""},
		{"the value of a secret field is nowhere", shown(page.Page{Elements: []page.Element{secret}}), "4711", ""},
		{"a hidden element", shown(page.Page{Elements: []page.Element{{Name: "Saved", Value: "Saved", State: page.State{Hidden: true}}}}), "Saved", ""},
		{"a success message", shown(page.Page{Alerts: []page.Alert{{Kind: page.AlertSuccess, Text: "Saved"}}}), "Saved", reasoning.OnPage},
		{"a message of any kind but an error", shown(page.Page{Alerts: []page.Alert{{Kind: page.AlertOther, Text: "2 items in your cart"}}}), "2 items", reasoning.OnPage},
		{"an error", shown(page.Page{Alerts: []page.Alert{{Kind: page.AlertError, Text: "Not saved"}}}), "saved", ""},
		{"an error that the text repeats", shown(page.Page{
			Text: "Patients Server error: Jas was not saved Add", Alerts: []page.Alert{{Kind: page.AlertError, Text: "Server error: Jas was not saved"}},
		}), "saved", ""},
		{"an error that an element repeats", shown(page.Page{
			Elements: []page.Element{{Role: "alert", Name: "Could not place order 12"}}, Alerts: []page.Alert{{Kind: page.AlertError, Text: "Could not place order 12"}},
		}), "order 12", ""},
		{"beside an error", shown(page.Page{
			Text: "Jas was saved Phone is missing", Alerts: []page.Alert{{Kind: page.AlertError, Text: "Phone is missing"}},
		}), "Jas was saved", reasoning.OnPage},
		{"what appeared", changed(page.TextAppeared, "", "New text: 3 patients"), "3 patients", reasoning.InChange},
		{"what is gone", changed(page.ElementGone, "", `row "Kim" is gone`), "Kim", reasoning.InChange},
		{"a message that appeared", changed(page.AlertAppeared, page.AlertSuccess, "New message: Saved"), "Saved", reasoning.InChange},
		{"an error that appeared", changed(page.AlertAppeared, page.AlertError, "New message: Not saved"), "saved", ""},
		{"what the client heard of the network", changed(page.Witnessed, "", "A request was made: saved"), "saved", ""},
		{"that nothing changed", changed(page.ContentSame, "", "The page is the same"), "the same", ""},
		{"what the client says of itself", changed(page.Reported, "", "The client says: saved"), "saved", ""},
		{"a message that is gone", reasoning.Evidence{Witness: page.Witness{SuccessMessages: []string{"Saved!"}}}, "Saved", reasoning.InReport},
		{"an error the client saw", reasoning.Evidence{Witness: page.Witness{ErrorsDetected: []string{"Not saved"}, RecentEvents: []string{"Added: saved"}}}, "saved", ""},
		{"nothing", hasWordRune("Saved"), "", ""},
		{"marks only", hasWordRune("Saved … !"), "…", ""},
		{"other words", hasWordRune("Order 4711 placed"), "Order 4712 placed", ""},
		{"the same words apart", hasWordRune("Order 4711 was placed"), "Order 4711 placed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, found := c.in.Find(c.quote)
			if found != (c.want != "") || got.Source != c.want || found && !strings.EqualFold(got.Quote, page.Clean(c.quote)) || !found && got != (reasoning.Proof{}) {
				t.Errorf("%v %+v, want %q", found, got, c.want)
			}
		})
	}
}

// A line about an element, as it is shown to models, is found by what it has in quotation
// marks: all of it.
func TestEvidence_Find_linesOfElements(t *testing.T) {
	t.Parallel()
	p := shown(page.Page{Text: "Tax Season\tAction Required Clients", Elements: []page.Element{{Role: "textbox", Name: "Year of Birth:", Value: "1974"}, {Role: "link", Name: "Nathalie"}}})
	for quote, want := range map[string]string{
		`2 inp "Year of Birth:" v="1974" s=covered`: "Year of Birth:",
		`link "Nathalie" s=focused,covered`:         "Nathalie",
		`2 inp "Year of Birth:" v="1975"`:           "",
		`Tax Season | Action Required Clients`:      "Action Required Clients",
		`t "Tax Season | Action Required Clients"`:  "Action Required Clients",
		`Tax Season | Action Required Finance`:      "",
		`9 elements are covered by something now`:   "",
		`inp "" v=""`: "",
	} {
		got, found := p.Find(quote)
		if found != (want != "") || got.Quote != want {
			t.Errorf("%s: %v %+v", quote, found, got)
		}
	}
}

// A quote is found as whole words and whole numbers, in scripts without spaces
// anywhere, and a letter or two only as the whole of a text.
func TestEvidence_Find_words(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, quote string
		want        bool
	}{
		{"Unsaved changes", "saved", false}, {"saved", "saved", true}, {"(Saved.)", "saved", true}, {"savedness", "saved", false},
		{"Jason", "Jas", false}, {"Jas, Kim", "Jas", true}, {"xa b a b a", "a b a", true},
		{"14711", "4711", false}, {"4711", "4711", true}, {"No. 4711/2", "4711", true}, {"47115", "4711", false},
		{"1,500.00", "500", false}, {"1,500.00", "1,500.00", true}, {"Total: $1,500.00.", "1,500.00", true}, {"12.345", "12", false}, {"12.345", "345", false}, {"12, 345", "12", true},
		{"Café", "Caf", false}, {"Cafe\u0301", "Cafe", false}, {"हटाया गया", "हटा", false}, {"हटाया गया", "हटाया", true},
		{"Удалено", "Удален", false}, {"Заказ удален", "удален", true}, {"Straßenfest", "Straße", false},
		{"注文を受け付けました", "受け付けました", true}, {"保存成功", "成功", true}, {"저장되었습니다", "저장", true}, {"บันทึกแล้ว", "บันทึก", true},
		{"ບັນທຶກແລ້ວ", "ບັນທຶກ", true}, {"បានរក្សាទុក", "រក្សាទុក", true}, {"注文4711を受け付けました", "4711", true},
		{"This is a form", "a", false}, {"a", "a", true}, {"OK to go on", "OK", false}, {"ok", "OK", true}, {"M", "M", true}, {"Size M", "M", false},
		{"保存成功", "成", false}, {"是", "是", true}, {"2 of 3", "2", true}, {"Yes, it is", "yes", true},
		{"ا", "ا", true}, {"تم الحفظ بنجاح", "تم الحفظ", true}, {"נשמר בהצלחה", "נשמר", true}, {"שנשמר", "נשמר", false},
	} {
		if _, got := hasWordRune(c.text).Find(c.quote); got != c.want {
			t.Errorf("%q in %q: %v", c.quote, c.text, got)
		}
	}
}

// A quote is kept as it was given, cut to what can be shown.
func TestEvidence_Find_cutsLongQuotes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("gespeichert für Jürgen ", 50)
	got, found := hasWordRune(long).Find(long)
	if n := utf8.RuneCountInString(got.Quote); !found || n > 200 || n < 190 || !utf8.ValidString(got.Quote) {
		t.Errorf("%v, %d characters", found, n)
	}
}

func TestEvidence_Best(t *testing.T) {
	t.Parallel()
	button := page.Element{Role: "button", Name: "Save"}
	newRow := page.Observation{Kind: page.ElementAppeared, Text: `row "Jas" appeared`}
	message := page.Observation{Kind: page.AlertAppeared, Alert: page.AlertSuccess, Text: "New message: Jas was added"}
	failure := page.Observation{Kind: page.AlertAppeared, Alert: page.AlertError, Text: "New message: Not saved"}
	traffic := page.Observation{Kind: page.Witnessed, Text: "A request was made"}
	for _, c := range []struct {
		name   string
		in     reasoning.Evidence
		reason string
		want   reasoning.Proof
	}{
		{"what the reason quotes of the changes", reasoning.Evidence{Observations: []page.Observation{newRow, message}}, "There is “Jas was added”.",
			reasoning.Proof{Source: reasoning.InChange, Quote: "Jas was added"}},
		{"rather than the name of what was pressed", reasoning.Evidence{Page: page.Page{Elements: []page.Element{button}}, Observations: []page.Observation{newRow}}, "“Save” was clicked.",
			reasoning.Proof{Source: reasoning.InChange, Quote: `row "Jas" appeared`}},
		{"the second quote, where the first is nowhere", reasoning.Evidence{Observations: []page.Observation{message}}, "“Kim” is not, “Jas” is",
			reasoning.Proof{Source: reasoning.InChange, Quote: "Jas"}},
		{"a message first of what changed", reasoning.Evidence{Observations: []page.Observation{newRow, message}}, "It worked.",
			reasoning.Proof{Source: reasoning.InChange, Quote: message.Text}},
		{"what only stands on the page, where nothing changed", shown(page.Page{URL: "https://a.example/x"}), "“https://a.example/x” is open", reasoning.Proof{}},
		{"a message that stands there", shown(page.Page{Alerts: []page.Alert{{Kind: page.AlertSuccess, Text: "Saved"}}}), "The page says “Saved”.",
			reasoning.Proof{Source: reasoning.OnPage, Quote: "Saved"}},
		{"traffic and errors are none", reasoning.Evidence{Observations: []page.Observation{traffic, failure}}, "“Not saved” appeared", reasoning.Proof{}},
		{"nothing", reasoning.Evidence{}, "It worked.", reasoning.Proof{}},
		{"a quote without an end", reasoning.Evidence{}, "“Saved", reasoning.Proof{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, found := c.in.Best(c.reason); got != c.want || found != (c.want != reasoning.Proof{}) {
				t.Errorf("%v %+v", found, got)
			}
		})
	}
}

// Whatever is quoted: what is found stands there, and what stands there as a text of
// its own is found, unless it says nothing.
func TestEvidence_Find_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, quote := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "quote")
		if _, found := hasWordRune(text).Find(quote); found && !strings.Contains(fold(text), fold(quote)) {
			t.Fatalf("%q is found in %q", quote, text)
		}
		_, alone := hasWordRune(quote).Find(quote)
		_, within := hasWordRune(text + " | " + quote + " | " + text + quote).Find(quote)
		if within && !alone {
			t.Fatalf("%q is found within a text, and not alone", quote)
		}
		if _, found := shown(page.Page{Text: text + quote, Alerts: []page.Alert{{Kind: page.AlertError, Text: text + quote}}}).Find(quote); found {
			t.Fatalf("an error shows %q", quote)
		}
	})
}

func fold(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

package slot

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// wish is what a field asks for, as far as its label and type say.
type wish struct {
	sort  string          // the one thing it asks for most likely: "email", "from", ...
	group string          // sorts that take values of like form
	asks  map[string]bool // all that words of the label ask for
	words []string        // of the label, without those that mean nothing there
}

// sorts in the order in which they decide, and their groups. Whoever asks for a first
// name also asks for a name.
var sorts = []struct{ sort, group string }{
	{"email", "data"}, {"phone", "data"}, {"first", "person"}, {"last", "person"}, {"message", "free"},
	{"least", "amount"}, {"most", "amount"}, {"money", "amount"},
	{"search", "search"}, {"from", "place"}, {"to", "place"},
	{"place", "place"}, {"street", "place"}, {"postal", "data"}, {"code", "data"},
	{"count", "amount"}, {"date", "moment"}, {"time", "moment"}, {"name", "person"},
}

func wishOf(e page.Element) wish {
	w := wish{asks: map[string]bool{}, sort: "none", group: "none"}
	for _, t := range tokenize(label(e)) {
		w.word(t.low)
		if parts := strings.FieldsFunc(t.low, func(r rune) bool { return r == '-' || r == '/' || r == '_' }); len(parts) > 1 {
			for _, p := range parts {
				w.word(p)
			}
		}
	}
	w.byType(e)
	if len(w.words) > 0 {
		w.sort, w.group = "other", "other"
	}
	for _, s := range sorts {
		if w.asks[s.sort] {
			w.sort, w.group = s.sort, s.group
			break
		}
	}
	if w.sort == "search" && (w.asks["place"] || w.asks["postal"]) {
		w.sort, w.group = "place", "place"
	}
	return w
}

// word adds what a word of the label asks for.
func (w *wish) word(word string) {
	meant := asksFor[word]
	for _, a := range meant {
		w.asks[a] = true
	}
	if !slices.Contains(meant, "noise") {
		w.words = append(w.words, word)
	}
}

// label is what a person reads at a field.
func label(e page.Element) string {
	if e.Name != "" && !e.NameGuessed {
		return e.Name
	}
	return strings.TrimSpace(e.Caption + " " + e.Placeholder + " " + e.Name)
}

// byType adds what the type of a control asks for.
func (w *wish) byType(e page.Element) {
	switch e.Type {
	case "email":
		w.asks["email"] = true
	case "tel":
		w.asks["phone"] = true
	case "date", "datetime-local", "month", "week":
		w.asks["date"] = true
	case "time":
		w.asks["time"] = true
	case "search":
		w.asks["search"] = true
	}
	if e.Role == "searchbox" && len(w.asks) == 0 {
		w.asks["search"] = true
	}
}

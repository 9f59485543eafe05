package complexity

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/costtest"
)

var menu = page.Page{Elements: []page.Element{
	{Role: "link", Name: "Log out"}, {Role: "button", Name: "Submit"}, {Role: "button", Name: "Delete", State: page.State{Disabled: true}}, {Role: "link", Name: "Termine"},
}}

func TestOf(t *testing.T) {
	t.Parallel()
	long := "Book two seats for Ann Lee and Bob Ray on the cheapest train from Oslo to Bergen on 4 June at 8 am, returning on 9 June, " +
		"with breakfast, and pay with the card that is stored"
	for _, c := range []struct {
		query string
		page  page.Page
		want  Class
	}{
		{"Click Log out", menu, Simple},
		{"click the Submit button", menu, Simple},
		{"Klicke auf Termine", menu, Simple},
		{"Log out", page.Page{}, Simple},
		{"Show my orders", page.Page{}, Simple},
		{"", page.Page{}, Simple},
		{long, page.Page{}, Complex},
		{"Click Log out, then " + long, menu, Complex},
		{"Add a new patient with name Jas", menu, Complex},
		{"Fill in the form", page.Page{}, Complex},
		{"Lege einen Patienten namens Jas an", page.Page{}, Complex},
	} {
		got := Of(c.query, nil, c.page)
		if got.Class != c.want || got.Confidence < 0.5 || got.Confidence > 1 || len(got.Reasons) == 0 {
			t.Errorf("%q is %+v, want %s", c.query, got, c.want)
		}
	}
}

// What cannot be pressed is not named plainly.
func TestOf_controls(t *testing.T) {
	t.Parallel()
	named := func(query string) bool { return strings.Contains(Of(query, nil, menu).Reasons[0], "one control") }
	for query, want := range map[string]bool{
		"press Submit": true, "Submit": true, "Delete": false, "click Submit and Log out": false, "open the Submitted list": false, "do not press Submit": false,
	} {
		if named(query) != want {
			t.Errorf("%q names one control: %t", query, !want)
		}
	}
}

// More to do is never less likely to be long, in any language.
func TestOf_other(t *testing.T) {
	t.Parallel()
	for short, long := range map[string]string{
		"Zeige Bestellungen": "Buche zwei Plätze von Oslo nach Bergen am 4. Juni um 8 Uhr, zurück am 9. Juni um 17 Uhr, mit Frühstück und zwei Koffern, für Anna Lee und Bob Ray",
		"注文を表示":              "6月4日の8時にオスロからベルゲンまでの列車の座席を二つ予約し、6月9日の17時に戻り、朝食と荷物二つを付けて、アンナとボブの名前で支払ってください",
		"Покажи заказы":      "Забронируй два места из Осло в Берген на 4 июня в 8:00, обратно 9 июня в 17:00, с завтраком и двумя чемоданами, для Анны Ли и Боба Рэя",
	} {
		a, b := Of(short, nil, page.Page{}), Of(long, nil, page.Page{})
		if a.Class != Simple || b.Class != Complex || a.Long >= b.Long {
			t.Errorf("%q is %+v, %q is %+v", short, a, long, b)
		}
	}
}

func TestOf_answersCount(t *testing.T) {
	t.Parallel()
	alone := Of("Find a hotel", nil, page.Page{})
	more := Of("Find a hotel", []string{"In Bergen from 4 June to 9 June", "two rooms for Ann Lee and Bob Ray, with breakfast, under $200"}, page.Page{})
	if more.Long <= alone.Long {
		t.Errorf("%.2f alone, %.2f with answers", alone.Long, more.Long)
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(weightFile) {
		if !strings.HasPrefix(line, "#") {
			lines++
		}
	}
	if len(weights) != lines || lines == 0 {
		t.Errorf("%d weights in %d lines", len(weights), lines)
	}
}

// The fit needs no file: some short and some long tasks teach it which is which, on
// websites it has not seen.
func TestFit(t *testing.T) {
	t.Parallel()
	var tasks []task
	for _, site := range []string{"a", "b", "c", "d"} {
		for _, what := range []string{"orders", "prices", "news"} {
			tasks = append(tasks, task{site, "Show " + what, make([]string, 2)},
				task{site, "Book a room from 4 June to 9 June for two adults and compare " + what, make([]string, 9)})
		}
	}
	if got := auc(tasks, crossValidated(tasks, 4)); got < 1 {
		t.Errorf("AUC %.2f", got)
	}
	if a, b := printed(fit(tasks), 0), printed(fit(tasks), 0); a != b {
		t.Error("the same tasks give other weights")
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "Click Log out", "\xff\xfe", "予約 3", strings.Repeat("book ", 50), "İI ı", "a, b; c. d"} {
		f.Add(s, "Log out")
	}
	f.Fuzz(func(t *testing.T, query, name string) {
		p := page.Page{Elements: []page.Element{{Role: "button", Name: name}}}
		for _, c := range []Complexity{Of(query, nil, p), Of(query, []string{name}, p)} {
			if !(c.Long >= 0 && c.Long <= 1 && c.Confidence >= 0.5 && c.Confidence <= 1) || len(c.Reasons) == 0 || c.Class != Simple && c.Class != Complex {
				t.Fatalf("%q, %q: %+v", query, name, c)
			}
		}
	})
}

// Not parallel: it measures.
func TestCost(t *testing.T) {
	for _, piece := range []string{"a ", "the ", "Ann Lee, ", "5 May ", "日本", `"`} {
		costtest.Grows(t, maxRead/4, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() { Of(text, nil, page.Page{}) }
		})
	}
	costtest.Grows(t, 5_000, func(size int) func() {
		p := page.Page{Elements: make([]page.Element, size)}
		for i := range p.Elements {
			p.Elements[i] = page.Element{Role: "button", Name: "Save changes"}
		}
		return func() { Of("Click the red one", nil, p) }
	})
}

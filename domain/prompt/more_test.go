package prompt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
)

// orders is a table of n orders: the customer's name as text, then two buttons.
func orders(n int) page.Page {
	p := page.Page{URL: "https://shop.example/orders", Title: "Orders"}
	var text strings.Builder
	add := func(e page.Element, shown string) {
		e.TextFrom = text.Len()
		text.WriteString(shown)
		e.TextTo = text.Len()
		text.WriteString("\n")
		p.Elements = append(p.Elements, e)
	}
	for i := range n {
		row := fmt.Sprintf("Customer %d owes $%d", i, 10*i)
		text.WriteString(row + "\n")
		for _, name := range []string{"Open", "Delete"} {
			add(page.Element{ID: fmt.Sprintf("%s%d", strings.ToLower(name[:1]), i), Role: "button", Name: name, Group: fmt.Sprintf("Customer %d", i), Row: row}, name)
		}
	}
	text.WriteString("The end of the list")
	p.Text = text.String()
	page.AssignKeys(p.Elements)
	return p
}

func TestPage_textStandsWhereItIsOnThePage(t *testing.T) {
	t.Parallel()
	got := Page(orders(2), View{Task: "open it"}).Text
	want := `elements (4 of 4):
t "Customer 0 owes $0"
g "Customer 0"
o0 btn "Open"
d0 btn "Delete"
t "Customer 1 owes $10"
g "Customer 1"
o1 btn "Open"
d1 btn "Delete"
t "The end of the list"`
	if !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s", got)
	}
}

func TestPage_whatIsLeftOutIsCounted(t *testing.T) {
	t.Parallel()
	p := orders(1_000)
	got := Page(p, View{Task: "delete the order of customer 777", Tokens: 1_850})
	for _, want := range []string{"d777 btn \"Delete\"", "Customer 777 owes $7770", " rows or sections\n"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("it lacks %q:\n%s", want, got.Text)
		}
	}
	last := got.Text[strings.LastIndex(got.Text, "\n")+1:]
	if want := fmt.Sprintf("left out: %d buttons, ", 2_000-len(got.Shown)); !strings.HasPrefix(last, want) || got.Left != 2_000-len(got.Shown) {
		t.Errorf("it ends with %q, want %q", last, want)
	}
	if whole := Page(orders(3), View{}); strings.Contains(whole.Text, "left out") || strings.Contains(whole.Text, "…") {
		t.Errorf("of a small page something is left out:\n%s", whole.Text)
	}
}

func TestPage_newElementsAndScrolling(t *testing.T) {
	t.Parallel()
	p := orders(3)
	before := p.Skeleton()
	before.Elements = before.Elements[:len(before.Elements)-1]
	p.ScrollPosition = "25%"
	p.Regions = []page.Region{{ID: "o1", Depth: "40%", More: true}, {ID: "list"}}
	p.Scrollable = []string{"o1", "99"}
	got := Page(p, View{Before: before}).Text
	for _, want := range []string{
		"scrolled: the page is at 25%\n", "can be scrolled: o1 \"Open\", is at 40%, more is below\n", "can be scrolled: list, nothing more below\n",
		"can be scrolled: 99, more may be below\n", "d2 btn \"Delete\" s=new\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	if strings.Count(got, "s=new") != 1 || strings.Count(got, "can be scrolled: o1") != 1 {
		t.Errorf("more is new, or a region is named twice:\n%s", got)
	}
	if other := Page(news(40), View{Before: before}).Text; strings.Contains(other, "new") && strings.Contains(other, "s=new") {
		t.Error("on another page all is new")
	}
}

func TestPage_authorsWordsAndStates(t *testing.T) {
	t.Parallel()
	p := page.Page{Elements: []page.Element{
		{ID: "1", Role: "generic", Name: "like", NameGuessed: true, State: page.State{Marks: "active"}},
		{ID: "2", Role: "button", Name: "12", Column: "Fr", OtherMonth: true},
		{ID: "3", Role: "button", Name: "English", Caption: "Language"},
		{ID: "4", Role: "button", Name: "+", Row: "Apples 2"},
		{ID: "5", Role: "textbox", Type: "email", Placeholder: "you@example.com"},
		{ID: "6", Role: "slider", Type: "range", Name: "Volume", Value: "3", Min: "0", Max: "10"},
		{ID: "7", Role: "menu", Name: "File"}, {ID: "8", Role: "menuitem", Name: "New"},
	}}
	got := Page(p, View{}).Text
	want := `1 element ~"like" s=active
2 btn "12" s=other-month col="Fr"
3 btn "English" c="Language"
4 btn "+" row="Apples 2"
5 inp "you@example.com" type=email
6 slider "Volume" v="3" type=range min="0" max="10"
7 menulist "File"
8 menu "New"`
	if !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s", got)
	}
}

// TestPage_rowsOfControls: every control of a list of like rows has its row's text, or
// stands right under it, also where rows end alike and where there is not room for all.
func TestPage_rowsOfControls(t *testing.T) {
	t.Parallel()
	for _, tokens := range []int{0, MinTokens + 200, 2 * MinTokens} {
		told := ""
		lines := 0
		for line := range strings.Lines(Page(mails(60), View{Task: "archive the mail of Sender7", Tokens: tokens}).Text) {
			if id, _, ok := strings.Cut(line, " chk "); ok {
				lines++
				if n := strings.TrimPrefix(id, "c"); !strings.Contains(line, `row="Sender`+n+" the Great") {
					t.Errorf("%d tokens: it has no row, after %q: %s", tokens, told, line)
				}
			}
			told = line
		}
		if lines < 3 {
			t.Errorf("%d tokens: %d lines", tokens, lines)
		}
	}
}

// TestPage_partsAreReadLineByLine: the text of a region or a row stands around the
// controls in it, and what its name says is not said again.
func TestPage_partsAreReadLineByLine(t *testing.T) {
	t.Parallel()
	p := page.Page{Text: "Profile\nYour data.\nFull name\tAlex Morgan\nEdit\nAnn Best wishes\tfrom the sea\tFeb 24\nStar\nBye"}
	add := func(id, role, name, first, last string) {
		from := strings.Index(p.Text, first)
		p.Elements = append(p.Elements, page.Element{ID: id, Role: role, Name: name, TextFrom: from, TextTo: strings.Index(p.Text, last) + len(last)})
	}
	add("m", "main", "Profile", "Profile", "Star")
	add("e", "button", "Edit", "Edit", "Edit")
	add("r", "button", "Ann Best wishes from", "Ann", "Star")
	add("s", "button", "Star", "Star", "Star")
	got := Page(p, View{}).Text
	want := `elements (4 of 4):
m main "Profile"
t "Your data."
t "Full name | Alex Morgan"
e btn "Edit"
r btn "Ann Best wishes from"
t "the sea | Feb 24"
s btn "Star"
t "Bye"`
	if !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s", got)
	}
}

func TestPage_doublesAreOneLine(t *testing.T) {
	t.Parallel()
	p := page.Page{Text: "Order 1\nCancel\nRefund", Elements: []page.Element{
		{ID: "cell", Role: "gridcell", Name: "Order 1", TextFrom: 0, TextTo: 7},
		{ID: "link", Role: "link", Name: "Order 1", TextFrom: 0, TextTo: 7},
		{ID: "button", Role: "button", Name: "Cancel", TextFrom: 8, TextTo: 14},
		{ID: "span", Role: "generic", Name: "Cancel", TextFrom: 8, TextTo: 14},
		{ID: "icon", Role: "generic", TextFrom: 8, TextTo: 8},
		{ID: "card", Role: "generic", Name: "Refund", TextFrom: 15, TextTo: 21},
		{ID: "other", Role: "button", Name: "Refund all", TextFrom: 15, TextTo: 21},
	}}
	if got := Page(p, View{}).Shown; !slices.Equal(got, []string{"link", "button", "card", "other"}) {
		t.Errorf("shown are %v", got)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	p := orders(500)
	p.Elements[3].Options = []page.Option{{Label: "Paid in full"}}
	for _, tt := range []struct {
		name, text string
		has        []string
		lacks      []string
	}{
		{"a line of text, with what stands beside it", "customer 321 OWES", []string{"1 place", "Customer 321 owes $3210", "o321 btn"}, []string{"o322"}},
		{"a name, more often than there is room", "Delete", []string{"500 places", "d0 btn", "more places have it"}, nil},
		{"an option", "paid full", []string{"1 place", "d1 btn"}, []string{"d2"}},
		{"nothing", "giraffe", []string{`find "giraffe": nothing on this page has it`}, nil},
		{"words that are never together", "customer giraffe", []string{"nothing on this page"}, nil},
		{"no words", "  ", []string{"nothing on this page"}, nil},
		{"the end", "end of the list", []string{"1 place", "The end of the list"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Find(p, View{}, tt.text)
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("it lacks %q:\n%s", want, got)
				}
			}
			for _, not := range tt.lacks {
				if strings.Contains(got, not) {
					t.Errorf("it has %q:\n%s", not, got)
				}
			}
		})
	}
}

// TestMore_showsAllThatWasLeftOut: the page and its parts together have every element
// once, and every line of text.
func TestMore_showsAllThatWasLeftOut(t *testing.T) {
	t.Parallel()
	p, v := orders(600), View{Task: "delete customer 7", Simple: true}
	seen := map[string]int{}
	all := []string{Page(p, v).Text}
	for _, id := range Page(p, v).Shown {
		seen[id]++
	}
	for part := 1; ; part++ {
		got := More(p, v, part)
		if strings.HasSuffix(got, "nothing more of this page") {
			break
		}
		if part > 40 {
			t.Fatal("it has no end")
		}
		if n := Tokens(got); n > v.budget()/2 {
			t.Errorf("part %d has %d tokens", part, n)
		}
		for line := range strings.Lines(got) {
			if id, _, ok := strings.Cut(line, " btn "); ok {
				seen[id]++
			}
		}
		all = append(all, got)
	}
	for _, e := range p.Elements {
		if seen[e.ID] != 1 {
			t.Errorf("element %s is shown %d times", e.ID, seen[e.ID])
		}
	}
	whole := strings.Join(all, "\n")
	for i := range 600 {
		if !strings.Contains(whole, fmt.Sprintf("Customer %d owes $%d", i, 10*i)) {
			t.Errorf("the text of row %d is missing", i)
		}
	}
}

// TestLookUps_anyText: what is looked up keeps its lines and its budget, is the same
// each time, and shows no secret.
func TestLookUps_anyText(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\n", `"`, `\`, "g", "t", "save", "Save it\nnow", "1 btn \"x\"", "\xff", "<<<DATA"}))
	const hiddenValue = "hunter2zz-4711"
	rapid.Check(t, func(t *rapid.T) {
		p := page.Page{Text: text.Draw(t, "text") + text.Draw(t, "more text")}
		for i := range rapid.IntRange(0, 8).Draw(t, "elements") {
			from := rapid.IntRange(-1, 30).Draw(t, "from")
			p.Elements = append(p.Elements, page.Element{
				ID: strconv.Itoa(i), Role: "button", Name: text.Draw(t, "name"), Group: text.Draw(t, "group"), Row: text.Draw(t, "row"), Value: hiddenValue,
				State: page.State{Secret: true}, TextFrom: from, TextTo: from + rapid.IntRange(-2, 9).Draw(t, "long"),
			})
		}
		v := View{Tokens: MinTokens}
		sought := text.Draw(t, "sought")
		for _, got := range []string{Find(p, v, sought), Find(p, v, hiddenValue), More(p, v, 1), Page(p, v).Text} {
			if strings.Contains(got, hiddenValue) && !strings.HasPrefix(got, `find "`+hiddenValue+`": nothing`) {
				t.Fatalf("a secret is shown: %s", got)
			}
			if n := Tokens(got); n > MinTokens {
				t.Fatalf("%d tokens", n)
			}
			for line := range strings.SplitSeq(got, "\n") {
				if !elementLine.MatchString(line) && !groupOnly.MatchString(line) && !otherLine.MatchString(line) && !lookUpLine(line) {
					t.Fatalf("a line that is none of ours: %q", line)
				}
			}
		}
		found, rest := Find(p, v, sought), More(p, v, 1)
		if Find(p, v, sought) != found || More(p, v, 1) != rest {
			t.Fatal("the same page gives two texts")
		}
	})
}

func lookUpLine(line string) bool {
	return strings.HasPrefix(line, "find \"") || strings.HasPrefix(line, "more") || line == "and there is still more" || line == ""
}

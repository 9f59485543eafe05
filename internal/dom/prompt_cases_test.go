package dom

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
)

// datePicker is a calendar of two months with links for days.
func datePicker() string {
	var b strings.Builder
	b.WriteString(`<label for=d>Date</label><input id=d data-llm-id=1><div class=calendar><a data-llm-id=2 class=prev title=Prev href=#>‹</a><a data-llm-id=3 class=next title=Next href=#>›</a>`)
	id := 4
	for _, month := range []struct {
		name        string
		first, days int
	}{{"August 2026", 5, 31}, {"September 2026", 1, 30}} {
		fmt.Fprintf(&b, "<table><caption>%s</caption><tr><th>Su<th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa</tr><tr>", month.name)
		for range month.first {
			b.WriteString("<td>")
		}
		for day := 1; day <= month.days; day++ {
			if (day+month.first-1)%7 == 0 {
				b.WriteString("</tr><tr>")
			}
			fmt.Fprintf(&b, "<td data-llm-id=%d><a href=# data-llm-id=%d>%d</a>", id, id+1, day)
			id += 2
		}
		b.WriteString("</table>")
	}
	return b.String() + "</div><button data-llm-id=200>Submit</button>"
}

// products is a shop of n cards, with the price between the name and the button.
func products(n int) string {
	var b strings.Builder
	b.WriteString("<h1>Monitors</h1>")
	for i := range n {
		fmt.Fprintf(&b, `<div class=card><a href=/m/%[1]d data-llm-id=a%[1]d>Monitor %[1]d</a><div class=price>$%[2]d.99</div><div>%[3]d reviews</div><button data-llm-id=b%[1]d>Add to cart</button></div>`, i, 100+(i*37)%91, i*3)
	}
	return b.String()
}

const (
	quill = `<div class=ql-toolbar><span class=ql-formats><button type=button class=ql-bold data-llm-id=1></button><button type=button class="ql-italic ql-active" data-llm-id=2></button>` +
		`<button type=button class=ql-list value=ordered data-llm-id=3></button><button type=button class=ql-list value=bullet data-llm-id=4></button>` +
		`<button type=button class=ql-align value=center data-llm-id=5></button><button type=button class=ql-link data-llm-id=6></button></span></div>` +
		`<div class=ql-editor contenteditable=true data-llm-id=7><p>Dear Jas,</p></div>`
	likes = `<div class=media><div>Ann: what a day</div><span class="like" data-llm-id=1></span><span class="reply" data-llm-id=2></span></div>` +
		`<div class=media><div>Kim: rain again</div><span class="like active" data-llm-id=3></span><span class="star" data-llm-id=4></span><i class="trash" data-llm-id=5></i></div>`
	unlabelled = `<p>Your first name</p><input data-llm-id=1><p>Your last name</p><input data-llm-id=2><p>Anything else?</p><div><div><div><textarea data-llm-id=3></textarea></div></div></div>` +
		`<span><img src=1.png alt="Send it" data-llm-id=4></span>`
	counters = `<div><div>Apples</div><div><button data-llm-id=1>−</button><span>2</span><button data-llm-id=2>+</button></div></div>` +
		`<div><div>Pears</div><div><button data-llm-id=3>−</button><span>0</span><button data-llm-id=4>+</button></div></div>`
	doubles = `<ul role=menu aria-label=File data-llm-id=9><li role=menuitem data-llm-id=1>New</li><li role=menuitem data-llm-id=2><span data-llm-id=3>Open</span></li></ul>` +
		`<table><tr><td data-llm-id=4><a href=/o/1 data-llm-id=5>Order 1</a><td>open<td><button data-llm-id=6><span data-llm-id=7>Cancel</span></button></table>`
	lists = `<label for=c>Country</label><select id=c data-llm-id=1>%s</select><label for=s>Size</label><select id=s data-llm-id=2><option>S<option selected>M</select>`
)

// TestPrompt_cases shows pages as a model gets them.
func TestPrompt_cases(t *testing.T) {
	t.Parallel()
	var countries strings.Builder
	for i := range 60 {
		fmt.Fprintf(&countries, "<option>Country %d", i)
	}
	for _, tt := range []struct{ name, task, html string }{
		{"datepicker", "Select the last Friday of August", datePicker()},
		{"products", "Add the cheapest monitor to the cart", products(30)},
		{"toolbar", "Make it bold", quill},
		{"likes", "Like Ann's post", likes},
		{"unlabelled", "Enter Jas as first name", unlabelled},
		{"counters", "Add a pear", counters},
		{"doubles", "Cancel order 1", doubles},
		{"lists", "Choose Country 44", fmt.Sprintf(lists, countries.String())},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := readPage(t, tt.html)
			got := prompt.Page(p, prompt.View{Task: tt.task, Simple: true}).Text + "\n"
			file := filepath.Join("testdata", "prompt", tt.name+".golden.txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func readPage(t *testing.T, html string) page.Page {
	t.Helper()
	p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

package prompt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
)

// mails is a list of mails as a page has it: a row that is clicked, controls in it, and
// texts below each other.
func mails(n int) page.Page {
	p := page.Page{URL: "https://mail.example/", Title: "Inbox of Jas", Headings: []string{"Primary"}, Alerts: []page.Alert{{Text: "Two of them were archived"}}}
	var text strings.Builder
	for i := range n {
		row := fmt.Sprintf("Sender%d the Great Subject %d IssueWorkProjects A long beginning of what is in mail %d Feb %d", i, i, i, i%28)
		p.Elements = append(p.Elements,
			page.Element{ID: fmt.Sprintf("c%d", i), Role: "checkbox", Name: "email checkbox", NameGuessed: true, Row: row, TextFrom: text.Len(), TextTo: text.Len()},
			page.Element{ID: fmt.Sprintf("s%d", i), Role: "button", Name: "☆", Row: row, TextFrom: text.Len(), TextTo: text.Len()},
		)
		fmt.Fprintf(&text, "Sender%d the Great\nSubject %d IssueWorkProjects\nA long beginning of what is in mail %d\nFeb %d\n", i, i, i, i%28)
	}
	p.Text = text.String()
	page.AssignKeys(p.Elements)
	return p
}

// sayings are the quoted texts of a line: after g and t, the name, and what has a key.
var sayings = regexp.MustCompile(`(?:^[tg] |^[^ "]+ [a-z]+ ~?| (?:c|v|row|col|hint)=)"((?:[^"\\]|\\.)*)"`)

// shownTexts are the texts a prompt shows of a page.
func shownTexts(prompt string) (out []string) {
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		if key, text, _ := strings.Cut(line, ": "); key == "heading" || strings.HasPrefix(key, "message (") {
			out = append(out, text)
			continue
		}
		for _, m := range sayings.FindAllStringSubmatch(line, -1) {
			out = append(out, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1]))
		}
	}
	return out
}

// TestFind_whatThePromptShows: of every text that a prompt shows, any few words that
// stand together are found.
func TestFind_whatThePromptShows(t *testing.T) {
	t.Parallel()
	pages := map[string]page.Page{"mails": mails(30), "orders": orders(30), "form": patients()}
	word := rapid.SampledFrom([]string{"Save", "Ann's", "1-48", "of", "IssueWorkProjects", "Größe", "a@b.example", "$19", "添加", "Addresses", "x", "·", "\n", "\n"})
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"mails", "orders", "form", "drawn"}).Draw(t, "page")
		p, known := pages[name]
		if !known {
			p = page.Page{Text: page.Clean(texts.Draw(t, "text")) + "\n" + texts.Draw(t, "more")}
			for i := range rapid.IntRange(0, 6).Draw(t, "elements") {
				from := rapid.IntRange(0, 30).Draw(t, "from")
				p.Elements = append(p.Elements, page.Element{
					ID: strconv.Itoa(i), Role: "button", Name: page.Clean(texts.Draw(t, "name")), Row: page.Clean(texts.Draw(t, "row")),
					Group: page.Clean(texts.Draw(t, "group")), TextFrom: from, TextTo: from,
				})
			}
		}
		shown := shownTexts(Page(p, View{Tokens: 2 * MinTokens}).Text)
		if len(shown) == 0 {
			return
		}
		text := strings.Fields(rapid.SampledFrom(shown).Draw(t, "line"))
		if len(text) == 0 {
			return
		}
		from := rapid.IntRange(0, len(text)-1).Draw(t, "from word")
		some := strings.Join(text[from:min(len(text), from+rapid.IntRange(1, 4).Draw(t, "words"))], " ")
		if strings.Trim(some, "…| ·") == "" {
			return
		}
		if got := Find(p, View{}, some); strings.Contains(got, "nothing on this page has it") {
			t.Fatalf("%s: %s\nof\n%s", name, got, Page(p, View{Tokens: 2 * MinTokens}).Text)
		}
	})
}

func TestFind_looksFurtherWhereNothingHasTheWords(t *testing.T) {
	t.Parallel()
	p := mails(30)
	for _, tt := range []struct{ name, text, has, lacks string }{
		{"the lines of a row together", "great sender7 subject", `Sender7`, "Sender20"},
		{"part of a word", "workproj", `IssueWorkProjects`, ""},
		{"part of a word in one mail", "ender13", `Sender13 the Great`, "Sender20"},
		{"a message", "archived two", "message (): Two of them were archived", ""},
		{"whole words first", "Sender1", "Sender1 the Great", "Sender10"},
	} {
		got := Find(p, View{}, tt.text)
		if !strings.Contains(got, tt.has) || tt.lacks != "" && strings.Contains(got, tt.lacks+" the Great\"") {
			t.Errorf("%s:\n%s", tt.name, got)
		}
	}
}

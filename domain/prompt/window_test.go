package prompt

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// article is a text of n numbered lines with one line in the middle replaced.
func article(n int, middle string) string {
	var b strings.Builder
	for i := range n {
		if i == n/2 {
			b.WriteString(middle + "\n")
			continue
		}
		fmt.Fprintf(&b, "Line %d of a long article about nothing in particular.\n", i)
	}
	return b.String()
}

func inRunes(text, task string, limit int) string {
	return window(text, newQuery(task), utf8.RuneCountInString, limit, limit)
}

func TestWindow(t *testing.T) {
	t.Parallel()
	text := article(1000, "The zebra costs 40 euros.")
	for _, tt := range []struct {
		name, text, task string
		limit            int
		want, lacks      string
	}{
		{"what matters is in it, wherever it stands", text, "what does the zebra cost?", 8_000, "Line 499 of a long article about nothing in particular. The zebra costs 40 euros. Line 501", "Line 400 "},
		{"gaps are marked", text, "zebra", 300, "… Line 499", "Line 5 "},
		{"without any of its words it is the beginning", text, "giraffe", 300, "Line 0 of", "zebra"},
		{"what room is left goes to the beginning", text, "zebra", 8_000, "Line 0 of", "Line 900 "},
		{"a short text is all of it", "Fill in\n the  form.", "zebra", 300, "Fill in the form.", "…"},
		{"a line as long as an article is cut", strings.Repeat("word ", 500) + "zebra " + strings.Repeat("word ", 500), "zebra", 500, "zebra", ""},
		{"without spaces too", strings.Repeat("長", 900), "zebra", 500, "長…", ""},
	} {
		got := inRunes(tt.text, tt.task, tt.limit)
		if n := utf8.RuneCountInString(got); n > tt.limit+2 {
			t.Errorf("%s: %d characters", tt.name, n)
		}
		if want := strings.ReplaceAll(tt.want, "長…", "長"); !strings.Contains(got, want) || tt.lacks != "" && strings.Contains(got, tt.lacks) {
			t.Errorf("%s: %.300s", tt.name, got)
		}
	}
}

func TestWindow_isBoundedAndOneLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, task := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "task")
		text = strings.Repeat(text, rapid.IntRange(0, 200).Draw(t, "times"))
		limit := rapid.IntRange(0, 500).Draw(t, "limit")
		got := inRunes(text, task, limit)
		if n := utf8.RuneCountInString(got); n > limit+2 || strings.ContainsAny(got, "\r\n\u2028") || !utf8.ValidString(got) {
			t.Fatalf("%d characters within %d: %q", n, limit, got)
		}
	})
}

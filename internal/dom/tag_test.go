package dom

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// The places scanTag finds are those the tokenizer would have read: with the
// values cut out, the tag reads the same but for them.
func TestScanTag_agreesWithTheTokenizer(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		" ", "\n", "\t", "/", "=", "'", `"`, "value", "VALUE", "type", "password", "data-x", "x", "&quot;", "é", "\x00", "v=1",
		`value="a b"`, "value='c'", "value=d", " value = e", "<", "value", "==",
	})
	rapid.Check(t, func(t *rapid.T) {
		inside := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		src := "<input " + inside + ">tail"
		tag := scanTag(src, 0, "input", nil)
		z := html.NewTokenizer(strings.NewReader(src))
		if kind := z.Next(); kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			return // an open quote swallowed the end of the tag
		}
		if raw := string(z.Raw()); len(raw) != tag.end {
			t.Fatalf("the tag of %q ends at %d, the tokenizer says %d", src, tag.end, len(raw))
		}
		attrs := z.Token().Attr
		if plain, ok := tag.plain(); ok && !slices.Equal(plain, attrs) {
			t.Fatalf("%q has the attributes %q, the tokenizer says %q", src, plain, attrs)
		}
		for _, a := range attrs {
			if a.Key == "value" && a.Val == "" {
				return // a bare name, to which the syntax after a cut may give a value: "value value=d =/"
			}
		}
		var cut strings.Builder
		done := 0
		for _, s := range tag.values {
			cut.WriteString(src[done:s.from])
			cut.WriteString(s.emptied())
			done = s.to
		}
		cut.WriteString(src[done:])
		z = html.NewTokenizer(strings.NewReader(cut.String()))
		z.Next()
		for _, a := range z.Token().Attr {
			if a.Key == "value" && a.Val != "" {
				t.Fatalf("%q still holds %q", cut.String(), a.Val)
			}
		}
	})
}

func TestFields(t *testing.T) {
	t.Parallel()
	var got []string
	for f := range fields(`<p><input><INPUT value=1><input value=""><textarea></textarea><textarea>a<input value=2></TEXTAREA><inputs value=3><input value=4`) {
		got = append(got, f.name+" "+f.text)
	}
	want := []string{"input <INPUT value=1>", "textarea <textarea>", "input <input value=4>"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q", got)
	}
}

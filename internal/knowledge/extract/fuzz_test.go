package extract_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// check reads a document, which must give blocks as they are promised or a reason.
func check(t *testing.T, body []byte, hint extract.Hint) {
	t.Helper()
	got, err := extract.Read(t.Context(), body, hint)
	var refused *extract.Refused
	var empty *extract.Empty
	if err != nil {
		if !errors.As(err, &refused) && !errors.As(err, &empty) {
			t.Fatalf("an error of no kind: %v", err)
		}
		return
	}
	if len(got.Blocks) == 0 {
		t.Fatal("neither text nor a reason")
	}
	for i, b := range got.Blocks {
		if strings.TrimSpace(b.Text) == "" || !utf8.ValidString(b.Text) || strings.ContainsAny(b.Text, "\u200b\u202e\u0000\r") {
			t.Fatalf("block %d: %q", i, b.Text)
		}
		if b.Kind == knowledge.Heading && (b.Level < 1 || strings.Contains(b.Text, "\n")) {
			t.Fatalf("block %d is a heading of level %d: %q", i, b.Level, b.Text)
		}
		if b.Kind != knowledge.Code && strings.Contains(b.Text, "](javascript:") {
			t.Fatalf("block %d: %q", i, b.Text)
		}
	}
	knowledge.Split(got)
}

func FuzzDocxBody(f *testing.F) {
	for _, seed := range []string{
		`<w:p><w:r><w:t>a</w:t></w:r></w:p>`, `<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc/></w:tr></w:tbl></w:tc></w:tr></w:tbl>`,
		`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:footnoteReference w:id="2"/></w:r></w:p>`, `<w:p><w:r><w:ruby/><w:drawing><wps:txbxContent><w:p/></wps:txbxContent></w:drawing></w:r></w:p>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) { check(t, wordDocument(t, body), extract.Hint{}) })
}

func FuzzDocxParts(f *testing.F) {
	f.Add(wordStyles, wordNumbers, wordNotes, wordRels)
	f.Fuzz(func(t *testing.T, styles, numbers, notes, rels string) {
		check(t, zipped(t, "word/document.xml", `<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:pStyle w:val="Mine"/><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>a</w:t><w:footnoteReference w:id="2"/></w:r></w:p></w:body></w:document>`,
			"word/styles.xml", styles, "word/numbering.xml", numbers, "word/footnotes.xml", notes, "word/_rels/document.xml.rels", rels), extract.Hint{})
	})
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n3,4\n", `{"a":[1,{"b":null}]}`, "a:\n  - b: c\n  - *x\n", `<?xml version="1.0"?><a b="c">d<e/></a>`, "# a\n\n- b\n\n> c\n\n|d|\n|-|\n|e|\n\n[^1]\n\n[^1]: f\n",
		"<table><tr><td>a<table><tr><td>b</table></table><pre>c", "TITLE HERE\n=====\ntext\n", "\xff\xfea\x00", "\x83\x65\x83\x58", "<p style='left:-99999px;position:fixed'>x<!--", "---\ntitle: x\n---\ny",
	} {
		for _, name := range []string{"", "a.csv", "a.md", "a.yaml", "a.html"} {
			f.Add([]byte(seed), name)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		if strings.Contains(string(body[:min(len(body), 1024)]), "%PDF-") {
			return // the engine is not ours, and slow to start
		}
		check(t, body, extract.Hint{Name: name, BaseURL: "https://a.example/b"})
	})
}

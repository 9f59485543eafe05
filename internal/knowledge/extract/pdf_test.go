package extract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// written is a line on a page: how large it is and how far from the bottom.
type written struct {
	size, y int
	text    string
}

// pdf is a document with a page for each list of lines.
func pdf(pages ...[]written) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	kids := make([]string, len(pages))
	for i, lines := range pages {
		var content strings.Builder
		for _, l := range lines {
			fmt.Fprintf(&content, "BT /F1 %d Tf 72 %d Td (%s) Tj ET\n", l.size, l.y, l.text)
		}
		n := len(objects) + 1
		kids[i] = fmt.Sprintf("%d 0 R", n)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", n+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String()))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func TestPDF(t *testing.T) {
	page := func(head, title, first string) []written {
		lines := []written{{10, 760, head}, {20, 700, title}}
		for i := range 6 {
			lines = append(lines, written{10, 660 - 12*i, first})
		}
		return append(lines, written{10, 560, "Another paragraph of " + title}, written{10, 40, "Page 1"})
	}
	var progress []string
	got, err := extract.Read(t.Context(), pdf(page("Handbook", "Returns", "Goods go back"), page("Handbook", "Gift cards", "Cards last"), page("Handbook", "Cancelling", "Orders end")),
		extract.Hint{CacheDir: cacheDir(t), Progress: func(page, of int) { progress = append(progress, fmt.Sprintf("%d/%d", page, of)) }})
	if err != nil {
		t.Fatal(err)
	}
	want := knowledge.Extracted{Type: knowledge.PDF, Pages: 3}
	for i, s := range [][]string{{"Returns", "Goods go back"}, {"Gift cards", "Cards last"}, {"Cancelling", "Orders end"}} {
		want.Blocks = append(want.Blocks,
			knowledge.Block{Kind: knowledge.Heading, Level: 1, Text: s[0], Page: i + 1},
			knowledge.Block{Kind: knowledge.Paragraph, Text: strings.TrimSpace(strings.Repeat(s[1]+" ", 6)), Page: i + 1},
			knowledge.Block{Kind: knowledge.Paragraph, Text: "Another paragraph of " + s[0], Page: i + 1})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1/3", "2/3", "3/3"}, progress); diff != "" {
		t.Error(diff)
	}
}

func TestPDF_ReadsWhatAFormIsFilledInWith(t *testing.T) {
	body := bytes.Replace(pdf([]written{{10, 700, "Your order"}}), []byte("/Pages 2 0 R"), []byte("/Pages 2 0 R /AcroForm << /Fields [7 0 R 8 0 R] >>"), 1)
	body = bytes.Replace(body, []byte("/MediaBox"), []byte("/Annots [7 0 R 8 0 R] /MediaBox"), 1)
	body = append(body[:bytes.Index(body, []byte("xref\n"))], []byte(
		"7 0 obj\n<< /Type /Annot /Subtype /Widget /FT /Tx /T (Name) /V (Ann Example) /Rect [72 600 200 620] /P 4 0 R >>\nendobj\n"+
			"8 0 obj\n<< /Type /Annot /Subtype /Widget /FT /Tx /T (Empty) /Rect [72 500 200 520] /P 4 0 R >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n")...)
	got, err := extract.Read(t.Context(), body, extract.Hint{CacheDir: cacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"paragraph Your order", "paragraph Name: Ann Example"}, told(got)); diff != "" {
		t.Error(diff)
	}
}

func TestPDF_WithoutTextIsEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		body  []byte
		pages int
		want  string
	}{
		"pages without text": {pdf(nil, nil), 2, "no text layer: 2 of 2 pages are images or empty"},
		"spaces":             {pdf([]written{{10, 700, "   "}}), 1, "no text layer: 1 of 1 pages are images or empty"},
	} {
		_, err := extract.Read(t.Context(), c.body, extract.Hint{CacheDir: cacheDir(t)})
		var empty *extract.Empty
		if !errors.As(err, &empty) || empty.Reason != c.want || empty.Type != knowledge.PDF || empty.Pages != c.pages || empty.ImagePages != c.pages {
			t.Errorf("%s: got %#v", name, err)
		}
	}
}

func TestPDF_WithABrokenTreeOfPagesHasNoText(t *testing.T) {
	body := bytes.Replace(pdf([]written{{10, 700, "text"}}), []byte("/Kids [4 0 R]"), []byte("/Kids [9 9 R]"), 1)
	got, err := extract.Read(t.Context(), body, extract.Hint{CacheDir: cacheDir(t)})
	var empty *extract.Empty
	var refused *extract.Refused
	if !errors.As(err, &empty) && !errors.As(err, &refused) {
		t.Errorf("got %v, %v", told(got), err)
	}
}

// An engine that was kept and is broken keeps no document from being read.
func TestPDF_IsReadThoughWhatIsKeptOfTheEngineIsBroken(t *testing.T) {
	kept, dir, files := cacheDir(t), t.TempDir(), 0
	if _, err := extract.Read(t.Context(), pdf([]written{{10, 700, "text"}}), extract.Hint{CacheDir: kept}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(kept, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(kept, path)
		if err != nil {
			return err
		}
		files++
		to := filepath.Join(dir, rel)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, []byte("WAZEVO"), 0o600))
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files are kept: %v", files, err)
	}
	got, err := extract.Read(t.Context(), pdf([]written{{10, 700, "Within 30 days."}}), extract.Hint{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"paragraph Within 30 days."}, told(got)); diff != "" {
		t.Error(diff)
	}
}

func TestSandbox_ReadsPDF(t *testing.T) {
	s := sandbox("reader")
	s.CacheDir = cacheDir(t)
	pages := 0
	got, err := s.Read(t.Context(), pdf([]written{{10, 700, "Within 30 days."}}), extract.Hint{Progress: func(int, int) { pages++ }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"paragraph Within 30 days."}, told(got)); diff != "" || pages != 1 {
		t.Errorf("%d pages\n%s", pages, diff)
	}
}

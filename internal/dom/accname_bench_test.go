package dom

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// BenchmarkAccname counts how many names come out as the accessible-name tests
// of web-platform-tests have them. ACCNAME_DIR is their folder, with manual and
// name in it (`make accname DIR=...`). Names are compared byte for byte. The
// cases whose shadow trees only a script makes are left out.
func BenchmarkAccname(b *testing.B) {
	dir := os.Getenv("ACCNAME_DIR")
	if dir == "" {
		b.Skip("ACCNAME_DIR is not set")
	}
	manual := wptFiles(b, filepath.Join(dir, "manual"))
	labelled := wptFiles(b, filepath.Join(dir, "name"))
	for b.Loop() {
		var m, l score
		for _, file := range manual {
			m.manual(b, file)
		}
		for _, file := range labelled {
			l.labelled(b, file)
		}
		for _, miss := range append(m.misses, l.misses...) {
			fmt.Println("miss", miss)
		}
		fmt.Printf("manual %d/%d, labelled %d/%d\n", m.right, m.cases, l.right, l.cases)
	}
}

func wptFiles(b *testing.B, dir string) []string {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(files) == 0 {
		b.Fatalf("%s: %d cases, %v", dir, len(files), err)
	}
	return files
}

type score struct {
	right, cases int
	misses       []string
}

func (s *score) add(file, title, got, want string) {
	if s.cases++; got == want {
		s.right++
		return
	}
	s.misses = append(s.misses, fmt.Sprintf("%s %s: %q, want %q", filepath.Base(file), title, got, want))
}

// manual scores a page that says in a script what a screen reader should be
// told of an element.
func (s *score) manual(b *testing.B, file string) {
	src := readCase(b, file)
	_, script, found := strings.Cut(src, "new ATTAcomm(")
	if !found {
		return
	}
	var data struct {
		Steps []struct {
			Element string
			Test    struct{ ATK [][]any }
		}
	}
	if err := json.NewDecoder(strings.NewReader(script)).Decode(&data); err != nil {
		b.Fatal(file, err)
	}
	doc, _ := parseDocument(b, src)
	for _, step := range data.Steps {
		for _, check := range step.Test.ATK {
			if len(check) != 4 || check[0] != "property" || check[1] != "name" || check[2] != "is" {
				continue
			}
			s.add(file, "", accessibleName(doc, doc.byID[step.Element]), check[3].(string))
		}
	}
}

// labelled scores a page whose elements say themselves what their name is.
func (s *score) labelled(b *testing.B, file string) {
	doc, tree := parseDocument(b, readCase(b, file))
	for n := range tree.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "data-expectedlabel" {
				s.add(file, attr(n, "data-testname"), accessibleName(doc, n), a.Val)
			}
		}
	}
}

func readCase(b *testing.B, file string) string {
	b.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	return string(src)
}

func parseDocument(t testing.TB, src string) (*document, *html.Node) {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return walk(tree), tree
}

// accessibleName is the name of any element, by the W3C's rules alone.
func accessibleName(doc *document, n *html.Node) string {
	nm := namer{doc: doc, budget: 1_000_000}
	if n == nil || nm.isConcealed(n) {
		return ""
	}
	f := nm.subjectOf(n)
	return nm.accessible(&f)
}

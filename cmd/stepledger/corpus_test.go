package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpus reports on a folder with a page of many links, one without any,
// one in no valid UTF-8, and one that cannot be read.
func TestCorpus(t *testing.T) {
	t.Parallel()
	var links strings.Builder
	for i := range 300 {
		fmt.Fprintf(&links, "<div class='teaser teaser--large'><a class='teaser__link' href=/story/%d>Story %d of the day</a></div>", i, i)
	}
	dir := t.TempDir()
	for name, html := range map[string]string{
		"links.html": links.String(), "text.html": "<p>Nothing to click.</p>", "latin.html": "<a href=/>caf\xe9</a>", "notes.txt": "no page",
		"large.html": "<p>" + strings.Repeat("x", 5_000_001),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(html), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errOut strings.Builder
	cmd := newRoot(func(string) string { return "" }, &out, &errOut)
	cmd.SetArgs([]string{"corpus", dir})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"links.html", "200/200", "large.html cannot be read: VALIDATION_ERROR: dom is longer", "1/1",
		"4 pages, 1 of them cannot be read", "elements found by their name: 201 of 201 (100.0 %); on the 1 pages of 200 elements and more 200 of 200",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the report lacks %q:\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "notes.txt") {
		t.Error("a file that is no page is reported")
	}
}

func TestCorpus_refusesAnEmptyFolder(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	cmd := newRoot(func(string) string { return "" }, &out, &out)
	cmd.SetArgs([]string{"corpus", t.TempDir()})
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "no .html file") {
		t.Errorf("the error is %v", err)
	}
}

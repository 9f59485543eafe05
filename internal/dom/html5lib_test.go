package dom

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// The malformed documents of html5lib, which come with the module of the
// parser, all read without an error and keep every promise of the reader.
func TestRead_html5lib(t *testing.T) {
	t.Parallel()
	cases := html5lib(t)
	if len(cases) < 1_782 {
		t.Fatalf("%d cases: are they not in the module golang.org/x/net any more?", len(cases))
	}
	t.Logf("%d cases", len(cases))
	for _, src := range cases {
		if _, err := readHTML(src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if src == "" {
			continue // no page at all
		}
		checkPromises(t, page.Capture{Mode: page.ModeFull, DOM: src})
		if _, err := (Reader{}).Read(page.Capture{Mode: page.ModeSkeleton, SkeletonDOM: src}); err != nil {
			t.Errorf("%q as a skeleton: %v", src, err)
		}
		if t.Failed() {
			t.Fatalf("the case was %q", src)
		}
	}
}

// html5lib are the documents of its test files: the lines between "#data" and
// "#errors".
func html5lib(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatalf("where the module golang.org/x/net is: %v (run go mod download)", err)
	}
	var cases []string
	dir := filepath.Join(strings.TrimSpace(string(out)), "html", "testdata")
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".dat" {
			return err
		}
		b, err := os.ReadFile(path)
		for part := range strings.SplitSeq("\n"+string(b), "\n#data\n") {
			if src, _, ok := strings.Cut("\n"+part, "\n#errors"); ok {
				cases = append(cases, strings.TrimPrefix(src, "\n"))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

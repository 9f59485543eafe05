package storetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPromises(t *testing.T) {
	t.Parallel()
	doc, err := readTable()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("the table of ARCHITECTURE.md has these and no others", func(t *testing.T) {
		t.Parallel()
		var want, got [][]string
		for _, p := range Promises() {
			want = append(want, []string{p.Area, p.Says, p.Name})
		}
		for _, row := range doc.rows {
			got = append(got, row[:3])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-promised +documented):\n%s", diff)
		}
	})
	t.Run("each has a test and a name of its own", func(t *testing.T) {
		t.Parallel()
		seen := make(map[string]bool)
		for _, p := range Promises() {
			if p.test == nil || p.Area == "" || p.Says == "" {
				t.Errorf("%q is promised and nothing asserts it", p.Name)
			}
			if seen[p.Name] {
				t.Errorf("two promises are called %q", p.Name)
			}
			seen[p.Name] = true
		}
	})
	t.Run("each column is that of a store", func(t *testing.T) {
		t.Parallel()
		for _, name := range doc.stores {
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Errorf("there is no store %s: %v", name, err)
			}
		}
	})
}

func TestParseTable(t *testing.T) {
	t.Parallel()
	good, err := parseTable("text\n" + tableStart + " memory | other |\n|---|---|---|---|---|\n| order | one | Order | yes | no |\n\n| not | of | it |\n")
	want := table{stores: []string{"memory", "other"}, rows: [][]string{{"order", "one", "Order", "yes", "no"}}}
	if diff := cmp.Diff(want, good, cmp.AllowUnexported(table{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, text := range map[string]string{
		"no table":   "text",
		"a cell off": "\n" + tableStart + " memory |\n|---|\n| order | one | Order |\n",
	} {
		if got, err := parseTable(text); err == nil {
			t.Errorf("%s was read as %+v", name, got)
		}
	}
}

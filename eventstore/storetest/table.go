package storetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// table is the one of ARCHITECTURE.md: which store promises what.
type table struct {
	stores []string // the columns after the first three
	rows   [][]string
}

const tableStart = "| area | promise | test |"

// readTable finds ARCHITECTURE.md at the root of the module and the table in it.
func readTable() (table, error) {
	dir, err := os.Getwd()
	if err != nil {
		return table{}, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return table{}, errors.New("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, "ARCHITECTURE.md"))
	if err != nil {
		return table{}, err
	}
	return parseTable(string(text))
}

func parseTable(text string) (table, error) {
	_, rest, found := strings.Cut(text, "\n"+tableStart)
	if !found {
		return table{}, fmt.Errorf("ARCHITECTURE.md has no table that begins with %q", tableStart)
	}
	head, rest, _ := strings.Cut(rest, "\n")
	out := table{stores: cells("|" + head)}
	_, rest, _ = strings.Cut(rest, "\n") // |---|---|
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		row := cells(line)
		if len(row) != 3+len(out.stores) {
			return table{}, fmt.Errorf("ARCHITECTURE.md: %q has %d cells, want %d", line, len(row), 3+len(out.stores))
		}
		out.rows = append(out.rows, row)
	}
	return out, nil
}

func cells(line string) (out []string) {
	for _, c := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// testTable wants the store's column to say what it declares, and every feature
// it lacks to be one that a promise needs.
func testTable(t *testing.T, s Subject) {
	doc, err := readTable()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(doc.stores, s.Name)
	if column < 0 {
		t.Fatalf("ARCHITECTURE.md has columns for %v, none for %s", doc.stores, s.Name)
	}
	promised := make(map[string]string)
	needed := make(map[Feature]bool)
	for _, p := range Promises() {
		needed[p.Needs] = true
		promised[p.Name] = "yes"
		if slices.Contains(s.Lacks, p.Needs) {
			promised[p.Name] = "no"
		}
	}
	for _, row := range doc.rows {
		if got, want := row[3+column], promised[row[2]]; got != want {
			t.Errorf("ARCHITECTURE.md says of %s and %s: %q, the tests say %q", s.Name, row[2], got, want)
		}
	}
	for _, f := range s.Lacks {
		if !needed[f] {
			t.Errorf("%s lacks %q, which no promise needs", s.Name, f)
		}
	}
}

package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestRepository applies the rules to this repository.
func TestRepository(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	sources, err := parse(root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(sources, func(s source) bool { return s.file == "internal/archtest/check_test.go" }) {
		t.Fatalf("this very file is not among the %d parsed: the rules were applied to the wrong tree", len(sources))
	}
	violations, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(violations, stale(sources, arrows, homes, testLibraries)...) {
		t.Error(v)
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	sources, err := parse(documentedTree(map[string]string{
		"domain/a.go":               `package domain`,
		"domain/page/a.go":          `package page; import "example.com/known/sub"`,
		"internal/pgtest/pgtest.go": `package pgtest; import "example.com/fortests"`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	got := stale(sources,
		[]arrow{
			{"domain", nil}, {"domain/page", []string{"domain", "domain/gone"}}, {"domain/...", []string{"domain/*", "..."}},
			{"domain/page/*", nil}, {"internal/search", []string{"domain"}},
		},
		[]home{{"example.com/known", []string{"domain/...", "internal/gone/..."}}, {"example.com/know", []string{"domain/page"}}},
		[]string{"example.com/fortests", "example.com/unused"})
	want := []violation{
		{"rules.go", "the row of domain/page names domain/gone, which is no package"},
		{"rules.go", "the row of domain/page/* names domain/page/*, which is no package"},
		{"rules.go", "the row of internal/search names internal/search, which is no package"},
		{"rules.go", "the row of example.com/known names internal/gone/..., which is no package"},
		{"rules.go", "the row of example.com/know is of a library that nothing imports"},
		{"rules.go", "the row of example.com/unused is of a library that nothing imports"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(violation{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestCheck_Violations breaks each kind of rule on purpose.
func TestCheck_Violations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files map[string]string
		want  []string // "file: " and the beginning of the reason
	}{
		"a tree that keeps the rules has no violation": {
			files: map[string]string{
				"domain/a.go":                   `package domain; import "time"`,
				"domain/task/a.go":              `package task; import ("@/domain"; "@/domain/page")`,
				"commands/a.go":                 `package commands; import ("@/domain/task"; "@/eventstore")`,
				"api/a.go":                      `package api; import ("@/commands/interact"; "github.com/go-chi/chi/v5/middleware")`,
				"cmd/stepledger/a.go":           `package main; import ("@/internal/pgembed"; "github.com/spf13/cobra")`,
				"eventstore/storetest/suite.go": `package storetest; import ("testing"; "@/eventstore"; "pgregory.net/rapid")`,
			},
		},
		"the domain reaches outside": {
			files: map[string]string{"domain/a.go": `package domain; import ("@/eventstore"; "github.com/google/uuid")`},
			want: []string{
				"domain/a.go: imports eventstore: domain may import the standard library only",
				"domain/a.go: imports github.com/google/uuid: it lives in",
			},
		},
		"an aggregate imports another": {
			files: map[string]string{"domain/session/a.go": `package session; import "@/domain/task"`},
			want:  []string{"domain/session/a.go: imports domain/task: domain/session may import"},
		},
		"commands import an adapter, and their own subpackage": {
			files: map[string]string{"commands/a.go": `package commands; import ("@/commands/interact"; "@/internal/dom")`},
			want: []string{
				"commands/a.go: imports commands/interact: commands may import",
				"commands/a.go: imports internal/dom: commands may import",
			},
		},
		"the API goes around its use cases": {
			files: map[string]string{
				"api/a.go":     `package api; import "@/eventstore"`,
				"api/web/b.go": `package web; import "@/internal/identity"`,
			},
			want: []string{
				"api/a.go: imports eventstore: api may import",
				"api/web/b.go: imports internal/identity: api/... may import",
			},
		},
		"a projection issues commands": {
			files: map[string]string{"projections/tasks/a.go": `package tasks; import "@/commands"`},
			want:  []string{"projections/tasks/a.go: imports commands: projections/* may import"},
		},
		"adapters know each other": {
			files: map[string]string{
				"eventstore/esdb/a.go":  `package esdb; import "@/eventstore/memory"`,
				"internal/content/a.go": `package content; import "@/internal/identity"`,
			},
			want: []string{
				"eventstore/esdb/a.go: imports eventstore/memory: eventstore/* may import",
				"internal/content/a.go: imports internal/identity: internal/content may import",
			},
		},
		"a library leaves its home, even in a test or behind a build constraint": {
			files: map[string]string{
				"api/a.go":          `package api; import "github.com/jackc/pgx/v5/pgxpool"`,
				"api/b_test.go":     `package api; import "github.com/PuerkitoBio/goquery"`,
				"internal/dom/a.go": "//go:build never\n\npackage dom; import \"github.com/chromedp/cdproto/dom\"",
			},
			want: []string{
				"api/a.go: imports github.com/jackc/pgx/v5/pgxpool: it lives in eventstore/postgres",
				"api/b_test.go: imports github.com/PuerkitoBio/goquery: it lives in internal/dom",
				"internal/dom/a.go: imports github.com/chromedp/cdproto/dom: it lives in internal/browser",
			},
		},
		"a library or a package nobody decided about": {
			files: map[string]string{
				"domain/a.go":     `package domain; import "example.com/leftpad"`,
				"internal/x/a.go": `package x; import "@/domain"`,
			},
			want: []string{
				"domain/a.go: imports example.com/leftpad, which has no home",
				"internal/x/a.go: imports domain, but no arrow starts at internal/x",
			},
		},
		"a library whose name merely begins like a known one": {
			files: map[string]string{"internal/pgembed/a.go": `package pgembed; import "github.com/jackc/pgx/v55"`},
			want:  []string{"internal/pgembed/a.go: imports github.com/jackc/pgx/v55, which has no home"},
		},
		"test helpers in the binary": {
			files: map[string]string{
				"cmd/stepledger/a.go":         `package main; import "@/internal/pgtest"`,
				"eventstore/memory/a.go":      `package memory; import ("testing"; "@/eventstore/storetest")`,
				"internal/browser/a.go":       `package browser; import "net/http/httptest"`,
				"internal/demoapp/a.go":       `package demoapp; import "github.com/google/go-cmp/cmp"`,
				"internal/demoapp/ok_test.go": `package demoapp; import ("testing"; "github.com/google/go-cmp/cmp"; "@/internal/pgtest")`,
			},
			want: []string{
				"cmd/stepledger/a.go: imports internal/pgtest, a helper for tests",
				"eventstore/memory/a.go: imports eventstore/storetest, a helper for tests",
				"eventstore/memory/a.go: imports testing, a library for tests",
				"internal/browser/a.go: imports net/http/httptest, a library for tests",
				"internal/demoapp/a.go: imports github.com/google/go-cmp/cmp, a library for tests",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertViolations(t, documentedTree(tt.files), tt.want)
		})
	}
}

func TestCheck_PackageComments(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"one/a.go":               {Data: []byte("package one")},
		"one/a_test.go":          {Data: []byte("// Package one is described in its test only.\npackage one")},
		"two/a.go":               {Data: []byte("// Two is not how godoc begins.\npackage two")},
		"three/a.go":             {Data: []byte("// Package three is fine.\npackage three")},
		"three/b.go":             {Data: []byte("package three")},
		"cmd/four/main.go":       {Data: []byte("// Four is a command.\npackage main")},
		"five/a.go":              {Data: []byte("// Package five has a detached comment.\n\npackage five")},
		"only/a_test.go":         {Data: []byte("package only")},
		"six/testdata/in/a.go":   {Data: []byte("package broken; import")},
		"_seven/a.go":            {Data: []byte("package seven")},
		".hidden/eight/a.go":     {Data: []byte("package eight")},
		"three/testdata/nine.go": {Data: []byte("package nine")},
	}
	assertViolations(t, tree, []string{
		"five: no package comment",
		"one: no package comment",
		`two/a.go: package comment does not start with "Package two"`,
	})
}

func TestCheck_BrokenFile(t *testing.T) {
	t.Parallel()
	_, err := check(fstest.MapFS{"domain/a.go": {Data: []byte("packag domain")}})
	if err == nil || !strings.Contains(err.Error(), "domain/a.go") {
		t.Fatalf("check = %v; want an error that names the file", err)
	}
}

// TestArrows_EachHolds goes through the table: what a row allows passes, and
// the root of the module, which no row but that of cmd allows, does not.
func TestArrows_EachHolds(t *testing.T) {
	t.Parallel()
	for _, a := range arrows {
		from := source{pkg: member(a.from)}
		for _, to := range a.to {
			if why := judge(from, module+"/"+member(to)); why != "" {
				t.Errorf("%s -> %s is refused: %s", from.pkg, to, why)
			}
		}
		if why := judge(from, module+"/cmd/stepledger"); why == "" && a.from != "cmd/..." {
			t.Errorf("%s may import cmd", from.pkg)
		}
	}
}

// TestHomes_EachHolds goes through the table of libraries.
func TestHomes_EachHolds(t *testing.T) {
	t.Parallel()
	for _, h := range homes {
		for _, in := range h.in {
			if why := judge(source{pkg: member(in)}, h.library); why != "" {
				t.Errorf("%s in %s is refused: %s", h.library, in, why)
			}
		}
		if why := judge(source{pkg: "domain/task"}, h.library+"/sub"); why == "" {
			t.Errorf("%s may be imported by the domain", h.library)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, pkg string
		want         bool
	}{
		{"api", "api", true},
		{"api", "api/web", false},
		{"api/...", "api", true},
		{"api/...", "api/web/x", true},
		{"api/...", "apiary", false},
		{"api/*", "api/web", true},
		{"api/*", "api", false},
		{"api/*", "api/web/x", false},
		{"...", "anything/at/all", true},
	}
	for _, tt := range tests {
		if got := matches(tt.pattern, tt.pkg); got != tt.want {
			t.Errorf("matches(%q, %q) = %v, want %v", tt.pattern, tt.pkg, got, tt.want)
		}
	}
}

// member is a package that a pattern stands for.
func member(pattern string) string {
	return strings.NewReplacer("/...", "/sub", "/*", "/sub", "...", "domain").Replace(pattern)
}

// documentedTree builds a module in which only imports can be wrong.
func documentedTree(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		_, pkg, _ := strings.Cut(text, "package ")
		pkg, _, _ = strings.Cut(pkg, ";")
		text = strings.ReplaceAll(text, "@/", module+"/")
		text = strings.Replace(text, "package ", "// Package "+pkg+" is a sample.\npackage ", 1)
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// assertViolations wants exactly these, each given by its beginning.
func assertViolations(t *testing.T, tree fstest.MapFS, want []string) {
	t.Helper()
	got, err := check(tree)
	if err != nil {
		t.Fatal(err)
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			t.Errorf("unexpected: %s", got[i])
		case i >= len(got):
			t.Errorf("not reported: %s", want[i])
		case !strings.HasPrefix(got[i].String(), want[i]):
			t.Errorf("got  %s\nwant %s...", got[i], want[i])
		}
	}
}

package archtest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// toBeWritten are files that documents name already. One that exists is taken off.
var toBeWritten = []string{}

const maxReadmeLines = 150

// What documents call by its path exists, and the README stays short.
func TestDocuments(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	missing, read := missingPaths(t, root)
	if !slices.Contains(read, "README.md") || !slices.Contains(read, "internal/dom/doc.go") {
		t.Fatalf("the documents read are %v: this is not the tree", read)
	}
	for _, m := range missing {
		if _, name, _ := strings.Cut(m, ": "); !slices.Contains(toBeWritten, name) {
			t.Errorf("%s does not exist", m)
		}
	}
	for _, name := range toBeWritten {
		if exists(root, name) {
			t.Errorf("%s is written: take it off toBeWritten", name)
		}
	}
	readme, err := fs.ReadFile(root, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n > maxReadmeLines {
		t.Errorf("README.md has %d lines, more than %d", n, maxReadmeLines)
	}
}

func TestDocuments_WhatIsMissed(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"README.md":      "`api/a.go`, then `b.go`, `api`, `api/gone.go`, `/api/x`, `bin/tool`, `api/built`, `lost/c.go` and `d.go`; [doc](docs/x.md), [none](docs/y.md), [away](https://x.example/a.md)",
		"api/.gitignore": "/built/\n",
		"docs/x.md":      "`api/gone` and [up](../README.md)",
		"api/a.go":       "package api",
		"api/b.go":       "package api",
		"api/doc.go":     "// Package api begins in a.go, goes on in api/b.go and ends in c.go.\npackage api",
		"testdata/no.md": "`api/gone.go`", "a/node_modules/no.md": "`api/gone.go`",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, _ := missingPaths(t, tree)
	want := []string{
		"README.md: api/gone.go", "README.md: d.go", "README.md: docs/y.md", "README.md: lost/c.go",
		"api/doc.go: c.go", "docs/x.md: api/gone",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

var (
	quotedPath = regexp.MustCompile("`([A-Za-z][\\w./-]*)`")
	link       = regexp.MustCompile(`\]\(([\w./-]+)\)`)
	// goFile is a file that a package comment names.
	goFile = regexp.MustCompile(`[\w/.-]*\w\.go\b`)
	isFile = regexp.MustCompile(`\.(go|md|sql|txt|js|yaml)$`)
)

// missingPaths gives, as "document: path", what Markdown files and package comments
// name and the tree does not have, and the documents that were read.
func missingPaths(t *testing.T, root fs.FS) (missing, read []string) {
	t.Helper()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && ignored(d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".md" && path.Base(name) != "doc.go":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		read = append(read, name)
		missing = append(missing, missingIn(root, name, string(text))...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(missing)
	return slices.Compact(missing), read
}

func missingIn(root fs.FS, document, text string) (missing []string) {
	own := path.Dir(document)
	last := own // the folder of what was named last: a bare name stands beside it
	look := func(name string, in ...string) {
		for _, folder := range in {
			if found := path.Join(folder, name); exists(root, found) {
				last = path.Dir(found)
				return
			}
		}
		missing = append(missing, document+": "+name)
	}
	if path.Ext(document) == ".go" {
		for _, name := range goFile.FindAllString(text, -1) {
			look(name, own, ".")
		}
		return missing
	}
	for _, m := range quotedPath.FindAllStringSubmatch(text, -1) {
		first, _, isPath := strings.Cut(m[1], "/")
		if isFile.MatchString(m[1]) || isPath && exists(root, first) && !isBuilt(root, m[1]) {
			look(m[1], ".", own, last)
		}
	}
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		look(m[1], own)
	}
	return missing
}

// exists reports what is there.
func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}

// isBuilt reports what is in a folder that git ignores by name, so that it is there only
// once it is built.
func isBuilt(root fs.FS, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		folder, file := path.Split(name)
		ignore, err := fs.ReadFile(root, folder+".gitignore")
		if err == nil && slices.Contains(strings.Fields(string(ignore)), "/"+file+"/") {
			return true
		}
	}
	return false
}

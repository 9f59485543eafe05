package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// violation is one broken rule: where, and what to do about it.
type violation struct {
	file string // or the package's directory
	why  string
}

func (v violation) String() string { return v.file + ": " + v.why }

// source is what the rules ask about a file.
type source struct {
	pkg     string // directory from the module's root, "." for the root itself
	file    string
	name    string // package clause
	test    bool
	doc     string // package comment
	imports []string
}

// check applies every rule to the Go files of a module and returns what breaks
// them, by file.
func check(module fs.FS) ([]violation, error) {
	sources, err := parse(module)
	if err != nil {
		return nil, err
	}
	var found []violation
	for _, s := range sources {
		for _, imported := range s.imports {
			if why := judge(s, imported); why != "" {
				found = append(found, violation{s.file, why})
			}
		}
	}
	found = append(found, undocumented(sources)...)
	slices.SortFunc(found, func(a, b violation) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.why, b.why)) })
	return found, nil
}

// parse reads the imports of every Go file the go command would look at, and
// those it would leave out for their build constraints.
func parse(module fs.FS) ([]source, error) {
	var sources []source
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if ignored(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || ignored(d.Name()) {
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		sources = append(sources, sourceOf(name, f))
		return nil
	})
	return sources, err
}

// ignored are the names the go command passes over, and what npm fetches.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || name == "node_modules" || name != "." && strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func sourceOf(name string, f *ast.File) source {
	s := source{pkg: path.Dir(name), file: name, name: f.Name.Name, test: strings.HasSuffix(name, "_test.go"), doc: f.Doc.Text()}
	for _, i := range f.Imports {
		// The parser accepts string literals only.
		imported, _ := strconv.Unquote(i.Path.Value)
		s.imports = append(s.imports, imported)
	}
	return s
}

// judge says why a file may not import what it imports, or "".
func judge(s source, imported string) string {
	forTests := s.test || isTestHelper(s.pkg)
	if below(imported, testLibraries) {
		if forTests {
			return ""
		}
		return fmt.Sprintf("imports %s, a library for tests", imported)
	}
	ours, inModule := strings.CutPrefix(imported, module)
	switch {
	case inModule && (ours == "" || ours[0] == '/'):
		return judgeArrow(s, cmp.Or(strings.TrimPrefix(ours, "/"), "."), forTests)
	case strings.Contains(strings.SplitN(imported, "/", 2)[0], "."):
		return judgeLibrary(s, imported)
	default:
		return "" // the standard library
	}
}

func judgeArrow(s source, to string, forTests bool) string {
	switch {
	case forTests:
		return ""
	case isTestHelper(to):
		return fmt.Sprintf("imports %s, a helper for tests", to)
	}
	for _, a := range arrows {
		if !matches(a.from, s.pkg) {
			continue
		}
		if slices.ContainsFunc(a.to, func(pattern string) bool { return matches(pattern, to) }) {
			return ""
		}
		return fmt.Sprintf("imports %s: %s may import %s", to, a.from, list(a.to, "the standard library only"))
	}
	return fmt.Sprintf("imports %s, but no arrow starts at %s: add a row to rules.go", to, s.pkg)
}

func judgeLibrary(s source, imported string) string {
	for _, h := range homes {
		if !below(imported, []string{h.library}) {
			continue
		}
		if slices.ContainsFunc(h.in, func(pattern string) bool { return matches(pattern, s.pkg) }) {
			return ""
		}
		return fmt.Sprintf("imports %s: it lives in %s", imported, list(h.in, "no package"))
	}
	return fmt.Sprintf("imports %s, which has no home: add a row to rules.go, with a reason", imported)
}

// undocumented wants one comment per package that starts as godoc has it.
func undocumented(sources []source) []violation {
	documented := map[string]bool{}
	var found []violation
	for _, s := range sources {
		if s.test {
			continue
		}
		documented[s.pkg] = documented[s.pkg] || s.doc != ""
		if s.doc != "" && s.name != "main" && !strings.HasPrefix(s.doc, "Package "+s.name+" ") {
			found = append(found, violation{s.file, fmt.Sprintf("package comment does not start with %q", "Package "+s.name)})
		}
	}
	for pkg, ok := range documented {
		if !ok {
			found = append(found, violation{pkg, "no package comment"})
		}
	}
	return found
}

// stale says which rows of the tables are about nothing: a package that does not
// exist, a library that nobody imports. Whoever reads them would look for it, and a
// package that takes the name later would get rights nobody gave it.
func stale(sources []source, arrows []arrow, homes []home, testLibraries []string) []violation {
	var found []violation
	packages := func(row string, patterns ...string) {
		for _, p := range patterns {
			if !slices.ContainsFunc(sources, func(s source) bool { return matches(p, s.pkg) }) {
				found = append(found, violation{"rules.go", fmt.Sprintf("the row of %s names %s, which is no package", row, p)})
			}
		}
	}
	library := func(prefix string) {
		if !slices.ContainsFunc(sources, func(s source) bool {
			return slices.ContainsFunc(s.imports, func(i string) bool { return below(i, []string{prefix}) })
		}) {
			found = append(found, violation{"rules.go", fmt.Sprintf("the row of %s is of a library that nothing imports", prefix)})
		}
	}
	for _, a := range arrows {
		packages(a.from, append([]string{a.from}, a.to...)...)
	}
	for _, h := range homes {
		packages(h.library, h.in...)
		library(h.library)
	}
	for _, l := range testLibraries {
		library(l)
	}
	return found
}

// matches applies a pattern of the tables to a package.
func matches(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if root, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == root || strings.HasPrefix(pkg, root+"/")
	}
	if parent, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == parent
	}
	return pattern == pkg
}

// below says whether an import path equals one of the prefixes or lies under it.
func below(imported string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool {
		rest, ok := strings.CutPrefix(imported, p)
		return ok && (rest == "" || rest[0] == '/')
	})
}

// isTestHelper goes by the name, as with httptest: pgtest, storetest.
func isTestHelper(pkg string) bool { return strings.HasSuffix(path.Base(pkg), "test") }

func list(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

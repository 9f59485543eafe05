package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

const (
	// maxShared is how many names the rooms may have in common: what has to be known of
	// the others to read one.
	maxShared  = 65
	maxMethods = 30
)

var rooms = []string{".", "act", "correct", "lexicon", "text", "verdict"}

// What a reader of one room has to know of the others stays little, and no type does
// everything. The concepts of the lexicon are the lines of its files and not counted.
func TestRooms(t *testing.T) {
	t.Parallel()
	shared, methods := map[string]bool{}, map[string]int{}
	for _, room := range rooms {
		for _, f := range filesOf(t, room) {
			imported := map[string]bool{}
			for _, i := range f.Imports {
				p, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				imported[path.Base(p)] = strings.Contains(p, "/internal/reason/rules/")
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if pkg, ok := s.X.(*ast.Ident); ok && imported[pkg.Name] && pkg.Obj == nil && !isConcept(t, pkg.Name, s.Sel.Name) {
						shared[pkg.Name+"."+s.Sel.Name] = true
					}
				}
				return true
			})
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
					methods[room+"."+receiver(fn)]++
				}
			}
		}
	}
	if len(shared) < 20 || len(shared) > maxShared {
		t.Errorf("%d names are shared between rooms, more than %d (or the count is wrong): %v", len(shared), maxShared, shared)
	}
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, maxMethods)
		}
	}
}

func filesOf(t *testing.T, room string) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(room)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), path.Join(room, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	return files
}

// isConcept reports a constant of type Concept of the lexicon.
func isConcept(t *testing.T, pkg, name string) bool {
	t.Helper()
	if pkg != "lexicon" {
		return false
	}
	for _, f := range filesOf(t, "lexicon") {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Concept" && v.Names[0].Name == name {
					return true
				}
			}
		}
	}
	return false
}

func receiver(fn *ast.FuncDecl) string {
	e := fn.Recv.List[0].Type
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	return e.(*ast.Ident).Name
}

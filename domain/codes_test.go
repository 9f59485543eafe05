package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const codesFile = "domain/codes.go"

// notCodes are files in which a text is spelled like a code and is none: codes that
// clients report of their own actions.
var notCodes = []string{"internal/browser/report.go", "domain/reasoning/skill.go"}

// Errors are given codes by the constants of codes.go only, and all of these are in use.
func TestCodes(t *testing.T) {
	t.Parallel()
	faults, codes := checkCodes(t, os.DirFS(".."))
	if len(codes) < 30 {
		t.Fatalf("only %d codes were found: this is not the tree", len(codes))
	}
	for _, f := range faults {
		t.Error(f)
	}
}

func TestCodes_WhatIsRefused(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		codesFile:                `const ( CodeUsed = "USED"; CodeUnused = "UNUSED"; CodeSame = "USED" )`,
		"domain/a.go":            `var _ = Errorf(Invalid, CodeSame, "fine")`,
		"api/used.go":            `var _ = domain.Errorf(domain.Invalid, domain.CodeUsed, "fine")`,
		"api/literal.go":         `var _ = domain.Errorf(domain.Invalid, "NEW_CODE", "x")`,
		"api/variable.go":        `const own = "OWN_CODE"; var _ = domain.Errorf(domain.Invalid, own, "x")`,
		"api/known.go":           `func f(c string) bool { return c == "USED" }`,
		"api/field.go":           `var _ = &domain.Error{Code: "FIELD_CODE"}`,
		"commands/interact/a.go": `func (t *turn) f() { t.failWith("GIVEN_CODE", "x") }`,
		"api/a_test.go":          `var _ = "USED"`,
		"internal/xtest/a.go":    `var _ = "USED"`,
	} {
		files[name] = &fstest.MapFile{Data: []byte("package p\n" + text)}
	}
	got, _ := checkCodes(t, files)
	want := []string{
		"api/field.go:2: a code is written out",
		"api/known.go:2: CodeUsed is written out",
		"api/literal.go:2: the code of an error is no constant of domain",
		"api/variable.go:2: the code of an error is no constant of domain",
		"commands/interact/a.go:2: a code is written out",
		"domain/codes.go: CodeUnused is used by nobody",
		"domain/codes.go: USED has two names",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// checker goes through the files of the module.
type checker struct {
	codes  map[string]string // constant by code
	used   map[string]bool   // constants
	fset   *token.FileSet
	faults []string
}

func checkCodes(t *testing.T, module fs.FS) (faults []string, codes map[string]string) {
	t.Helper()
	c := &checker{codes: map[string]string{}, used: map[string]bool{}, fset: token.NewFileSet()}
	c.declared(c.parse(t, module, codesFile))
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || strings.HasSuffix(name, "test")):
			return fs.SkipDir
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || name == codesFile:
			return nil
		}
		c.file(name, c.parse(t, module, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range c.codes {
		if !c.used[name] {
			c.faults = append(c.faults, codesFile+": "+name+" is used by nobody")
		}
	}
	slices.Sort(c.faults)
	return c.faults, c.codes
}

func (c *checker) parse(t *testing.T, module fs.FS, name string) *ast.File {
	t.Helper()
	text, err := fs.ReadFile(module, name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (c *checker) declared(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			code := text(spec.Values[0])
			if c.codes[code] != "" {
				c.faults = append(c.faults, codesFile+": "+code+" has two names")
				return true
			}
			c.codes[code] = spec.Names[0].Name
		}
		return true
	})
}

func (c *checker) file(name string, f *ast.File) {
	inDomain := path.Dir(name) == "domain"
	constant := func(e ast.Expr) string { return codeName(e, inDomain) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			c.used[constant(n)] = true
		case *ast.Ident:
			c.used[constant(n)] = true
		case *ast.BasicLit:
			if known := c.codes[text(n)]; known != "" && !slices.Contains(notCodes, name) {
				c.fault(n, known+" is written out")
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" && text(n.Value) != "" {
				c.fault(n, "a code is written out")
			}
		case *ast.CallExpr:
			c.call(n, path.Dir(name), constant)
		}
		return true
	})
}

// looksLikeCode is a text in the spelling of codes.
var looksLikeCode = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)

// call looks at what makes errors, and at what ends a turn or a task with a code,
// which is its first argument.
func (c *checker) call(n *ast.CallExpr, pkg string, constant func(ast.Expr) string) {
	callee := calleeName(n)
	switch {
	case callee == "domain.Errorf", callee == "Errorf" && pkg == "domain":
		if constant(n.Args[1]) == "" {
			c.fault(n, "the code of an error is no constant of domain")
		}
	case pkg == "commands/interact" && len(n.Args) > 0:
		if looksLikeCode.MatchString(text(n.Args[0])) {
			c.fault(n, "a code is written out")
		}
	}
}

func (c *checker) fault(n ast.Node, why string) {
	at := c.fset.Position(n.Pos())
	c.faults = append(c.faults, at.Filename+":"+strconv.Itoa(at.Line)+": "+why)
}

// codeName is the constant an expression names, "" if it names none.
func codeName(e ast.Expr, inDomain bool) string {
	name, ok := e.(*ast.Ident)
	if sel, isSel := e.(*ast.SelectorExpr); isSel && calleeName(&ast.CallExpr{Fun: sel}) == "domain."+sel.Sel.Name {
		name, ok = sel.Sel, true
	} else if !inDomain {
		return ""
	}
	if !ok || !strings.HasPrefix(name.Name, "Code") {
		return ""
	}
	return name.Name
}

// calleeName is what is called, as it is written: "domain.Errorf", "t.fail", "fail".
func calleeName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// text is the value of a string literal, "" of everything else.
func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}

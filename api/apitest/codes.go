package apitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Codes reads the codes of errors from domain/codes.go, beginning at the folder of the
// test and going up.
func Codes(t testing.TB) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(t), "domain", "codes.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					codes[text] = true
				}
			}
		}
		return true
	})
	if len(codes) < 30 {
		t.Fatalf("only %d codes were found", len(codes))
	}
	return codes
}

// Root finds the folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("there is no go.mod above the test")
	return ""
}

var documentedCode = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|")

// DocumentedCodes are the codes of docs/api.md that HTTP answers with, in its order.
func DocumentedCodes(t testing.TB) (codes []string) {
	t.Helper()
	for _, found := range documentedCode.FindAllStringSubmatch(apiGuide(t), -1) {
		codes = append(codes, found[1])
	}
	return codes
}

// apiGuide is the text of docs/api.md.
func apiGuide(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// MentionedCodes are all words of docs/api.md that are spelled like codes.
func MentionedCodes(t testing.TB) map[string]bool {
	t.Helper()
	codes := map[string]bool{}
	for _, found := range regexp.MustCompile("`([A-Z][A-Z]+(?:_[A-Z]+)*)`").FindAllStringSubmatch(apiGuide(t), -1) {
		if !strings.HasPrefix(found[1], "STEPLEDGER_") {
			codes[found[1]] = true
		}
	}
	return codes
}

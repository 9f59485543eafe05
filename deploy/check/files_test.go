package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// root is the repository.
const root = "../.."

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// documents are those of a YAML file, as JSON would have them.
func documents(t *testing.T, name string) (all []map[string]any) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader(read(t, name)))
	for {
		var doc map[string]any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, asJSON(t, doc))
	}
}

func asJSON(t *testing.T, v any) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// at is what stands under keys and indexes below a value, nil if nothing does.
func at(v any, path ...any) any {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				return nil
			}
			v = l[key]
		}
	}
	return v
}

// text is what at gives, "" if it is no text.
func text(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func number(v any, path ...any) float64 {
	n, _ := at(v, path...).(float64)
	return n
}

func list(v any, path ...any) []any {
	l, _ := at(v, path...).([]any)
	return l
}

// schema reads a schema of testdata, narrowed to one of its definitions unless that is "".
func schema(t *testing.T, name, definition string) *jsonschema.Resolved {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "$id")
	if strings.Contains(text(doc, "$schema"), "draft-07") { // the library knows it by this name
		doc["$schema"] = "http://json-schema.org/draft-07/schema#"
	}
	if definition != "" {
		delete(doc, "oneOf")
		doc["$ref"] = "#/definitions/" + definition
	}
	if raw, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func files(t *testing.T, pattern string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: nothing, %v", pattern, err)
	}
	for _, f := range found {
		names = append(names, strings.TrimPrefix(f, root+"/"))
	}
	return names
}

package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// leaf is a value of a JSON document that holds no others, by its path.
type leaf struct {
	Path, Text string
	// Long texts get a block of their own.
	Long bool
}

const longText = 80

// leaves lists what a document says, in its order but for the fields of objects, which
// are ordered by name.
func leaves(doc json.RawMessage) (all []leaf) {
	if len(doc) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return []leaf{{"", string(doc), true}}
	}
	return walk(nil, "", v)
}

func walk(all []leaf, path string, v any) []leaf {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			all = walk(all, join(path, name), v[name])
		}
	case []any:
		for i, item := range v {
			all = walk(all, join(path, strconv.Itoa(i)), item)
		}
	case string:
		all = append(all, leaf{path, v, len(v) > longText || strings.Contains(v, "\n")})
	case nil:
	default:
		b, _ := json.Marshal(v) // a number or truth value
		all = append(all, leaf{path, string(b), false})
	}
	return all
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

// indented is a document to read.
func indented(doc json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, doc, "", "  ") != nil {
		return string(doc)
	}
	return b.String()
}

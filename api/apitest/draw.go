package apitest

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// drawing makes values that fit schemas. The same seed draws the same values.
type drawing struct {
	doc       *Document
	operation string
	known     known
	rand      *rand.Rand
}

// letters of texts that are drawn: of one, two, three and four bytes.
var letters = []rune("abcxyz ABC019-_.,'<&éñßДж中文日本🩺👩")

// value is one that fits. A full one has every property, else it has those that are
// required.
func (g *drawing) value(s *Schema, path string, full bool) any {
	if v, ok := g.known.at(g.operation, path); ok {
		return v
	}
	s = g.doc.resolve(s)
	switch {
	case len(s.Enum) > 0:
		return s.Enum[g.rand.IntN(len(s.Enum))]
	case len(s.AnyOf) > 0:
		return g.value(s.AnyOf[g.rand.IntN(len(s.AnyOf))], path, full)
	case len(s.Type) == 0:
		return "anything"
	}
	switch s.Type[0] {
	case "boolean":
		return g.rand.IntN(2) == 0
	case "integer", "number":
		return g.number(s)
	case "array":
		return g.list(s, path, full)
	case "object":
		return g.object(s, path, full)
	}
	return g.text(s)
}

func (g *drawing) text(s *Schema) string {
	switch s.Format {
	case "uuid":
		return anotherID()
	case "date-time":
		return "2026-01-27T00:00:00.000Z"
	case "uri":
		return "https://example.com/"
	case "email":
		return "ann@example.com"
	}
	if s.Pattern != "" {
		return "1"
	}
	n := 1 + g.rand.IntN(20)
	if s.MaxLength != nil {
		n = min(n, *s.MaxLength)
	}
	if s.MinLength != nil {
		n = max(n, *s.MinLength)
	}
	b := make([]rune, n)
	for i := range b {
		b[i] = letters[g.rand.IntN(len(letters))]
	}
	return string(b)
}

func (g *drawing) number(s *Schema) json.Number {
	low, high := 0.0, 100.0
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	return json.Number(strconv.FormatInt(int64(low)+g.rand.Int64N(max(int64(high-low), 1)), 10))
}

func (g *drawing) list(s *Schema, path string, full bool) any {
	n := 0
	if full {
		n = 2
	}
	if s.MaxItems != nil {
		n = min(n, *s.MaxItems)
	}
	if s.MinItems != nil {
		n = max(n, *s.MinItems)
	}
	items := make([]any, 0, n)
	for len(items) < n {
		item := g.value(s.Items, path+"[0]", full)
		if s.UniqueItems && slices.Contains(items, item) {
			break
		}
		items = append(items, item)
	}
	return items
}

func (g *drawing) object(s *Schema, path string, full bool) any {
	o := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		inner := join(path, name)
		required := slices.Contains(s.Required, name) || path == "" && slices.Contains(needed[g.operation], name)
		if !full && !required {
			continue
		}
		if v := g.value(s.Properties[name], inner, full); v != (absent{}) {
			o[name] = v
		}
	}
	return o
}

// whole is a text of a number of characters.
func whole(n int) string { return strings.Repeat("x", n) }

// strange are texts that programs stumble over.
var strange = []any{"日本語 🩺 é", "null", "\u0000", "tab\tand\nline\u2028", "' or 1=1 --", "../../etc/passwd", "${7*7}{{7*7}}", whole(70_000)}

// candidates are values to try in place of one of a schema, at and beyond its bounds,
// and of every other type. Some fit and some do not: misfits says which.
func candidates(s *Schema) (all []any) {
	all = append(all, nil, true, json.Number("7"), []any{}, map[string]any{}, []any{json.Number("7")}, map[string]any{"a": json.Number("7")}, "x", "")
	for _, one := range s.Enum {
		all = append(all, one)
		if text, ok := one.(string); ok {
			all = append(all, text+"x", strings.ToUpper(text))
		}
	}
	for _, kind := range s.Type {
		switch kind {
		case "string":
			all = append(all, texts(s)...)
		case "integer", "number":
			all = append(all, numbers(s)...)
		case "array":
			if s.MaxItems != nil && s.Items != nil {
				all = append(all, slices.Repeat([]any{"x"}, *s.MaxItems), slices.Repeat([]any{"x"}, *s.MaxItems+1), slices.Repeat([]any{json.Number("1")}, *s.MaxItems), slices.Repeat([]any{json.Number("1")}, *s.MaxItems+1))
			}
		}
	}
	return all
}

func texts(s *Schema) (all []any) {
	if len(s.Enum) == 0 {
		all = append(all, strange...)
	}
	if s.MaxLength != nil {
		all = append(all, whole(*s.MaxLength), whole(*s.MaxLength+1), strings.Repeat("é", *s.MaxLength+1))
	}
	if s.MinLength != nil && *s.MinLength > 0 {
		all = append(all, whole(*s.MinLength), whole(*s.MinLength-1))
	}
	switch s.Format {
	case "uuid":
		id := anotherID()
		all = append(all, id, strings.ToUpper(id), "7", id+"0", id[:35], strings.ReplaceAll(id, "-", ""), "{"+id+"}", " "+id)
	case "date-time":
		all = append(all, "yesterday", "2026-01-27", "2026-02-30T00:00:00Z", "2026-01-27T25:00:00Z", "1769515200", "2026-01-27T00:00:00",
			"2026-01-27T00:00:00.000Z", "2026-01-27T12:00:00.123456789+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z")
	case "uri":
		all = append(all, "not a url", "//example.com/", "/path", "javascript:alert(1)", "file:///etc/passwd", "http://", "https://", "https://[::1", "https://example.com:99999/", "https://例え.jp/?q=日本")
	}
	if s.Pattern != "" {
		all = append(all, "0", "-1", "1.5", "1e3", "0x10", whole(3), strings.Repeat("9", 17), strings.Repeat("9", 30), "１")
	}
	return all
}

func numbers(s *Schema) (all []any) {
	for _, n := range []string{"0", "-1", "1", "1.5", "-0.0", "1e2", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1e308", "1e400"} {
		all = append(all, json.Number(n))
	}
	for _, bound := range []*float64{s.Minimum, s.Maximum} {
		if bound != nil {
			for _, step := range []int64{-1, 0, 1} {
				all = append(all, json.Number(strconv.FormatInt(int64(*bound)+step, 10)))
			}
		}
	}
	return all
}

var index = regexp.MustCompile(`\[\d+\]`)

// withoutIndexes is the path of a field, whichever item of a list it is in.
func withoutIndexes(path string) string { return index.ReplaceAllString(path, "") }

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

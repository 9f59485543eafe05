package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain"
)

// Schema is a JSON Schema, as far as the description uses it. A keyword it does not
// know is an error of reading: what is not understood is not checked.
type Schema struct {
	Ref                  string             `json:"$ref"`
	Type                 kinds              `json:"type"`
	Format               string             `json:"format"`
	Enum                 []any              `json:"enum"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	MinLength            *int               `json:"minLength"`
	MaxLength            *int               `json:"maxLength"`
	Pattern              string             `json:"pattern"`
	Items                *Schema            `json:"items"`
	MinItems             *int               `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	UniqueItems          bool               `json:"uniqueItems"`
	Properties           map[string]*Schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties *others            `json:"additionalProperties"`
	AnyOf                []*Schema          `json:"anyOf"`

	Description string `json:"description"`
	Title       string `json:"title"`
	Default     any    `json:"default"`
	Examples    []any  `json:"examples"`
	// PatternDescription says in words what Pattern does.
	PatternDescription string `json:"patternDescription"`
}

// UnmarshalJSON refuses keywords that are not understood.
func (s *Schema) UnmarshalJSON(text []byte) error {
	type plain Schema
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	in.UseNumber()
	return in.Decode((*plain)(s))
}

// kinds are the types a value may have; none means any.
type kinds []string

// UnmarshalJSON reads one name or a list of them.
func (k *kinds) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		*k = make(kinds, 1)
		return json.Unmarshal(text, &(*k)[0])
	}
	return json.Unmarshal(text, (*[]string)(k))
}

// others are the properties an object may have beside those named.
type others struct {
	allowed bool
	schema  *Schema
}

// UnmarshalJSON reads a boolean or a schema.
func (o *others) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &o.allowed) == nil {
		return nil
	}
	o.allowed = true
	return json.Unmarshal(text, &o.schema)
}

// misfit is why a value does not fit a schema.
type misfit struct{ path, reason string }

func (m misfit) String() string { return m.path + ": " + m.reason }

// misfits lists where a value decoded by decodeJSON does not fit.
func (d *Document) misfits(s *Schema, v any) []misfit {
	f := &fitting{doc: d}
	f.value(s, v, "")
	return f.found
}

type fitting struct {
	doc   *Document
	found []misfit
}

func (f *fitting) add(path, format string, args ...any) {
	f.found = append(f.found, misfit{path, fmt.Sprintf(format, args...)})
}

func (f *fitting) value(s *Schema, v any, path string) {
	if s = f.doc.resolve(s); s == nil {
		return
	}
	if len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, func(one *Schema) bool { return len(f.doc.misfits(one, v)) == 0 }) {
		f.add(path, "%s fits none of the alternatives", brief(v))
		return
	}
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(kind string) bool { return isKind(kind, v) }) {
		f.add(path, "%s is not of type %s", brief(v), strings.Join(s.Type, " or "))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(one any) bool { return reflect.DeepEqual(one, v) }) {
		f.add(path, "%s is none of %v", brief(v), s.Enum)
	}
	switch v := v.(type) {
	case string:
		f.text(s, v, path)
	case json.Number:
		f.number(s, v, path)
	case []any:
		f.list(s, v, path)
	case map[string]any:
		f.object(s, v, path)
	}
}

func isKind(kind string, v any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case json.Number:
		return kind == "number" || kind == "integer" && isWhole(v)
	case []any:
		return kind == "array"
	}
	return kind == "object"
}

func isWhole(n json.Number) bool {
	r, ok := new(big.Rat).SetString(n.String())
	return ok && len(n) < 1000 && r.IsInt()
}

// text counts length in code points, as JSON Schema does; the server counts UTF-16
// units, which are more.
func (f *fitting) text(s *Schema, v, path string) {
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		f.add(path, "it is %d characters long, less than %d", n, *s.MinLength)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		f.add(path, "it is %d characters long, more than %d", n, *s.MaxLength)
	}
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
		f.add(path, "%s does not match %s", brief(v), s.Pattern)
	}
	if !hasFormat(s.Format, v) {
		f.add(path, "%s is no %s", brief(v), s.Format)
	}
}

func hasFormat(format, v string) bool {
	switch format {
	case "":
		return true
	case "uuid":
		return domain.ValidUUID(v)
	case "date-time":
		_, err := time.Parse(time.RFC3339Nano, v)
		return err == nil
	case "uri":
		u, err := url.Parse(v)
		return err == nil && u.IsAbs()
	case "email":
		name, host, found := strings.Cut(v, "@")
		return found && name != "" && host != ""
	}
	return false // an unknown format is no format
}

func (f *fitting) number(s *Schema, v json.Number, path string) {
	n, err := v.Float64()
	if err != nil {
		f.add(path, "%s is out of range", brief(v))
		return
	}
	if s.Minimum != nil && n < *s.Minimum {
		f.add(path, "%s is less than %v", v, *s.Minimum)
	}
	if s.Maximum != nil && n > *s.Maximum {
		f.add(path, "%s is more than %v", v, *s.Maximum)
	}
	for format, size := range map[string]int{"int32": 32, "int64": 64} {
		if _, err := strconv.ParseInt(v.String(), 10, size); s.Format == format && err != nil {
			f.add(path, "%s is no %s", brief(v), format)
		}
	}
}

func (f *fitting) list(s *Schema, v []any, path string) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		f.add(path, "it has %d items, less than %d", len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		f.add(path, "it has %d items, more than %d", len(v), *s.MaxItems)
	}
	for i, item := range v {
		if s.Items != nil {
			f.value(s.Items, item, fmt.Sprintf("%s[%d]", path, i))
		}
		if s.UniqueItems && slices.ContainsFunc(v[:i], func(one any) bool { return reflect.DeepEqual(one, item) }) {
			f.add(path, "%s is there twice", brief(item))
		}
	}
}

func (f *fitting) object(s *Schema, v map[string]any, path string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			f.add(join(path, name), "it is missing")
		}
	}
	for name, inner := range v {
		switch p := s.Properties[name]; {
		case p != nil:
			f.value(p, inner, join(path, name))
		case s.AdditionalProperties == nil:
		case !s.AdditionalProperties.allowed:
			f.add(join(path, name), "there is no such property")
		case s.AdditionalProperties.schema != nil:
			f.value(s.AdditionalProperties.schema, inner, join(path, name))
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// brief is a value as an error message shows it.
func brief(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	const longest = 80
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}

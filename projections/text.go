package projections

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Text returns a text as Postgres can store it: without NUL, and with U+FFFD for
// invalid UTF-8. Arguments of a Batch are cleaned automatically, those of queries are
// not.
func Text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s // as nearly always
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
}

// JSON returns a value as an argument for a json or jsonb column, with its texts
// cleaned like Text; nil for nil. Encoding it must not fail.
func JSON[T any](v *T) any {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic("projections: encode for a column: " + err.Error())
	}
	return json.RawMessage(withoutNUL(b))
}

// withoutNUL removes NUL, written as an escape, from encoded JSON.
func withoutNUL(b []byte) []byte {
	const nul = `\u0000`
	if !bytes.Contains(b, []byte(nul)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		switch {
		case bytes.HasPrefix(b, []byte(nul)):
			b = b[len(nul):]
		case b[0] == '\\': // an escape, and what it escapes
			out, b = append(out, b[:2]...), b[2:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

// storable returns an argument with its texts cleaned.
func storable(arg any) any {
	switch a := arg.(type) {
	case string:
		return Text(a)
	case *string:
		if a == nil {
			return a
		}
		s := Text(*a)
		return &s
	case []string:
		out := make([]string, len(a))
		for i, s := range a {
			out[i] = Text(s)
		}
		return out
	}
	return arg
}

package projections

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Text is a text as Postgres can hold it: without NUL, and with U+FFFD for what
// is not UTF-8. Texts among the arguments of a Batch pass through it; those of
// queries have to be sent through by hand.
func Text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s // as nearly always
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
}

// JSON is a value as an argument for a json or jsonb column, its texts without
// what Text takes out; nil for nil. Encoding it must not fail.
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

// withoutNUL takes NUL out of encoded JSON, where it is an escape.
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

// storable is an argument with its texts as Postgres can hold them.
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

package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Members are the members of a JSON object by name. Names are compared without case
// and underscores, since endpoints that imitate a protocol write prompt_tokens as
// promptTokens. Of duplicate names the last one counts.
//
// Each member is read separately, so that one of a wrong shape is only missing.
type Members map[string]json.RawMessage

// ReadMembers reads an object. If it is invalid from some point on, whole is false
// and what came before is kept. It returns nil if raw is not an object.
func ReadMembers(raw []byte) (m Members, whole bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	m = Members{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return m, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return m, false
		}
		m[folded(name.(string))] = value
	}
	_, err := d.Token()
	return m, err == nil
}

func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// Of returns a member, nil if it is missing or null.
func (m Members) Of(name string) json.RawMessage {
	raw := m[folded(name)]
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Text returns a string member, "" for any other.
func (m Members) Text(name string) string {
	var s string
	if json.Unmarshal(m.Of(name), &s) != nil {
		return ""
	}
	return s
}

// Members returns the members of an object member, nil for any other.
func (m Members) Members(name string) Members {
	inner, _ := ReadMembers(m.Of(name))
	return inner
}

// List returns a list member, nil for any other.
func (m Members) List(name string) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(m.Of(name), &l) != nil {
		return nil
	}
	return l
}

// First returns the members of the first object of a list, nil if there is none.
func (m Members) First(name string) Members {
	l := m.List(name)
	if len(l) == 0 {
		return nil
	}
	first, _ := ReadMembers(l[0])
	return first
}

// withoutNaN replaces NaN and Infinity, which some servers write, by null, which
// makes the body valid JSON.
func withoutNaN(body []byte) []byte {
	if json.Valid(body) {
		return body
	}
	out := make([]byte, 0, len(body))
	for i, quoted := 0, false; i < len(body); {
		word := ""
		if !quoted {
			word = notANumber(body[i:])
		}
		switch {
		case word != "":
			out, i = append(out, "null"...), i+len(word)
			continue
		case quoted && body[i] == '\\' && i+1 < len(body):
			out, i = append(out, body[i]), i+1
		case body[i] == '"':
			quoted = !quoted
		}
		out, i = append(out, body[i]), i+1
	}
	return out
}

func notANumber(at []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(at, []byte(word)) {
			return word
		}
	}
	return ""
}

package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Members are what a JSON object holds, by name. Names are compared without case
// and underscores: endpoints that imitate a protocol write prompt_tokens as
// promptTokens. Of a name that is there twice the last one counts.
//
// Each member is read for itself, so that one of a wrong shape is no more than
// missing.
type Members map[string]json.RawMessage

// ReadMembers reads an object. Of one that stops being JSON on its way, whole is
// false and what came before is kept. Nil stands for what is no object.
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

// Of is a member; nil where there is none, or null.
func (m Members) Of(name string) json.RawMessage {
	raw := m[folded(name)]
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Text is a member that is a string; "" for any other.
func (m Members) Text(name string) string {
	var s string
	if json.Unmarshal(m.Of(name), &s) != nil {
		return ""
	}
	return s
}

// Members are those of a member that is an object; nil for any other.
func (m Members) Members(name string) Members {
	inner, _ := ReadMembers(m.Of(name))
	return inner
}

// List is a member that is a list; nil for any other.
func (m Members) List(name string) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(m.Of(name), &l) != nil {
		return nil
	}
	return l
}

// First are the members of the first object of a list; nil where there is none.
func (m Members) First(name string) Members {
	l := m.List(name)
	if len(l) == 0 {
		return nil
	}
	first, _ := ReadMembers(l[0])
	return first
}

// withoutNaN replaces the words some servers write for numbers that are none (NaN,
// Infinity) by null, which makes JSON of what would not be.
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

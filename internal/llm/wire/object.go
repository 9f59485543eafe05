package wire

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Object is a JSON object that keeps the order of its members. Models write in the
// order of the schema, and a model that writes its thought before its action acts on
// it.
type Object struct {
	Names  []string
	Fields map[string]json.RawMessage
}

// ReadObject reads an object. ok is false for any other JSON.
func ReadObject(raw json.RawMessage) (o Object, ok bool, err error) {
	if t := bytes.TrimSpace(raw); len(t) == 0 || t[0] != '{' {
		return o, false, nil
	}
	if err := json.Unmarshal(raw, &o.Fields); err != nil {
		return o, false, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // the brace; the object was valid above, so none of this fails
	for d.More() {
		name, _ := d.Token()
		if !slices.Contains(o.Names, name.(string)) {
			o.Names = append(o.Names, name.(string))
		}
		var skip json.RawMessage
		_ = d.Decode(&skip)
	}
	return o, true, nil
}

// Set adds a member at the end, or replaces it in place.
func (o *Object) Set(name string, value json.RawMessage) {
	if o.Fields == nil {
		o.Fields = map[string]json.RawMessage{}
	}
	if o.Fields[name] == nil {
		o.Names = append(o.Names, name)
	}
	o.Fields[name] = value
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.Names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Literal(name))
		b.WriteByte(':')
		b.Write(o.Fields[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Literal returns strings, numbers, booleans and lists of them as JSON.
func Literal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("wire: such a value is always JSON: " + err.Error())
	}
	return b
}

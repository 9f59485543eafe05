package openai

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/stepledger/stepledger/internal/llm/wire"
)

// kept are the keywords of JSON Schema that are sent. Strict mode refuses requests
// with unknown ones; the caller checks the answer itself.
var kept = []string{
	"$defs", "$ref", "type", "description", "enum", "items", "properties", "additionalProperties", "required", "anyOf",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "pattern",
}

// errLoose is returned for a schema that strict mode cannot express.
var errLoose = errors.New("not to be said in strict mode")

// reduce rewrites a schema into what the endpoint accepts. In strict mode every
// object is closed and all its properties are required; optional ones become
// nullable. A schema that strict mode cannot express (maps, values of any type,
// conditions) is sent as it is, and strict is false.
func reduce(raw json.RawMessage, strictly bool) (schema json.RawMessage, strict bool, err error) {
	if strictly {
		schema, err = reducer{strict: true}.root(raw)
		if !errors.Is(err, errLoose) {
			return schema, true, err
		}
	}
	schema, err = reducer{}.part(raw)
	return schema, false, err
}

type reducer struct{ strict bool }

// root must be an object.
func (r reducer) root(raw json.RawMessage) (json.RawMessage, error) {
	s, ok, err := wire.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	if !ok || string(s.Fields["type"]) != `"object"` {
		return nil, errLoose
	}
	return r.part(raw)
}

func (r reducer) part(raw json.RawMessage) (json.RawMessage, error) {
	s, ok, err := wire.ReadObject(raw)
	switch {
	case err != nil:
		return nil, err
	case !ok && r.strict:
		return nil, errLoose // true: anything at all
	case !ok:
		return raw, nil
	case s.Fields["$ref"] != nil && r.strict:
		s.Names = slices.DeleteFunc(s.Names, func(w string) bool { return w != "$ref" && w != "$defs" })
	}
	var out wire.Object
	for _, word := range s.Names {
		if err := r.word(&out, word, s.Fields[word]); err != nil {
			return nil, err
		}
	}
	if r.strict {
		err = closed(&out)
	} else if string(out.Fields["properties"]) == "{}" {
		out.Names = slices.DeleteFunc(out.Names, func(w string) bool { return w == "properties" }) // Gemini refuses none
	}
	if err != nil {
		return nil, err
	}
	return out.MarshalJSON()
}

// word adds one keyword of a schema.
func (r reducer) word(out *wire.Object, word string, v json.RawMessage) error {
	var err error
	switch word {
	case "const":
		word, v = "enum", slices.Concat([]byte("["), v, []byte("]"))
	case "oneOf", "anyOf":
		word = "anyOf"
		v, err = r.list(v)
	case "items":
		v, err = r.part(v)
	case "properties", "$defs":
		v, err = r.each(v)
	case "additionalProperties":
		if r.strict && string(v) != "true" && string(v) != "false" {
			return errLoose // a map
		}
	case "allOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas":
		if r.strict {
			return errLoose
		}
	}
	if err == nil && slices.Contains(kept, word) {
		out.Set(word, v)
	}
	return err
}

func (r reducer) list(v json.RawMessage) (json.RawMessage, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(v, &parts); err != nil {
		return nil, err
	}
	for i := range parts {
		var err error
		if parts[i], err = r.part(parts[i]); err != nil {
			return nil, err
		}
	}
	return wire.Literal(parts), nil
}

func (r reducer) each(v json.RawMessage) (json.RawMessage, error) {
	o, _, err := wire.ReadObject(v)
	if err != nil {
		return nil, err
	}
	for _, name := range o.Names {
		if o.Fields[name], err = r.part(o.Fields[name]); err != nil {
			return nil, err
		}
	}
	return o.MarshalJSON()
}

// closed adds what strict mode requires of an object, and refuses a value without a
// type.
func closed(s *wire.Object) error {
	kind := string(s.Fields["type"])
	switch {
	case kind == "" && s.Fields["enum"] != nil:
		return typed(s)
	case kind == "" && s.Fields["anyOf"] == nil && s.Fields["$ref"] == nil, kind == `"array"` && s.Fields["items"] == nil:
		return errLoose
	case kind != `"object"`:
		return nil
	}
	p, ok, err := wire.ReadObject(s.Fields["properties"])
	if err != nil || !ok {
		return errors.Join(err, errLoose) // any object at all
	}
	var required []string
	if err := json.Unmarshal(orEmpty(s.Fields["required"]), &required); err != nil {
		return err
	}
	for _, name := range p.Names {
		if !slices.Contains(required, name) {
			p.Fields[name] = nullable(p.Fields[name])
		}
	}
	properties, err := p.MarshalJSON()
	s.Set("properties", properties)
	s.Set("required", wire.Literal(append([]string{}, p.Names...)))
	s.Set("additionalProperties", json.RawMessage("false"))
	return err
}

// typed gives an enumeration the type of its values.
func typed(s *wire.Object) error {
	var words []string
	if json.Unmarshal(s.Fields["enum"], &words) != nil {
		return errLoose
	}
	s.Set("type", json.RawMessage(`"string"`))
	return nil
}

// nullable is a schema that also allows null.
func nullable(raw json.RawMessage) json.RawMessage {
	s, _, _ := wire.ReadObject(raw) // it was written by part
	var kind string
	if json.Unmarshal(s.Fields["type"], &kind) != nil || kind == "null" || kind == "object" {
		return slices.Concat([]byte(`{"anyOf":[`), raw, []byte(`,{"type":"null"}]}`))
	}
	s.Set("type", wire.Literal([]string{kind, "null"}))
	var values []json.RawMessage
	if json.Unmarshal(s.Fields["enum"], &values) == nil && values != nil {
		s.Set("enum", wire.Literal(append(values, json.RawMessage("null"))))
	}
	return wire.Literal(s)
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("[]")
	}
	return raw
}

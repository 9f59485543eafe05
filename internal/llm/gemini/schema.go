package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
)

// kept are the words of JSON Schema Gemini knows (responseJsonSchema). It
// refuses a request over some of the others, so all of them are left out; the
// asker checks the answer itself.
var kept = []string{
	"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum",
	"items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf",
	"properties", "additionalProperties", "required",
}

// reduce rewrites a schema into what Gemini accepts: unknown words dropped,
// const said as enum, and the order of properties, which JSON objects lose on
// their way through the library, said in propertyOrdering: a model that has to
// write its thought first acts on it.
func reduce(raw json.RawMessage) (any, error) {
	fields, order, err := object(raw)
	if err != nil || fields == nil {
		return literal(raw, err)
	}
	out := map[string]any{}
	for _, word := range order {
		v := fields[word]
		if word == "const" {
			word, v = "enum", slices.Concat([]byte("["), v, []byte("]"))
		}
		if !slices.Contains(kept, word) || fields["$ref"] != nil && word[0] != '$' {
			continue
		}
		if out[word], err = reduceWord(word, v); err != nil {
			return nil, err
		}
	}
	if _, names, err := object(fields["properties"]); err == nil && len(names) > 0 && out["properties"] != nil {
		out["propertyOrdering"] = names
	} else {
		delete(out, "properties") // Gemini refuses an object whose properties are none
	}
	return out, nil
}

func reduceWord(word string, v json.RawMessage) (any, error) {
	switch word {
	case "properties", "$defs":
		return reduceEach(v)
	case "anyOf", "oneOf", "prefixItems":
		var list []json.RawMessage
		if err := json.Unmarshal(v, &list); err != nil {
			return nil, err
		}
		out := make([]any, len(list))
		for i, s := range list {
			var err error
			if out[i], err = reduce(s); err != nil {
				return nil, err
			}
		}
		return out, nil
	case "items", "additionalProperties":
		return reduce(v)
	}
	return literal(v, nil)
}

func reduceEach(v json.RawMessage) (any, error) {
	fields, _, err := object(v)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(fields))
	for name, s := range fields {
		if out[name], err = reduce(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func literal(raw json.RawMessage, err error) (any, error) {
	var v any
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}

// object reads the fields of a JSON object and their order; nil for JSON that
// is no object.
func object(raw json.RawMessage) (map[string]json.RawMessage, []string, error) {
	if t := bytes.TrimSpace(raw); len(t) == 0 || t[0] != '{' {
		return nil, nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // the brace; the object was valid above, so none of this fails
	var order []string
	for d.More() {
		name, _ := d.Token()
		order = append(order, name.(string))
		var skip json.RawMessage
		_ = d.Decode(&skip)
	}
	return fields, order, nil
}

package gemini

import (
	"encoding/json"
	"slices"

	"github.com/stepledger/stepledger/internal/llm/wire"
)

// kept are the keywords of JSON Schema that Gemini knows (responseJsonSchema). It
// refuses requests over some of the others, so those are dropped; the caller checks
// the answer itself.
var kept = []string{
	"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum",
	"items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf",
	"properties", "additionalProperties", "required",
}

// reduce rewrites a schema into what Gemini accepts: unknown keywords are dropped,
// const becomes enum, and the order of properties, which the library loses, is given
// in propertyOrdering. The order matters: a model that writes its thought first acts
// on it.
func reduce(raw json.RawMessage) (any, error) {
	schema, ok, err := wire.ReadObject(raw)
	if err != nil || !ok {
		return literal(raw, err)
	}
	out := map[string]any{}
	for _, word := range schema.Names {
		v := schema.Fields[word]
		if word == "const" {
			word, v = "enum", slices.Concat([]byte("["), v, []byte("]"))
		}
		if !slices.Contains(kept, word) || schema.Fields["$ref"] != nil && word[0] != '$' {
			continue
		}
		if out[word], err = reduceWord(word, v); err != nil {
			return nil, err
		}
	}
	if p, _, err := wire.ReadObject(schema.Fields["properties"]); err == nil && len(p.Names) > 0 && out["properties"] != nil {
		out["propertyOrdering"] = p.Names
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
	o, _, err := wire.ReadObject(v)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(o.Fields))
	for name, s := range o.Fields {
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

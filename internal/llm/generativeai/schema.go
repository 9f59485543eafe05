package generativeai

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/generative-ai-go/genai"

	"github.com/stepledger/stepledger/internal/llm/wire"
)

// errNoWords is returned for a schema the library's Schema cannot express: it has
// neither choices nor maps, and Gemini refuses an object without properties.
var errNoWords = errors.New("not to be said in the library's schema")

// maxDepth ends schemas that refer to themselves.
const maxDepth = 16

// reduce converts a schema to the library's, dropping the rest. It returns nil if
// that is impossible: the provider is then asked for JSON of any form, and only the
// prompt and the caller's check ensure it.
func reduce(raw json.RawMessage) (*genai.Schema, error) {
	root, _, err := wire.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	s, err := reducer{root}.part(raw, 0)
	if errors.Is(err, errNoWords) {
		return nil, nil
	}
	return s, err
}

type reducer struct{ root wire.Object }

func (r reducer) part(raw json.RawMessage, depth int) (*genai.Schema, error) {
	o, ok, err := wire.ReadObject(raw)
	switch {
	case err != nil:
		return nil, err
	case !ok || depth > maxDepth:
		return nil, errNoWords
	case o.Fields["$ref"] != nil:
		return r.referred(o, depth)
	case o.Fields["anyOf"] != nil || o.Fields["oneOf"] != nil:
		return r.choice(o, depth)
	}
	s, err := typed(o)
	if err != nil {
		return nil, err
	}
	_ = json.Unmarshal(o.Fields["description"], &s.Description) // of another type: as good as none
	switch s.Type {
	case genai.TypeArray:
		s.Items, err = r.part(o.Fields["items"], depth+1)
	case genai.TypeObject:
		err = r.properties(s, o, depth)
	}
	return s, err
}

// typed reads the type, also as a list of one and null, and the enumeration.
func typed(o wire.Object) (*genai.Schema, error) {
	var kinds []string
	if json.Unmarshal(o.Fields["type"], &kinds) != nil {
		kinds = []string{""}
		_ = json.Unmarshal(o.Fields["type"], &kinds[0])
	}
	s := &genai.Schema{Nullable: slices.Contains(kinds, "null")}
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" })
	values := o.Fields["enum"]
	if c := o.Fields["const"]; c != nil {
		values = slices.Concat([]byte("["), c, []byte("]"))
	}
	if values != nil && json.Unmarshal(values, &s.Enum) == nil && (len(kinds) == 0 || kinds[0] == "" || kinds[0] == "string") {
		s.Type, s.Format = genai.TypeString, "enum"
		return s, nil
	}
	s.Enum = nil // numbers to choose from are left out
	if len(kinds) != 1 || types[kinds[0]] == 0 {
		return nil, errNoWords
	}
	s.Type = types[kinds[0]]
	return s, nil
}

var types = map[string]genai.Type{
	"string": genai.TypeString, "number": genai.TypeNumber, "integer": genai.TypeInteger,
	"boolean": genai.TypeBoolean, "array": genai.TypeArray, "object": genai.TypeObject,
}

func (r reducer) properties(s *genai.Schema, o wire.Object, depth int) error {
	p, _, err := wire.ReadObject(o.Fields["properties"])
	if err != nil {
		return err
	}
	if len(p.Names) == 0 {
		return errNoWords
	}
	s.Properties = map[string]*genai.Schema{}
	for _, name := range p.Names {
		if s.Properties[name], err = r.part(p.Fields[name], depth+1); err != nil {
			return err
		}
	}
	if required := o.Fields["required"]; required != nil {
		return json.Unmarshal(required, &s.Required)
	}
	return nil
}

// referred returns the definition of a reference.
func (r reducer) referred(o wire.Object, depth int) (*genai.Schema, error) {
	var ref string
	_ = json.Unmarshal(o.Fields["$ref"], &ref)
	defs, _, err := wire.ReadObject(r.root.Fields["$defs"])
	if err != nil {
		return nil, err
	}
	const local = "#/$defs/"
	if len(ref) <= len(local) || ref[:len(local)] != local || defs.Fields[ref[len(local):]] == nil {
		return nil, errNoWords
	}
	return r.part(defs.Fields[ref[len(local):]], depth+1)
}

// choice converts "one thing or null"; other choices cannot be expressed.
func (r reducer) choice(o wire.Object, depth int) (*genai.Schema, error) {
	list := o.Fields["anyOf"]
	if list == nil {
		list = o.Fields["oneOf"]
	}
	var options []json.RawMessage
	if err := json.Unmarshal(list, &options); err != nil {
		return nil, err
	}
	null := slices.IndexFunc(options, func(s json.RawMessage) bool {
		p, ok, _ := wire.ReadObject(s)
		return ok && string(p.Fields["type"]) == `"null"`
	})
	if len(options) != 2 || null < 0 {
		return nil, errNoWords
	}
	s, err := r.part(options[1-null], depth+1)
	if err == nil {
		s.Nullable = true
	}
	return s, err
}

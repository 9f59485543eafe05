package generativeai

import (
	"encoding/json"
	"testing"

	"github.com/google/generative-ai-go/genai"
	"github.com/google/go-cmp/cmp"
)

func TestReduce(t *testing.T) {
	t.Parallel()
	text := &genai.Schema{Type: genai.TypeString}
	object := func(name string, s *genai.Schema) *genai.Schema {
		return &genai.Schema{Type: genai.TypeObject, Properties: map[string]*genai.Schema{name: s}}
	}
	tests := []struct {
		name, schema string
		want         *genai.Schema
	}{
		{"the words there are", `{"type":"object","properties":{"a":{"type":"array","description":"d","items":{"type":"integer"}}},"required":["a"]}`,
			&genai.Schema{Type: genai.TypeObject, Required: []string{"a"}, Properties: map[string]*genai.Schema{
				"a": {Type: genai.TypeArray, Description: "d", Items: &genai.Schema{Type: genai.TypeInteger}},
			}}},
		{"the others are dropped", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","minLength":1,"pattern":"x"}}}`, object("a", text)},
		{"null in the type", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, object("a", &genai.Schema{Type: genai.TypeString, Nullable: true})},
		{"or null", `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`, object("a", &genai.Schema{Type: genai.TypeString, Nullable: true})},
		{"words to choose from", `{"type":"object","properties":{"a":{"enum":["x","y"]}}}`, object("a", &genai.Schema{Type: genai.TypeString, Format: "enum", Enum: []string{"x", "y"}})},
		{"numbers to choose from", `{"type":"object","properties":{"a":{"type":"integer","enum":[1,2]}}}`, object("a", &genai.Schema{Type: genai.TypeInteger})},
		{"a definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"string"}}}`, object("a", text)},
		{"one that has no end", `{"type":"object","properties":{"a":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}}`, nil},
		{"one that is not there", `{"type":"object","properties":{"a":{"$ref":"#/$defs/t"}}}`, nil},
		{"a choice", `{"type":"object","properties":{"a":{"anyOf":[{"type":"number"},{"type":"string"}]}}}`, nil},
		{"a list of anything", `{"type":"array"}`, nil},
		{"a value of any type", `{"type":"object","properties":{"a":{}}}`, nil},
		{"browser-use#3786: an object without properties", `{"type":"object","properties":{"go_back":{"type":"object","properties":{}}}}`, nil},
		{"true", `true`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := reduce(json.RawMessage(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReduce_refusesABrokenSchema(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"type":`, `{"type":"object","properties":{"a":{]}}`, `{"anyOf":{}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":1}`} {
		if got, err := reduce(json.RawMessage(schema)); err == nil {
			t.Errorf("%s is reduced to %+v", schema, got)
		}
	}
}

package openai

import (
	"encoding/json"
	"testing"
)

func TestReduce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, want string
		strict             bool
	}{
		{"midscene#344: objects are closed and all of their properties required, in their order",
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},"required":["z","a"]}`,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}},"required":["z","a"],"additionalProperties":false}`, true},
		{"what may be missing may be null",
			`{"type":"object","properties":{"s":{"type":"string"},"e":{"enum":["a","b"]},"l":{"type":"array","items":{"type":"string"}},"o":{"type":"object","properties":{}},"r":{"$ref":"#/$defs/r","description":"d"}},"$defs":{"r":{"type":"boolean"}}}`,
			`{"type":"object","properties":{"s":{"type":["string","null"]},"e":{"enum":["a","b",null],"type":["string","null"]},"l":{"type":["array","null"],"items":{"type":"string"}},"o":{"anyOf":[{"type":"object","properties":{},"required":[],"additionalProperties":false},{"type":"null"}]},"r":{"anyOf":[{"$ref":"#/$defs/r"},{"type":"null"}]}},"$defs":{"r":{"type":"boolean"}},"required":["s","e","l","o","r"],"additionalProperties":false}`, true},
		{"words it does not know are left out",
			`{"type":"object","title":"T","properties":{"s":{"type":"string","minLength":1,"default":"x","format":"uri"},"n":{"type":"number","minimum":0,"maximum":1}},"required":["s","n"]}`,
			`{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number","minimum":0,"maximum":1}},"required":["s","n"],"additionalProperties":false}`, true},
		{"oneOf is said as anyOf", `{"type":"object","properties":{"v":{"oneOf":[{"type":"string"},{"type":"null"}]}},"required":["v"]}`,
			`{"type":"object","properties":{"v":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["v"],"additionalProperties":false}`, true},
		{"an object without properties: go_back()", `{"type":"object","properties":{}}`,
			`{"type":"object","properties":{},"required":[],"additionalProperties":false}`, true},
		{"stagehand#1159: a value of any type is not for strict mode", `{"type":"object","properties":{"v":{"description":"anything"}}}`,
			`{"type":"object","properties":{"v":{"description":"anything"}}}`, false},
		{"nor is a map", `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`,
			`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}}}`, false},
		{"nor a list of anything", `{"type":"object","properties":{"l":{"type":"array"}}}`, `{"type":"object","properties":{"l":{"type":"array"}}}`, false},
		{"nor a choice at the root", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}}]}`,
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}}]}`, false},
		{"nor a condition", `{"type":"object","properties":{"a":{"type":"string","not":{"const":"x"}}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, false},
		{"nor true", `{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":true}}`, false},
		{"nor numbers to choose from without a type", `{"type":"object","properties":{"a":{"enum":[1,2]}}}`, `{"type":"object","properties":{"a":{"enum":[1,2]}}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, strict, err := reduce(json.RawMessage(tt.schema), true)
			if err != nil || string(got) != tt.want || strict != tt.strict {
				t.Errorf("strict %t, %v:\n%s\nwant\n%s", strict, err, got, tt.want)
			}
		})
	}
}

func TestReduce_forOthers(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"b":{"type":"string","minLength":1},"a":{"const":1}},"required":["b"]}`: `{"type":"object","properties":{"b":{"type":"string"},"a":{"enum":[1]}},"required":["b"]}`,
		// browser-use#3786: "properties: should be non-empty for OBJECT type"
		`{"type":"object","properties":{"go_back":{"type":"object","properties":{}}}}`: `{"type":"object","properties":{"go_back":{"type":"object"}}}`,
	} {
		got, strict, err := reduce(json.RawMessage(schema), false)
		if err != nil || strict || string(got) != want {
			t.Errorf("%s, %t, %v; want %s", got, strict, err, want)
		}
	}
}

func TestReduce_refusesABrokenSchema(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"type":`, `{"type":"object","properties":{"a":{]}}`, `{"type":"object","anyOf":{}}`, `{"type":"object","properties":{},"required":1}`} {
		for _, strictly := range []bool{true, false} {
			if got, _, err := reduce(json.RawMessage(schema), strictly); err == nil && strictly {
				t.Errorf("%s is reduced to %s", schema, got)
			}
		}
	}
}

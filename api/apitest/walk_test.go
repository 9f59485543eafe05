package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oneRoute describes a route with a parameter, a body, and two answers.
const oneRoute = `{
	"paths": {"/api/things/{thingId}": {"post": {
		"operationId": "thing", "security": [{"bearer": []}],
		"parameters": [{"name": "thingId", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}},
			{"name": "limit", "in": "query", "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 10}}],
		"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
		"responses": {
			"200": {"headers": {"X-RateLimit-Limit": {"schema": {"type": "integer"}}}, "content": {"application/json": {"schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}, "additionalProperties": false}}}},
			"400": {"content": {"application/json": {"schema": {"type": "object"}}}},
			"204": {}}
	}}},
	"components": {"schemas": {"Thing": {"type": "object", "required": ["name"], "properties": {
		"name": {"type": "string", "maxLength": 5}, "inner": {"type": "array", "items": {"type": "object", "properties": {"of": {"type": "string", "enum": ["a", "b"]}}}}}}}}
}`

func describedAs(t *testing.T, text string) *Document {
	t.Helper()
	d, err := ParseDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func attemptsOf(t *testing.T) (*Document, []attempt) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(oneRoute)) }))
	defer server.Close()
	w := &walk{doc: Served(t, server.URL), fresh: func(testing.TB) World { return World{Token: "token", Own: func() IDs { return IDs{} }} }}
	return w.doc, w.attempts(t, w.doc.calls()[0])
}

// What is tried, and what is wanted of the answer.
func TestAttempts(t *testing.T) {
	t.Parallel()
	_, all := attemptsOf(t)
	got := map[string]attempt{}
	for _, a := range all {
		got[a.what] = a
	}
	for what, want := range map[string]expectation{
		"what is required": served, "everything": served,
		`limit = "1"`: acceptable, `limit = "10"`: acceptable, `limit = "0"`: refused, `limit = "11"`: refused, `limit = "1.5"`: refused, `limit = "x"`: refused, "limit twice": refused,
		`thingId = "7"`:  refused,
		`name = "xxxxx"`: acceptable, `name = "xxxxxx"`: refused, "name = 7": refused, "name = null": refused, "without name": refused, `name = "\u0000"`: doubtful,
		`inner[0].of = "a"`: acceptable, `inner[0].of = "A"`: refused, "inner[0].of = 7": refused, "inner[0].of = null": doubtful, `inner = {}`: refused,
		"a field twice": refused, "not UTF-8": refused, "the method PUT": refused, "the method GET": refused, "a field nobody knows": served, "without a token": refused,
		"the media type 'text/plain'": refused,
	} {
		a, ok := got[what]
		if !ok || a.want != want {
			t.Errorf("%s: there %v, wants %v, not %v", what, ok, a.want, want)
		}
	}
	if a := got["inner[0].of = \"A\""]; string(a.body) != `{"inner":[{"of":"A"}],"name":"`+nameIn(t, a.body)+`"}` || a.field != "inner[0].of" {
		t.Errorf("the body is %s, the field %s", a.body, a.field)
	}
	_, again := attemptsOf(t)
	names := func(all []attempt) (names []string) {
		for _, a := range all {
			names = append(names, a.what)
		}
		return names
	}
	if len(all) < 60 || len(again) != len(all) || !slices.Equal(names(all)[:2], names(again)[:2]) {
		t.Errorf("%d attempts, then %d", len(all), len(again))
	}
}

func nameIn(t *testing.T, body []byte) string {
	t.Helper()
	var b struct{ Name string }
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	return b.Name
}

// Each rule finds what breaks it, and a right answer breaks none.
func TestFaults(t *testing.T) {
	t.Parallel()
	doc := describedAs(t, oneRoute)
	codes := map[string]bool{"VALIDATION_ERROR": true, "UNAUTHORIZED": true, "RATE_LIMIT": true}
	good := http.Header{"X-Request-Id": {"1"}, "X-Ratelimit-Limit": {"10"}, "Content-Type": {"application/json"}}
	without := func(name string) http.Header {
		h := good.Clone()
		h.Del(name)
		return h
	}
	const refusal = `{"success":false,"code":"VALIDATION_ERROR","message":"m","details":{"field":"name","reason":"r"}}`
	for name, c := range map[string]struct {
		want expectation
		got  answer
		says string // a part of the only fault, "" for none
	}{
		"right":                 {served, answer{200, good, []byte(`{"n":1}`)}, ""},
		"refused":               {refused, answer{400, good, []byte(refusal)}, ""},
		"refused in doubt":      {doubtful, answer{400, good, []byte(refusal)}, ""},
		"a fault":               {doubtful, answer{500, good, []byte(refusal)}, "fault of the server"},
		"unavailable":           {doubtful, answer{503, good, []byte(refusal)}, "unavailable"},
		"accepted":              {refused, answer{200, good, []byte(`{"n":1}`)}, "it is accepted"},
		"not served":            {served, answer{400, good, []byte(refusal)}, "is not served"},
		"not acceptable":        {acceptable, answer{400, good, []byte(refusal)}, "it fits the description"},
		"an unknown status":     {served, answer{201, good, []byte(`{"n":1}`)}, "no status 201"},
		"a type":                {served, answer{200, good, []byte(`{"n":"1"}`)}, "n: \"1\" is not of type integer"},
		"a field that is not":   {served, answer{200, good, []byte(`{"n":1,"m":1}`)}, "m: there is no such property"},
		"a field that is gone":  {served, answer{200, good, []byte(`{}`)}, "n: it is missing"},
		"no JSON":               {served, answer{200, good, []byte(`{`)}, "no JSON"},
		"a header that is gone": {served, answer{200, without("X-RateLimit-Limit"), []byte(`{"n":1}`)}, "X-RateLimit-Limit is missing"},
		"no request id":         {served, answer{200, without("X-Request-Id"), []byte(`{"n":1}`)}, "X-Request-Id"},
		"no media type":         {served, answer{200, without("Content-Type"), []byte(`{"n":1}`)}, "media type"},
		"a body where none is":  {served, answer{204, good, []byte(`{"n":1}`)}, "has no body"},
		"a code nobody knows":   {refused, answer{400, good, []byte(strings.Replace(refusal, "VALIDATION_ERROR", "OTHER", 1))}, "nobody knows the code"},
		"the wrong field":       {refused, answer{400, good, []byte(strings.Replace(refusal, "name", "title", 1))}, `it blames "title"`},
		"no field":              {refused, answer{400, good, []byte(strings.Replace(refusal, "name", "", 1))}, `it blames ""`},
		"no reason":             {refused, answer{400, good, []byte(strings.Replace(refusal, `"r"`, `""`, 1))}, "no reason"},
		"no envelope":           {refused, answer{400, good, []byte(strings.Replace(refusal, "false", "true", 1))}, "no envelope"},
		"an error of text":      {refused, answer{400, good, []byte(`Bad Request`)}, "no JSON"},
		"two waits":             {refused, answer{400, good, []byte(strings.Replace(refusal, `"message"`, `"retryAfter":3,"message"`, 1))}, "retryAfter is 3"},
	} {
		a := attempt{request: request{call: call{"POST", "/api/things/{thingId}"}}, field: "name", want: c.want}
		faults := a.faults(doc, codes, c.got)
		if c.says == "" && len(faults) > 0 || c.says != "" && !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.says) }) {
			t.Errorf("%s: %q, want %q", name, faults, c.says)
		}
	}
}

func TestMisfits(t *testing.T) {
	t.Parallel()
	doc := &Document{}
	for name, c := range map[string]struct {
		schema string
		values map[string]bool // in JSON, and whether it fits
	}{
		"a type":       {`{"type":"integer"}`, map[string]bool{"1": true, "1.0": true, "1.5": false, `"1"`: false, "null": false}},
		"two types":    {`{"type":["string","null"]}`, map[string]bool{`"x"`: true, "null": true, "1": false}},
		"any":          {`{}`, map[string]bool{"1": true, "null": true, "{}": true}},
		"alternatives": {`{"anyOf":[{"type":"string"},{"type":"number"}]}`, map[string]bool{`"x"`: true, "1": true, "true": false}},
		"an enum":      {`{"enum":["a",2,false]}`, map[string]bool{`"a"`: true, "2": true, "false": true, `"b"`: false, "true": false}},
		"bounds":       {`{"type":"number","minimum":1,"maximum":2}`, map[string]bool{"1": true, "2": true, "0.9": false, "2.1": false, "1e999": false}},
		"int32":        {`{"type":"integer","format":"int32"}`, map[string]bool{"2147483647": true, "2147483648": false}},
		"lengths":      {`{"type":"string","minLength":1,"maxLength":2}`, map[string]bool{`"🩺🩺"`: true, `""`: false, `"abc"`: false}},
		"a pattern":    {`{"type":"string","pattern":"^[0-9]+$"}`, map[string]bool{`"12"`: true, `"x"`: false}},
		"a uuid":       {`{"type":"string","format":"uuid"}`, map[string]bool{`"aaaaaaaa-0000-4000-8000-000000000001"`: true, `"7"`: false}},
		"a time":       {`{"type":"string","format":"date-time"}`, map[string]bool{`"2026-01-27T00:00:00Z"`: true, `"2026-01-27"`: false}},
		"an address":   {`{"type":"string","format":"email"}`, map[string]bool{`"a@b"`: true, `"a"`: false}},
		"a format":     {`{"type":"string","format":"smell"}`, map[string]bool{`"x"`: false}},
		"a list":       {`{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"type":"string"}}`, map[string]bool{`["a","b"]`: true, `[]`: false, `["a","b","c"]`: false, `["a","a"]`: false, `[1]`: false}},
		"an object":    {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}`, map[string]bool{`{"a":"x","b":1}`: true, `{"b":1}`: false, `{"a":"x","b":"y"}`: false}},
		"no others":    {`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, map[string]bool{`{"a":1}`: true, `{"b":1}`: false}},
	} {
		s := new(Schema)
		if err := json.Unmarshal([]byte(c.schema), s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for text, want := range c.values {
			v, err := decodeJSON([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.misfits(s, v); (len(got) == 0) != want {
				t.Errorf("%s: %s fits %v, want %v: %v", name, text, !want, want, got)
			}
		}
	}
	if err := json.Unmarshal([]byte(`{"type":"string","contentEncoding":"base64"}`), new(Schema)); err == nil {
		t.Error("a keyword that is not checked is read")
	}
}

func TestCurl(t *testing.T) {
	t.Parallel()
	r := request{
		call: call{"POST", "/api/things/{thingId}"}, segments: map[string]string{"thingId": "a/b'c"}, query: "limit=1",
		header: http.Header{"Authorization": {"Bearer secret"}, "Content-Type": {"application/json"}}, body: []byte(`{"a":"it's"}`),
	}
	want := `curl -i -X POST 'http://x/api/things/a%2Fb%27c?limit=1' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' --data-binary '{"a":"it'\''s"}'`
	if diff := cmp.Diff(want, r.curl("http://x")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	r.body = []byte(whole(5000))
	if got := r.curl("http://x"); len(got) > 2000 || !strings.Contains(got, "(5000 bytes)") {
		t.Errorf("a long body is shown as %s", got)
	}
}

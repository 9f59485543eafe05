package apitest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract has one of everything that can be taken away.
const contract = `{"paths": {"/a": {"post": {
	"operationId": "a", "security": [],
	"parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
		{"name": "of", "in": "query", "schema": {"type": "array", "maxItems": 4, "items": {"type": "string", "enum": ["x", "y"]}}}],
	"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["name"], "additionalProperties": true, "properties": {
		"name": {"type": "string", "minLength": 1, "maxLength": 10},
		"id": {"anyOf": [{"type": "string"}, {"type": "number"}]},
		"note": {"type": ["string", "null"]},
		"tree": {"$ref": "#/components/schemas/Tree"}}}}}},
	"responses": {
		"200": {"headers": {"ETag": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"type": "object", "required": ["id", "status"], "additionalProperties": false, "properties": {
			"id": {"type": "string", "format": "uuid"}, "status": {"type": "string", "enum": ["on", "off"]}, "cost": {"type": "integer"},
			"services": {"type": "object", "additionalProperties": {"type": "integer"}}, "tree": {"$ref": "#/components/schemas/Tree"}}}}}},
		"404": {"$ref": "#/components/responses/NotFound"}}}}},
	"components": {"responses": {"NotFound": {"content": {"application/json": {"schema": {"type": "object"}}}}},
		"schemas": {"Tree": {"type": "object", "properties": {"label": {"type": "string"}, "below": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}}}}`

// change is an edit of the contract, and the breaks it makes.
type change struct {
	from, to string
	want     []string
}

var changes = map[string]change{
	"an operation":         {`"/a": {"post"`, `"/a": {"get"`, []string{"POST /a: the operation is gone. It breaks whoever calls it."}},
	"a token":              {`"security": []`, `"security": [{"bearer": []}]`, []string{"POST /a: a token is required now. It breaks clients that send none."}},
	"a parameter":          {`"name": "limit"`, `"name": "max"`, []string{"POST /a, the query's limit: the parameter is gone. It breaks clients that send it."}},
	"a parameter moved":    {`"name": "limit", "in": "query"`, `"name": "limit", "in": "header"`, []string{"POST /a, the query's limit: the parameter is gone. It breaks clients that send it."}},
	"a required parameter": {`"name": "limit", "in": "query"`, `"name": "limit", "in": "query", "required": true`, []string{"POST /a, the query's limit: the parameter is required now. It breaks clients that leave it out."}},
	"a new parameter that is required": {`"parameters": [`, `"parameters": [{"name": "v", "in": "query", "required": true, "schema": {}},`,
		[]string{"POST /a, the query's v: the parameter is new and required. It breaks clients that do not know it."}},
	"a higher minimum":        {`"minimum": 1`, `"minimum": 2`, []string{"POST /a, the query's limit: minimum is 2, it was 1. It breaks clients that send what is between them."}},
	"a lower maximum":         {`"maximum": 100`, `"maximum": 50`, []string{"POST /a, the query's limit: maximum is 50, it was 100. It breaks clients that send what is between them."}},
	"another default":         {`"default": 20`, `"default": 10`, []string{"POST /a, the query's limit: what it is where it is left out is 10, it was 20. It breaks clients that leave it out."}},
	"fewer items":             {`"maxItems": 4`, `"maxItems": 3`, []string{"POST /a, the query's of: maxItems is 3, it was 4. It breaks clients that send what is between them."}},
	"no repeats":              {`"maxItems": 4`, `"maxItems": 4, "uniqueItems": true`, []string{"POST /a, the query's of: no item may be there twice now. It breaks clients that repeat one."}},
	"a value of what is sent": {`["x", "y"]`, `["x"]`, []string{`POST /a, the query's of[]: it may not be "y" any more. It breaks clients that send that.`}},
	"a body that is required": {`"required": ["name"]`, `"required": ["name", "note"]`, []string{"POST /a, the body.note: it is required now. It breaks clients that leave it out."}},
	"a new field that is required": {`"required": ["name"], "additionalProperties": true, "properties": {`, `"required": ["name", "v"], "additionalProperties": true, "properties": {"v": {},`,
		[]string{"POST /a, the body.v: it is required now. It breaks clients that leave it out."}},
	"a shorter text":               {`"maxLength": 10`, `"maxLength": 9`, []string{"POST /a, the body.name: maxLength is 9, it was 10. It breaks clients that send what is between them."}},
	"a pattern":                    {`"maxLength": 10`, `"maxLength": 10, "pattern": "^x"`, []string{`POST /a, the body.name: it has to match ^x, it was "". It breaks clients that send something else.`}},
	"a format":                     {`"maxLength": 10`, `"maxLength": 10, "format": "uuid"`, []string{`POST /a, the body.name: its format is "uuid", it was "". It breaks clients that send the other.`}},
	"a new enum":                   {`"maxLength": 10`, `"maxLength": 10, "enum": ["x"]`, []string{"POST /a, the body.name: it has to be one of [x] now. It breaks clients that send something else."}},
	"a new bound":                  {`"id": {"anyOf"`, `"id": {"maxLength": 3, "anyOf"`, []string{"POST /a, the body.id: maxLength is 3, there was none. It breaks clients that send what is beyond it."}},
	"an alternative":               {`[{"type": "string"}, {"type": "number"}]`, `[{"type": "string"}]`, []string{"POST /a, the body.id: it may not be integer or number any more. It breaks clients that send that."}},
	"null":                         {`["string", "null"]`, `"string"`, []string{"POST /a, the body.note: it may not be null any more. It breaks clients that send that."}},
	"a field of the body":          {`"note":`, `"remark":`, []string{"POST /a, the body.note: the field is gone. It breaks clients that send it."}},
	"other fields":                 {`"additionalProperties": true`, `"additionalProperties": false`, []string{"POST /a, the body: fields it does not name are refused now. It breaks clients that send some."}},
	"a media type":                 {`"requestBody": {"content": {"application/json"`, `"requestBody": {"content": {"text/plain"`, []string{"POST /a, the body: application/json is not taken any more. It breaks clients that send it."}},
	"a status":                     {`"404"`, `"410"`, []string{"POST /a, the answer 404: the status is gone. It breaks clients that wait for it."}},
	"a header":                     {`"ETag"`, `"Etag2"`, []string{"POST /a, the answer 200: the header ETag is gone. It breaks clients that read it."}},
	"a field of an answer":         {`"cost":`, `"price":`, []string{"POST /a, the answer 200.cost: the field is gone. It breaks clients that read it."}},
	"a field that may be left out": {`["id", "status"]`, `["status"]`, []string{"POST /a, the answer 200.id: it may be left out now. It breaks clients that count on it."}},
	"a type of an answer":          {`"cost": {"type": "integer"}`, `"cost": {"type": "string"}`, []string{"POST /a, the answer 200.cost: it may be string now. It breaks clients that expect integer."}},
	"an answer that may be null":   {`"cost": {"type": "integer"}`, `"cost": {"type": ["integer", "null"]}`, []string{"POST /a, the answer 200.cost: it may be null now. It breaks clients that expect integer."}},
	"a fraction in an answer":      {`"cost": {"type": "integer"}`, `"cost": {"type": "number"}`, []string{"POST /a, the answer 200.cost: it may be number now. It breaks clients that expect integer."}},
	"a format of an answer":        {`"format": "uuid"`, `"format": "uri"`, []string{`POST /a, the answer 200.id: its format is "uri", it was "uuid". It breaks clients that read it as that.`}},
	"a value of an answer":         {`["on", "off"]`, `["on"]`, []string{`POST /a, the answer 200.status: it is never "off" any more. It breaks clients that wait for that.`}},
	"an enum of an answer":         {`"type": "string", "enum": ["on", "off"]`, `"type": "string"`, []string{"POST /a, the answer 200.status: it may be anything now, it was one of [on off]. It breaks clients that tell them apart."}},
	"what a map holds":             {`"additionalProperties": {"type": "integer"}`, `"additionalProperties": {"type": "string"}`, []string{"POST /a, the answer 200.services.*: it may be string now. It breaks clients that expect integer."}},
	"the media of an answer":       {`"NotFound": {"content": {"application/json"`, `"NotFound": {"content": {"text/plain"`, []string{"POST /a, the answer 404: it is not application/json any more. It breaks clients that read it."}},
	"both ways, and within itself": {`"label": {"type": "string"}`, `"label": {"type": "integer"}`, []string{
		"POST /a, the body.tree.label: it may not be string any more. It breaks clients that send that.",
		"POST /a, the answer 200.tree.label: it may be integer now. It breaks clients that expect string.",
	}},

	"nothing":                       {"", "", nil},
	"an operation more":             {`"paths": {`, `"paths": {"/b": {"get": {"responses": {}}},`, nil},
	"a parameter more":              {`"parameters": [`, `"parameters": [{"name": "v", "in": "query", "schema": {}},`, nil},
	"wider bounds":                  {`"minimum": 1, "maximum": 100`, `"minimum": 0, "maximum": 1000`, nil},
	"no bounds":                     {`"minLength": 1, "maxLength": 10`, `"title": "x"`, nil},
	"a value more of what is sent":  {`["x", "y"]`, `["x", "y", "z"]`, nil},
	"a field less that is required": {`"required": ["name"]`, `"required": []`, nil},
	"a type more of what is sent":   {`["string", "null"]`, `["string", "null", "integer"]`, nil},
	"a status more":                 {`"404"`, `"409": {}, "404"`, nil},
	"a value more of an answer":     {`["on", "off"]`, `["on", "off", "idle"]`, nil},
	"a field more of an answer":     {`"cost":`, `"price": {}, "cost":`, nil},
	"a field that is always there":  {`["id", "status"]`, `["id", "status", "cost"]`, nil},
	"a description":                 {`"cost": {`, `"cost": {"description": "of all", `, nil},
}

func TestBreaking(t *testing.T) {
	t.Parallel()
	older := describedAs(t, contract)
	for name, c := range changes {
		if !strings.Contains(contract, c.from) {
			t.Errorf("%s changes nothing", name)
		}
		newer := describedAs(t, strings.Replace(contract, c.from, c.to, 1))
		var got []string
		for _, b := range Breaking(older, newer) {
			got = append(got, b.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

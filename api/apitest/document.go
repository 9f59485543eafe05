package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Document is an OpenAPI description, as far as this package reads it.
type Document struct {
	Paths      map[string]map[string]*Operation `json:"paths"`
	Components struct {
		Schemas   map[string]*Schema   `json:"schemas"`
		Responses map[string]*Response `json:"responses"`
		Headers   map[string]*Header   `json:"headers"`
	} `json:"components"`
}

// Operation is what one method of a path takes and answers.
type Operation struct {
	ID          string                `json:"operationId"`
	Parameters  []Parameter           `json:"parameters"`
	RequestBody *Body                 `json:"requestBody"`
	Responses   map[string]*Response  `json:"responses"`
	Security    []map[string][]string `json:"security"`
}

// Parameter is a parameter of a path, a query or a header.
type Parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Required bool    `json:"required"`
	Schema   *Schema `json:"schema"`
}

// Body is the body of a request.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Media is the shape of a body in one media type.
type Media struct {
	Schema *Schema `json:"schema"`
}

// Response is an answer with one status.
type Response struct {
	Ref     string             `json:"$ref"`
	Content map[string]Media   `json:"content"`
	Headers map[string]*Header `json:"headers"`
}

// Header is a header of an answer.
type Header struct {
	Ref    string  `json:"$ref"`
	Schema *Schema `json:"schema"`
}

// jsonMedia is the media type of bodies.
const jsonMedia = "application/json"

// ParseDocument reads a description in JSON.
func ParseDocument(text []byte) (*Document, error) {
	d := new(Document)
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read a description: %w", err)
	}
	if len(d.Paths) == 0 {
		return nil, fmt.Errorf("read a description: it has no paths")
	}
	return d, nil
}

// Served reads the description of the server at a base URL.
func Served(t testing.TB, base string) *Document {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ParseDocument(text)
	if err != nil {
		t.Fatalf("GET /openapi.json: %v: %.200s", err, text)
	}
	return d
}

// call names an operation: "GET /api/session".
type call struct{ method, path string }

func (c call) String() string { return c.method + " " + c.path }

// calls are all operations, in order.
func (d *Document) calls() (all []call) {
	for path, methods := range d.Paths {
		for method := range methods {
			all = append(all, call{strings.ToUpper(method), path})
		}
	}
	slices.SortFunc(all, func(a, b call) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func (d *Document) operation(c call) *Operation { return d.Paths[c.path][strings.ToLower(c.method)] }

// response is the answer with a status, nil where there is none.
func (d *Document) response(op *Operation, status string) *Response {
	r := op.Responses[status]
	if r != nil && r.Ref != "" {
		return d.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
	}
	return r
}

func (d *Document) header(h *Header) *Header {
	if h.Ref != "" {
		return d.Components.Headers[strings.TrimPrefix(h.Ref, "#/components/headers/")]
	}
	return h
}

// body is the schema of an operation's JSON body, nil where it takes none.
func (d *Document) body(op *Operation) *Schema {
	if op.RequestBody == nil {
		return nil
	}
	return d.resolve(op.RequestBody.Content[jsonMedia].Schema)
}

// resolve follows a reference.
func (d *Document) resolve(s *Schema) *Schema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// objectIn is a schema, or of alternatives the one that is an object.
func (d *Document) objectIn(s *Schema) *Schema {
	s = d.resolve(s)
	for _, one := range s.AnyOf {
		if one = d.resolve(one); slices.Contains(one.Type, "object") {
			return one
		}
	}
	return s
}

// decodeJSON reads one value, numbers as they are written.
func decodeJSON(text []byte) (any, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more than one value")
	}
	return v, nil
}

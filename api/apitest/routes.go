package apitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Route is one operation of the server's description. IDs are its parameters
// and body fields that name something: those called id or ending in Id.
type Route struct {
	Method, Path string
	IDs          []string
	// Public routes need no token.
	Public bool
	// Roles are those whose token it takes; none is any.
	Roles []string
}

// String is "GET /api/session/{sessionId}/messages".
func (r Route) String() string { return r.Method + " " + r.Path }

// notIDs end in Id and name nothing that belongs to anyone.
var notIDs = []string{"requestId"}

type description struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name string `json:"name"`
		} `json:"parameters"`
		RequestBody struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
		Security []map[string][]string `json:"security"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type schema struct {
	Ref        string                     `json:"$ref"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// Routes reads the description of the server at a base URL.
func Routes(t testing.TB, base string) []Route {
	t.Helper()
	res, err := http.Get(base + "/openapi.json") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var d description
	if err := json.NewDecoder(res.Body).Decode(&d); err != nil {
		t.Fatalf("decode /openapi.json: %v", err)
	}
	var routes []Route
	for path, methods := range d.Paths {
		for method, op := range methods {
			r := Route{Method: strings.ToUpper(method), Path: path, Public: len(op.Security) == 0}
			for _, p := range op.Parameters {
				r.add(p.Name)
			}
			for _, content := range op.RequestBody.Content {
				for name := range d.resolve(content.Schema).Properties {
					r.add(name)
				}
			}
			for _, requirement := range op.Security {
				r.Roles = append(r.Roles, requirement["bearer"]...)
			}
			slices.Sort(r.IDs)
			routes = append(routes, r)
		}
	}
	slices.SortFunc(routes, func(a, b Route) int { return strings.Compare(a.String(), b.String()) })
	if len(routes) == 0 {
		t.Fatal("the server describes no routes")
	}
	return routes
}

func (d description) resolve(s schema) schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	return s
}

func (r *Route) add(name string) {
	isID := strings.HasSuffix(name, "Id") || strings.EqualFold(name, "id") || strings.HasSuffix(name, "_id")
	if isID && !slices.Contains(notIDs, name) {
		r.IDs = append(r.IDs, name)
	}
}

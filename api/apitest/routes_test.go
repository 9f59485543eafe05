package apitest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const described = `{
	"paths": {
		"/things/{thingId}": {"get": {"parameters": [{"name": "thingId"}, {"name": "limit"}, {"name": "Idempotency-Key"}], "security": [{"bearer": []}]}},
		"/things": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}, "security": [{"bearer": []}]}},
		"/health": {"get": {"security": []}},
		"/secrets": {"get": {"security": [{"bearer": ["engineer"]}, {"bearer": ["admin"]}]}}
	},
	"components": {"schemas": {"Thing": {"properties": {"ownerId": {}, "id": {}, "requestId": {}, "valid": {}}}}}
}`

func TestRoutes(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(described)) }))
	defer server.Close()
	want := []Route{
		{Method: "GET", Path: "/health", Public: true},
		{Method: "GET", Path: "/secrets", Roles: []string{"engineer", "admin"}},
		{Method: "GET", Path: "/things/{thingId}", IDs: []string{"thingId"}},
		{Method: "POST", Path: "/things", IDs: []string{"id", "ownerId"}},
	}
	if diff := cmp.Diff(want, Routes(t, server.URL)); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}

func TestGaps(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		route Route
		want  int
	}{
		"a route nobody thought of":   {Route{Method: "GET", Path: "/api/things/{thingId}", IDs: []string{"thingId"}}, 1},
		"a route without ids":         {Route{Method: "GET", Path: "/api/new"}, 1},
		"a known route with a new id": {Route{Method: "POST", Path: "/api/session", IDs: []string{"ownerId", "sessionId"}}, 1},
		"a known route":               {Route{Method: "POST", Path: "/api/session", IDs: []string{"sessionId"}}, 0},
	} {
		if got := gaps(tt.route); len(got) != tt.want {
			t.Errorf("%s: gaps %v, want %d", name, got, tt.want)
		}
	}
}

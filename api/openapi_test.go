package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api/apitest"
)

var update = flag.Bool("update", false, "rewrite openapi.yaml and testdata/golden")

// conforms checks an answer against the description: its status is listed for
// the route, its body fits the schema and its headers are there.
func conforms(t testing.TB, s *Server, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	rc := chi.NewRouteContext()
	if r.Method == http.MethodOptions || !s.router.Match(rc, r.Method, r.URL.Path) {
		return
	}
	item := s.huma.OpenAPI().Paths[rc.RoutePattern()]
	if item == nil {
		return // the description itself
	}
	op := map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post}[r.Method]
	resp := op.Responses[strconv.Itoa(w.Code)]
	if resp == nil {
		t.Errorf("%s %s answered %d, which its description does not list", r.Method, rc.RoutePattern(), w.Code)
		return
	}
	if name, ok := strings.CutPrefix(resp.Ref, "#/components/responses/"); ok {
		resp = s.huma.OpenAPI().Components.Responses[name]
	}
	if resp.Content["text/csv"] != nil {
		if got := w.Header().Get("Content-Type"); got != csvType {
			t.Errorf("Content-Type = %q", got)
		}
		return
	}
	if resp.Content["text/html"] != nil {
		if got := w.Header().Get("Content-Type"); got != htmlType {
			t.Errorf("Content-Type = %q", got)
		}
		return
	}
	media := resp.Content["application/json"]
	if media == nil {
		if w.Body.Len() > 0 {
			t.Errorf("%s %s answered %d with a body, the description knows none", r.Method, rc.RoutePattern(), w.Code)
		}
		return
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type = %q", got)
	}
	var body any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Errorf("%s %s answered %d with what is no JSON: %q", r.Method, rc.RoutePattern(), w.Code, w.Body)
		return
	}
	var result huma.ValidateResult
	huma.Validate(s.huma.OpenAPI().Components.Schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, body, &result)
	for _, err := range result.Errors {
		t.Errorf("%s %s %d does not fit its schema: %v\n%s", r.Method, rc.RoutePattern(), w.Code, err, w.Body)
	}
}

func TestDescription_IsTheFileInTheRepository(t *testing.T) {
	t.Parallel()
	_, got, err := newWorld().server().Description()
	if err != nil {
		t.Fatal(err)
	}
	compareFile(t, "openapi.yaml", got)
}

// compareFile compares with a file, or writes it with -update.
func compareFile(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run: go test ./api -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date (-file +now); run: go test ./api -update\n%s", path, diff)
	}
}

func TestDescription_IsServed(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	asJSON, asYAML, err := s.Description()
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string][]byte{"/openapi.json": asJSON, "/openapi.yaml": asYAML} {
		w := send(t, s, ask{method: get, target: target})
		if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("GET %s = %d with %d bytes, want the description", target, w.Code, w.Body.Len())
		}
	}
	if !bytes.Contains(asJSON, []byte(`"openapi":"3.1.0"`)) {
		t.Error("the description is not OpenAPI 3.1.0")
	}
}

// routedBy is every route the router knows, but for the description's own.
func routedBy(t *testing.T, s *Server) map[string]bool {
	t.Helper()
	routed := map[string]bool{}
	err := chi.Walk(s.router, func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !strings.HasPrefix(pattern, "/openapi.") {
			routed[method+" "+pattern] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return routed
}

// apitest, which looks for what another tenant can see, walks the description
// that is served: a route that is not in it would escape the walk.
func TestDescription_HidesNoRouteFromTheWalk(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	server := httptest.NewServer(s)
	defer server.Close()
	walked := map[string]bool{}
	for _, r := range apitest.Routes(t, server.URL) {
		walked[r.String()] = true
	}
	if diff := cmp.Diff(routedBy(t, s), walked); diff != "" {
		t.Errorf("routes (-router +walk):\n%s", diff)
	}
	s.router.Get("/api/hidden", s.notFound)
	if routed := routedBy(t, s); !routed["GET /api/hidden"] || len(routed) != len(walked)+1 {
		t.Errorf("a route registered beside the table does not show: %v", routed)
	}
}

func TestDescription_HasEveryRouteAndNoOther(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	routed := routedBy(t, s)
	described := map[string]bool{}
	for path, item := range s.huma.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{get: item.Get, post: item.Post} {
			if op == nil {
				continue
			}
			described[method+" "+path] = true
			if op.Summary == "" || op.OperationID == "" {
				t.Errorf("%s %s has no summary or id", method, path)
			}
		}
	}
	if diff := cmp.Diff(routed, described); diff != "" {
		t.Errorf("routes (-router +description):\n%s", diff)
	}
	if len(routed) < 15 {
		t.Errorf("only %d routes", len(routed))
	}
}

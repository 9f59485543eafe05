package api

import (
	"net/http"
	"strings"
	"testing"
)

// Every query parameter there is, given twice: of two values one would be passed
// over in silence.
func TestQuery_EveryParameterIsGivenOnce(t *testing.T) {
	t.Parallel()
	tried := 0
	for path, item := range newWorld().server().huma.OpenAPI().Paths {
		s := newWorld().server() // a limit of its own
		op, method := item.Get, get
		if op == nil {
			op, method = item.Post, post
		}
		names := []string{"nobody-knows-it"}
		for _, p := range op.Parameters {
			if p.In == "query" && !s.takesList(route{method: method, path: path}, p.Name) {
				names = append(names, p.Name)
			}
		}
		target := strings.NewReplacer("{sessionId}", sessionA, "{taskId}", taskA).Replace(path)
		for _, name := range names {
			for _, twice := range []string{name + "=1&" + name + "=1", name + "=&" + name + "=2"} {
				tried++
				w := send(t, s, ask{method: method, target: target + "?" + twice, token: tokenA, body: map[string]string{post: "{}"}[method]})
				wantFailure(t, w, http.StatusBadRequest, "VALIDATION_ERROR", name)
			}
		}
	}
	if tried < 60 {
		t.Errorf("%d were tried", tried)
	}
}

func TestQuery_OfAListAllAreUsed(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for query, want := range map[string]string{
		"groupBy=model&groupBy=actionType":               `"groupBy":"model,actionType"`,
		"groupBy=model,user&limit=5&groupBy=day":         `"groupBy":"model,user,day"`,
		"groupBy=model&groupBy=model":                    `"field":"groupBy"`,
		"groupBy=model&groupBy=colour":                   `"field":"groupBy"`,
		"groupBy=model&timeZone=Europe%2FBerlin&limit=5": `"timeZone":"Europe/Berlin"`,
	} {
		w := send(t, s, ask{method: get, target: "/api/usage/summary?" + query, token: tokenA})
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

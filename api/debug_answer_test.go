package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Who asks is told more of an error where the server is set to, and never its cause.
func TestErrors_DebugInfo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fail = errors.New("dial postgres://user:pass@db: stack of something")
	d := w.server().Deps
	for name, tt := range map[string]struct {
		allowed bool
		header  string
		want    bool
	}{
		"asked for and allowed": {true, "true", true}, "not asked for": {true, "", false}, "asked for otherwise": {true, "1", false}, "not allowed": {false, "true", false},
	} {
		d.DebugAnswers = tt.allowed
		s := New(d)
		got := send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: goodInteract, header: map[string]string{"X-Debug": tt.header}})
		body := got.Body.String()
		if got.Code != http.StatusInternalServerError || strings.Contains(body, "debugInfo") != tt.want || strings.Contains(body, "postgres") || strings.Contains(body, "stack") {
			t.Errorf("%s: %d %s", name, got.Code, body)
		}
		if want := `"debugInfo":{"errorType":"internal","context":{"limitClass":"interact","requestId":"test-request","route":"/api/agent/interact","tookMs":0}}`; tt.want && !strings.Contains(body, want) {
			t.Errorf("%s: %s", name, body)
		}
	}
	if len(kindNames) != len(statuses) || kindNames[domain.Limited] == "" {
		t.Errorf("%d kinds have names, %d a status", len(kindNames), len(statuses))
	}
}

// Where knowledge was looked for is told to who asks, and not of an answer sent again.
func TestInteract_RAGDebug(t *testing.T) {
	t.Parallel()
	cited := []reasoning.Citation{{DocumentID: "d1", VersionID: "v1", ChunkID: "v1.3", Document: "Handbook", Section: "Wards", Page: 4}, {DocumentID: "d2", Document: "Help", Public: true}}
	const citations = `"chunkCount":2,"citations":[{"documentId":"d1","versionId":"v1","chunkId":"v1.3","documentTitle":"Handbook","section":"Wards","page":4},{"documentId":"d2","documentTitle":"Help","public":true}]}`
	for name, tt := range map[string]struct {
		allowed, replayed bool
		header            string
		domains           []string
		want              string
	}{
		"asked for":     {true, false, "true", []string{"example.com"}, `"ragDebug":{"domain":"example.com","matchedPattern":"example.com","hasOrgKnowledge":false,` + citations},
		"no pattern":    {true, false, "true", []string{"*.example.com"}, `"ragDebug":{"domain":"example.com","hasOrgKnowledge":false,` + citations},
		"not asked for": {true, false, "", []string{"example.com"}, ""},
		"not allowed":   {false, false, "true", []string{"example.com"}, ""},
		"sent again":    {true, true, "true", []string{"example.com"}, ""},
	} {
		w := newWorld()
		w.domains, w.answer.Replayed, w.answer.Turn.Shown = tt.domains, tt.replayed, cited
		d := w.server().Deps
		d.DebugAnswers = tt.allowed
		got := send(t, New(d), ask{method: post, target: "/api/agent/interact", token: tokenA, body: goodInteract, header: map[string]string{"X-Debug": tt.header}})
		body := got.Body.String()
		if got.Code != http.StatusOK || strings.Contains(body, "ragDebug") != (tt.want != "") || !strings.Contains(body, tt.want) || !strings.Contains(body, `"action":"click(`) {
			t.Errorf("%s: %d %s", name, got.Code, body)
		}
	}
}

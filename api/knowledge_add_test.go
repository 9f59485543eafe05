package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/knowledge"
	known "github.com/stepledger/stepledger/domain/knowledge"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

// sent posts a body of these fields to a route of knowledge.
func sent(t *testing.T, s *Server, route string, fields map[string]any) (int, *ErrorBody) {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	res := send(t, s, ask{method: post, target: "/api/knowledge/" + route, token: tokenA, body: string(body)})
	var e ErrorBody
	if err := json.Unmarshal(res.Body.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	return res.Code, &e
}

func TestIngest_TakesAFileAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld()
	s := w.server()
	raw := []byte("%PDF-\x00\xff\n")
	for _, body := range []map[string]any{
		{"name": "Übersicht.pdf", "content": base64.StdEncoding.EncodeToString(raw), "mediaType": "application/pdf", "sourceId": sourceA},
		{"name": "notes.md", "text": "a\x00b \U0001f9ff", "sourceName": "Minutes", "domains": []string{"*.Example.com"}, "language": "de-AT"},
		{"name": "Ubersicht", "text": "x"},
	} {
		if code, e := sent(t, s, "ingest", body); code != http.StatusOK {
			t.Errorf("%v: %d %v", body, code, e)
		}
	}
	want := []knowledge.File{
		{Tenant: tenantA, Source: sourceA, By: userA, Name: "Übersicht.pdf", Media: "application/pdf", Body: raw},
		{Tenant: tenantA, Source: filesA, By: userA, Name: "notes.md", Body: []byte("a\x00b \U0001f9ff")},
		{Tenant: tenantA, Source: sourceNew, By: userA, Name: "Ubersicht", Body: []byte("x")},
	}
	if diff := cmp.Diff(want, w.files); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	added := []known.SourceAdded{
		{Tenant: tenantA, By: userA, Kind: known.Upload, Name: "Minutes", Domains: []string{"*.example.com"}, Language: "de-AT"},
		{Tenant: tenantA, By: userA, Kind: known.Upload},
	}
	if diff := cmp.Diff(added, w.added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
}

func TestIngest_RefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for name, tt := range map[string]struct {
		fields map[string]any
		status int
		field  string
	}{
		"no name":               {map[string]any{"text": "x"}, http.StatusBadRequest, "name"},
		"NUL in a name":         {map[string]any{"name": "a\x00.txt", "text": "x"}, http.StatusBadRequest, "name"},
		"a line in a name":      {map[string]any{"name": "a\nb", "text": "x"}, http.StatusBadRequest, "name"},
		"a long name":           {map[string]any{"name": strings.Repeat("x", 501), "text": "x"}, http.StatusBadRequest, "name"},
		"no content":            {map[string]any{"name": "a"}, http.StatusBadRequest, "content"},
		"an empty text":         {map[string]any{"name": "a", "text": ""}, http.StatusBadRequest, "content"},
		"empty content":         {map[string]any{"name": "a", "content": ""}, http.StatusBadRequest, "content"},
		"both":                  {map[string]any{"name": "a", "content": "eA==", "text": "x"}, http.StatusBadRequest, "text"},
		"no base64":             {map[string]any{"name": "a", "content": "e?=="}, http.StatusBadRequest, "content"},
		"base64 of addresses":   {map[string]any{"name": "a", "content": "_-8="}, http.StatusBadRequest, "content"},
		"a text of another one": {map[string]any{"name": "a", "content": 7}, http.StatusBadRequest, "content"},
		"no media type":         {map[string]any{"name": "a", "text": "x", "mediaType": "a b"}, http.StatusBadRequest, "mediaType"},
		"no source":             {map[string]any{"name": "a", "text": "x", "sourceId": "files"}, http.StatusBadRequest, "sourceId"},
		"two sources":           {map[string]any{"name": "a", "text": "x", "sourceId": sourceA, "sourceName": "Minutes"}, http.StatusBadRequest, "sourceName"},
		"another's source":      {map[string]any{"name": "a", "text": "x", "sourceId": taskB}, http.StatusNotFound, "sourceId"},
		"no pattern":            {map[string]any{"name": "a", "text": "x", "domains": []string{"a.example", "https://b"}}, http.StatusBadRequest, "domains[1]"},
		"no language":           {map[string]any{"name": "a", "text": "x", "language": "English, mostly"}, http.StatusBadRequest, "language"},
		"a byte too much":       {map[string]any{"name": "a", "content": make([]byte, known.MaxBytes+1)}, http.StatusRequestEntityTooLarge, "content"},
		"a body too much":       {map[string]any{"name": "a", "content": make([]byte, 22<<20)}, http.StatusRequestEntityTooLarge, ""},
	} {
		code, e := sent(t, s, "ingest", tt.fields)
		if field, _ := e.Details["field"].(string); code != tt.status || field != tt.field {
			t.Errorf("%s: %d %q about %q, want %d about %q", name, code, e.Message, field, tt.status, tt.field)
		}
	}
	whole := map[string]any{"name": "a", "content": bytes.Repeat([]byte{0xff}, known.MaxBytes)}
	if code, e := sent(t, s, "ingest", whole); code != http.StatusOK {
		t.Errorf("the largest file there is: %d %v", code, e)
	}
}

func TestIndexLink(t *testing.T) {
	t.Parallel()
	w := newWorld()
	s := w.server()
	if code, e := sent(t, s, "index-link", map[string]any{"url": "https://help.example.com/", "strategy": "spider", "everyHours": 2}); code != http.StatusOK {
		t.Fatalf("%d %v", code, e)
	}
	if code, e := sent(t, s, "index-link", map[string]any{"url": "https://help.example.com/", "strategy": "spider", "maxDepth": 0}); code != http.StatusOK {
		t.Fatalf("%d %v", code, e)
	}
	if code, e := sent(t, s, "seen", map[string]any{"url": "https://App.example.com:8443/a"}); code != http.StatusOK {
		t.Fatalf("%d %v", code, e)
	}
	want := []known.SourceAdded{
		{Tenant: tenantA, By: userA, Kind: known.Spider, URL: "https://help.example.com/", MaxDepth: known.DefaultMaxDepth, EverySeconds: 7200},
		{Tenant: tenantA, By: userA, Kind: known.Spider, URL: "https://help.example.com/"},
		{Tenant: tenantA, By: userA, Kind: known.Seen, URL: "https://App.example.com:8443/a"},
	}
	if diff := cmp.Diff(want, w.added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	for field, wrong := range map[string]any{"url": "ftp://help.example.com/", "strategy": "upload", "maxPages": known.MaxPages + 1, "maxDepth": -1, "everyHours": 9000, "name": "a\x00"} {
		fields := map[string]any{"url": "https://help.example.com/", "strategy": "sitemap", field: wrong}
		if code, e := sent(t, s, "index-link", fields); code != http.StatusBadRequest || e.Details["field"] != field {
			t.Errorf("%s %v: %d %v", field, wrong, code, e.Details)
		}
	}
}

// What was removed is not in a list that is read afterwards; if the read model is far
// behind, the removal is still answered.
func TestRemove_WaitsForTheReadModel(t *testing.T) {
	t.Parallel()
	for _, lag := range []int64{0, 3} {
		w := newWorld()
		w.lag = lag
		res := send(t, w.server(), ask{method: post, target: "/api/knowledge/sources/" + sourceA + "/remove", token: tokenA})
		if res.Code != http.StatusOK || res.Header().Get("X-Event-Position") != "46" || (res.Header().Get("X-Projection-Lag") != "") != (lag > 0) {
			t.Errorf("%d %v %s", res.Code, res.Header(), res.Body)
		}
		if diff := cmp.Diff([]wait{{[]string{"knowledge"}, 46, explicitWait}}, w.waits, cmp.AllowUnexported(wait{})); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStatusOfASource(t *testing.T) {
	t.Parallel()
	ended := &view.Crawl{FinishedAt: &noon}
	for want, k := range map[SourceStatus]view.Source{
		SourceCrawling: {Crawl: &view.Crawl{}, Documents: map[string]int{view.Received: 1}},
		SourceReading:  {Crawl: ended, Documents: map[string]int{view.Received: 1}},
		SourceFailed:   {Crawl: &view.Crawl{FinishedAt: &noon, Failed: "the site does not answer"}},
		SourceReady:    {Crawl: ended, Documents: map[string]int{view.Refused: 1}},
	} {
		if got := NewSourceEntry(k).Status; got != want {
			t.Errorf("%+v is %s, want %s", k, got, want)
		}
	}
}

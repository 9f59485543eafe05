package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
	of "github.com/stepledger/stepledger/domain/knowledge"
)

// What the command adds beside a running server is read by it, and found by people over
// HTTP and by the command until it is removed.
func TestKnowledge_CommandsBesideAServer(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	l := s.library(t)
	public := library{s, t, of.PublicTenant}
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	source := func(printed string) string {
		t.Helper()
		found := regexp.MustCompile(`"sourceId": "([^"]+)"`).FindStringSubmatch(printed)
		if found == nil {
			t.Fatal(printed)
		}
		return found[1]
	}
	own := source(s.tool(t, "knowledge", "add", write("handbook.md", handbook), "--tenant", l.tenant, "--name", "Handbook"))
	shared := source(s.tool(t, "knowledge", "add", write("law.txt", "A gift card is valid for ten years by law."), "--public"))
	l.documents(own, patience)
	public.documents(shared, patience)

	for _, q := range []string{"?q=gift+card&explain=true", "?q=gift+card&url=https%3A%2F%2Fapp.acme.example%2F&explain=true"} {
		hits := data[api.SearchData](t, s.get(t, "/api/knowledge/search"+q)).Hits
		if len(hits) != 2 || hits[0].Public == hits[1].Public || len(hits[0].Why) == 0 {
			t.Errorf("%s: %+v", q, hits)
		}
	}
	if d := data[api.KnowledgeData](t, s.get(t, "/api/knowledge/resolve?query=gift+card&url=https%3A%2F%2Fother.example%2F")); d.HasOrgKnowledge || len(d.Context) != 1 || d.Context[0].Metadata["public"] != true {
		t.Errorf("elsewhere: %+v", d)
	}
	if out := s.tool(t, "knowledge", "search", "gift card", "--public"); strings.Count(out, `"text"`) != 1 || !strings.Contains(out, "ten years") {
		t.Errorf("what is public: %s", out)
	}
	if out := s.tool(t, "knowledge", "search", "gift card", "--public", "--url", "https://Any.example:8443/x"); strings.Count(out, `"text"`) != 1 || !strings.Contains(out, "ten years") {
		t.Errorf("what is public of a site: %s", out)
	}
	if err := s.toolFails(t, "knowledge", "search", "gift card", "--public", "--url", "any.example"); !strings.HasPrefix(err.Error(), "--url: ") {
		t.Errorf("no address: %v", err)
	}
	if out := s.tool(t, "knowledge", "list", "--tenant", l.tenant); !strings.Contains(out, own) || strings.Contains(out, shared) || !strings.Contains(out, "Handbook") {
		t.Errorf("the list: %s", out)
	}
	if out := s.tool(t, "knowledge", "status", own, "--tenant", l.tenant); !strings.Contains(out, `"path": "handbook.md"`) || !strings.Contains(out, `"status": "indexed"`) {
		t.Errorf("the status: %s", out)
	}
	s.tool(t, "knowledge", "remove", own, "--tenant", l.tenant)
	if out := s.tool(t, "knowledge", "search", "gift card", "--tenant", l.tenant); strings.Contains(out, "five days") || !strings.Contains(out, "ten years") {
		t.Errorf("after the removal: %s", out)
	}
	if err := s.toolFails(t, "knowledge", "status", own, "--tenant", l.tenant); !strings.Contains(err.Error(), "NOT_FOUND") {
		t.Errorf("%v", err)
	}
}

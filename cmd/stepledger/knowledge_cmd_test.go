package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	knowing "github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/knowledge"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// keeper is a library that notes what it is told. It has as many documents as it received
// files, and shows one a page.
type keeper struct {
	api.Library
	added []knowledge.SourceAdded
	files []knowing.File
	gone  []string
}

func (s *keeper) AddOnce(_ context.Context, e knowledge.SourceAdded, _ []knowledge.SourceAdded) (knowing.Added, error) {
	if e.Kind == "none" {
		return knowing.Added{}, knowledge.NotFound("source")
	}
	s.added = append(s.added, e)
	return knowing.Added{Source: "s" + string(e.Kind)}, nil
}

func (s *keeper) Receive(_ context.Context, f knowing.File) (knowing.Added, error) {
	if err := f.Check(); err != nil {
		return knowing.Added{}, err
	}
	s.files = append(s.files, f)
	return knowing.Added{Source: f.Source, Document: "d", Version: "v"}, nil
}

func (s *keeper) Recrawl(_ context.Context, _, _, source string) (knowing.Added, error) {
	if source != "s1" {
		return knowing.Added{}, knowledge.NotFound("source")
	}
	return knowing.Added{Source: source}, nil
}

func (s *keeper) Remove(_ context.Context, tenant, by, source string) (knowing.Added, error) {
	s.gone = append(s.gone, strings.Join([]string{tenant, by, source}, " "))
	return knowing.Added{}, nil
}

func (s *keeper) RemoveDocument(_ context.Context, tenant, by, source, document string) (knowing.Added, error) {
	s.gone = append(s.gone, strings.Join([]string{tenant, by, source, document}, " "))
	return knowing.Added{}, nil
}

func (s *keeper) Sources(context.Context, string) ([]knowledgeview.Source, error) {
	return []knowledgeview.Source{{
		ID: "s1", Kind: knowledge.Upload, Name: "Minutes", AddedAt: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC),
		Documents: map[string]int{knowledgeview.Indexed: 2, knowledgeview.Refused: 1, knowledgeview.Received: 4},
	}}, nil
}

func (s *keeper) Source(context.Context, string, string) (knowledgeview.Source, error) {
	all, err := s.Sources(context.Background(), "")
	return all[0], err
}

func (s *keeper) Documents(_ context.Context, _, _ string, f knowledgeview.Filter) ([]knowledgeview.Document, bool, error) {
	n := 0
	if f.After != nil {
		n = len(f.After.ID)
	}
	return []knowledgeview.Document{{ID: strings.Repeat("d", n+1), State: f.State, Reason: "it is encrypted"}}, n < 2, nil
}

func (*keeper) Find(_ context.Context, w knowing.Wanted) (knowing.Answer, error) {
	return knowing.Answer{Hits: []knowing.Hit{{Tenant: w.Tenant, Title: "Expenses", Chunk: knowledge.Chunk{Text: "<b>" + w.Text}, Why: []string{"words"}}}}, nil
}

func atShelf() (*keeper, *bytes.Buffer, librarian) {
	s, out := &keeper{}, &bytes.Buffer{}
	return s, out, librarian{program: program{out: out}, Library: s, find: s, tenant: "acme"}
}

func TestKnowledge_AddFilesAndAddresses(t *testing.T) {
	t.Parallel()
	s, out, l := atShelf()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := addition{strategy: "spider", every: 24 * time.Hour, SourceAdded: knowledge.SourceAdded{Domains: []string{"*.Acme.example"}, MaxPages: 10, MaxDepth: 1}}
	if err := a.check(); err != nil {
		t.Fatal(err)
	}
	err := l.add(t.Context(), a, []string{file("a.html", "<p>x"), file("empty.txt", ""), "https://docs.acme.example/", dir, file("b.md", "y")})
	for _, missed := range []string{"empty.txt: VALIDATION_ERROR: the file is empty", dir + ":"} {
		if err == nil || !strings.Contains(err.Error(), missed) {
			t.Errorf("%v does not say %s", err, missed)
		}
	}
	files := []knowing.File{
		{Tenant: "acme", Source: "supload", By: operatorName, Name: "a.html", Media: "text/html; charset=utf-8", Body: []byte("<p>x")},
		{Tenant: "acme", Source: "supload", By: operatorName, Name: "b.md", Body: []byte("y")},
	}
	ignoreMedia := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Media" }, cmp.Ignore()) // it is the machine's list
	if diff := cmp.Diff(files, s.files, ignoreMedia); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	added := []knowledge.SourceAdded{
		{Tenant: "acme", By: operatorName, Kind: knowledge.Upload, Domains: []string{"*.acme.example"}},
		{Tenant: "acme", By: operatorName, Kind: knowledge.Spider, URL: "https://docs.acme.example/", Domains: []string{"*.acme.example"}, MaxPages: 10, MaxDepth: 1, EverySeconds: 86400},
	}
	if diff := cmp.Diff(added, s.added); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(out.String(), `"added"`); n != 3 {
		t.Errorf("%d of 3 are printed: %s", n, out)
	}
}

func TestKnowledge_AddRefuses(t *testing.T) {
	t.Parallel()
	_, _, l := atShelf()
	large := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(3<<30), f.Close()); err != nil {
		t.Fatal(err)
	}
	if err := l.add(t.Context(), addition{}, []string{large}); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a file that is too large: %v", err)
	}
	for _, a := range []addition{{strategy: "upload"}, {strategy: "single", SourceAdded: knowledge.SourceAdded{Domains: []string{"https://x"}}}} {
		if err := a.check(); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
}

func TestKnowledge_ListStatusRemoveSearch(t *testing.T) {
	t.Parallel()
	s, out, l := atShelf()
	if err := l.list(t.Context()); err != nil || !strings.Contains(out.String(), "s1      upload  reading  2        4     0      1        2026-11-27  Minutes") {
		t.Errorf("%v:\n%s", err, out)
	}
	out.Reset()
	if err := l.status(t.Context(), "s1", knowledge.Refused); err != nil || strings.Count(out.String(), "it is encrypted") != 3 {
		t.Errorf("%v: not every page is printed:\n%s", err, out)
	}
	out.Reset()
	if err := errors.Join(l.remove(t.Context(), []string{"s1"}), l.remove(t.Context(), []string{"s1", "d"}), l.crawl(t.Context(), "s1")); err != nil {
		t.Error(err)
	}
	done := `{"done":"removed","sourceId":"s1"}
{"done":"removed","sourceId":"s1","documentId":"d"}
{"done":"crawling","sourceId":"s1"}
`
	if diff := cmp.Diff(done, out.String()); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
	if err := l.crawl(t.Context(), "other"); err == nil {
		t.Error("a source that is not there is crawled")
	}
	if diff := cmp.Diff([]string{"acme operator s1", "acme operator s1 d"}, s.gone); diff != "" {
		t.Error(diff)
	}
	out.Reset()
	if err := l.search(t.Context(), knowing.Wanted{Text: "expenses", Limit: 3}); err != nil {
		t.Fatal(err)
	}
	var hit api.SearchHit
	if err := json.Unmarshal(out.Bytes(), &hit); err != nil || hit.Text != "<b>expenses" || hit.Title != "Expenses" || len(hit.Why) != 1 || hit.Public {
		t.Errorf("%v: %s", err, out)
	}
}

func TestKnowledge_NamesWhoseItIs(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"list"}, {"list", "--public", "--tenant", "acme"}, {"add"}, {"search", "--public"}, {"remove", "--public"}} {
		var out bytes.Buffer
		root := newRoot(func(string) string { return "" }, &out, &out)
		root.SetArgs(append([]string{"knowledge"}, args...))
		if err := root.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// A flag that would change nothing is a misunderstanding, and is refused before anything is
// added.
func TestKnowledge_FlagsWithoutEffectAreRefused(t *testing.T) {
	t.Parallel()
	const link = "https://docs.acme.example/"
	for _, tt := range []struct {
		args    []string
		refused string
	}{
		{[]string{link, "--source", "s"}, "--source: "},
		{[]string{link, "a.md", "--source", "s"}, "--source: "},
		{[]string{"a.md", "--source", "s", "--name", "n"}, "--name: "},
		{[]string{"a.md", "--source", "s", "--domain", "acme.example"}, "--domain: "},
		{[]string{"a.md", "--source", "s", "--language", "en"}, "--language: "},
		{[]string{"a.md", "--strategy", "spider"}, "--strategy: "},
		{[]string{"a.md", "--every", "24h"}, "--every: "},
		{[]string{link, "--max-pages", "5"}, "--max-pages: "},
		{[]string{link, "--strategy", "sitemap", "--max-depth", "1"}, "--max-depth: "},
		{[]string{link, "--strategy", "seen", "--every", "24h"}, "--every: "},
		{[]string{link, "--strategy", "upload"}, "--strategy: "},
		// These have an effect; that nobody says whose it is, is noticed next.
		{[]string{"a.md", "--source", "s"}, "whose knowledge?"},
		{[]string{"a.md", "--name", "n", "--domain", "acme.example", "--language", "en"}, "whose knowledge?"},
		{[]string{link, "--name", "n", "--every", "24h"}, "whose knowledge?"},
		{[]string{link, "a.md", "--strategy", "spider", "--max-pages", "5", "--max-depth", "1", "--every", "24h"}, "whose knowledge?"},
		{[]string{link, "--strategy", "sitemap", "--max-pages", "5"}, "whose knowledge?"},
	} {
		var out bytes.Buffer
		root := newRoot(func(string) string { return "" }, &out, &out)
		root.SetArgs(append([]string{"knowledge", "add"}, tt.args...))
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.HasPrefix(err.Error(), tt.refused) {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
}

package knowledge_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	read "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestQueries_OtherTenantsThingsAreNotThere(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	l.add("a.txt", refund)
	e.CatchUp(all...)
	operators := read.Queries{DB: e.Pool}
	for _, c := range []struct {
		what string
		q    read.Queries
	}{{"readers", q}, {"operators", operators}} {
		for _, id := range []string{l.source, l.document("a.txt"), "", "x", "'"} {
			ctx := projtest.For(t.Context(), otherTenant)
			_, err := c.q.Source(ctx, otherTenant, id)
			_, err2 := c.q.Document(ctx, otherTenant, id)
			_, _, err3 := c.q.Documents(ctx, otherTenant, id, read.Filter{Limit: 1})
			_, err4 := c.q.Versions(ctx, otherTenant, id)
			for _, err := range []error{err, err2, err3, err4} {
				if domain.KindOf(err) != domain.NotFound {
					t.Errorf("%s, %q: %v", c.what, id, err)
				}
			}
		}
		if sources, err := c.q.Sources(projtest.For(t.Context(), otherTenant), otherTenant); err != nil || len(sources) != 0 {
			t.Errorf("%s: %v, %v", c.what, sources, err)
		}
	}
}

func TestQueries_SourceWithItsCounts(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	ctx := projtest.For(t.Context(), e.Tenant)
	l := source(e, func(s *knowledge.SourceAdded) {
		s.Kind, s.URL, s.Domains, s.EverySeconds = knowledge.Sitemap, "https://docs.example/", []string{"docs.example"}, 3600
	})
	l.write(
		knowledge.CrawlStarted{Generation: 1, At: l.tick()},
		knowledge.PagesFound{Generation: 1, Pages: []string{"https://docs.example/1", "https://docs.example/2"}, Dropped: 3},
		knowledge.PageVisited{Generation: 1, Document: l.document("a.txt"), Outcome: knowledge.Received, At: l.tick()},
	)
	l.add("a.txt", refund, gift)
	version := l.receive("b.txt")
	l.write(
		knowledge.ReadingStarted{Document: l.document("b.txt"), Version: version, Attempt: 2, At: l.tick()},
		knowledge.ReadingProgressed{Document: l.document("b.txt"), Version: version, Page: 3, Of: 12},
		knowledge.PageVisited{Generation: 1, Document: l.document("b.txt"), Outcome: knowledge.Received, At: l.tick()},
	)
	l.receive("c.txt")
	e.CatchUp(all...)
	s, err := q.Source(ctx, e.Tenant, l.source)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"indexed": 1, "reading": 1, "received": 1}, s.Documents); diff != "" || s.Chunks != 2 {
		t.Errorf("%d chunks, documents %s", s.Chunks, diff)
	}
	if c := s.Crawl; c == nil || c.Generation != 1 || c.Found != 2 || c.Dropped != 3 || c.Visits[knowledge.Received] != 2 || c.FinishedAt != nil {
		t.Errorf("crawl %+v", s.Crawl)
	}
	d, err := q.Document(ctx, e.Tenant, l.document("b.txt"))
	if err != nil || d.State != read.Reading || d.Page != 3 || d.OfPages != 12 || d.Attempts != 2 || !d.CheckedAt.After(d.ReceivedAt) {
		t.Errorf("%+v, %v", d, err)
	}
	var listed []string
	var after *read.Mark
	for more := true; more; {
		var page []read.Document
		page, more, err = q.Documents(ctx, e.Tenant, l.source, read.Filter{Limit: 1, After: after})
		if err != nil || len(page) != 1 {
			t.Fatalf("%v, %v", page, err)
		}
		listed = append(listed, page[0].Path)
		after = &read.Mark{ReceivedAt: page[0].ReceivedAt, ID: page[0].ID}
	}
	if !slices.Equal(listed, []string{"c.txt", "b.txt", "a.txt"}) {
		t.Errorf("listed %q", listed)
	}
	if page, _, err := q.Documents(ctx, e.Tenant, l.source, read.Filter{Limit: 9, State: read.Indexed}); err != nil || len(page) != 1 {
		t.Errorf("%v, %v", page, err)
	}
	for _, bad := range []read.Filter{{}, {Limit: read.MaxDocuments + 1}, {Limit: 1, After: &read.Mark{ID: "x"}}} {
		if _, _, err := q.Documents(ctx, e.Tenant, l.source, bad); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestPending_WhatIsToBeDone(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	now := day
	q := read.Queries{DB: e.Pool, Now: func() time.Time { return now }}
	pending := func() read.Work {
		t.Helper()
		e.CatchUp(all...)
		work, err := q.Pending(t.Context())
		if err != nil || len(work) > 1 {
			t.Fatalf("%v, %v", work, err)
		}
		if len(work) == 0 {
			return read.Work{}
		}
		return work[0]
	}
	l := source(e, func(s *knowledge.SourceAdded) { s.Kind, s.EverySeconds = knowledge.Single, 3600 })
	if w := pending(); !w.CrawlDue || w.Crawling || w.Kind != knowledge.Single || w.Tenant != e.Tenant || w.Source != l.source {
		t.Errorf("a source never crawled: %+v", w)
	}
	l.write(knowledge.CrawlStarted{Generation: 1, At: l.tick()})
	if w := pending(); w.CrawlDue || !w.Crawling {
		t.Errorf("while it is crawled: %+v", w)
	}
	l.receive("a.txt")
	l.write(knowledge.CrawlFinished{Generation: 1, At: l.tick()})
	if w := pending(); w.CrawlDue || w.Crawling || w.ToRead != 1 || w.Oldest == nil {
		t.Errorf("a document has come: %+v", w)
	}
	l.read("a.txt", refund)
	l.indexed("a.txt", 1)
	if w := pending(); w.Source != "" {
		t.Errorf("all is done: %+v", w)
	}
	l.receive("old.txt")
	l.read("old.txt", gift)
	l.indexed("old.txt", 1, func(e *knowledge.DocumentIndexed) { e.Reader = knowledge.ReaderVersion - 1 })
	if w := pending(); w.ToReread != 1 {
		t.Errorf("an older reader has read a document: %+v", w)
	}
	l.receive("old.txt")
	l.read("old.txt", gift)
	l.indexed("old.txt", 1)
	now = l.now.Add(time.Hour)
	if w := pending(); !w.CrawlDue || w.ToReread != 0 {
		t.Errorf("an hour later: %+v", w)
	}
}

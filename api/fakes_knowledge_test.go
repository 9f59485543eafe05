package api

import (
	"context"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/account"
	known "github.com/stepledger/stepledger/domain/knowledge"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

// What tenant A knows: a site that is being crawled, with a document.
const (
	sourceA   = "aaaaaaaa-0000-4000-8000-000000000021"
	documentA = "aaaaaaaa-0000-4000-8000-000000000022"
	versionA  = "aaaaaaaa-0000-4000-8000-000000000023"
	sourceNew = "aaaaaaaa-0000-4000-8000-000000000024"
	filesA    = "aaaaaaaa-0000-4000-8000-000000000025"
)

// fakeKnowledge finds two pieces of the tenant's where a pattern stands for the site, and a
// public one everywhere.
type fakeKnowledge struct{ w *world }

func (f fakeKnowledge) Find(_ context.Context, q knowledge.Wanted) (knowledge.Answer, error) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.sites = append(f.w.sites, q.Tenant+" "+q.URL+" "+q.Text)
	page := knowledge.Hit{
		Tenant: q.Tenant, Source: sourceA, Document: documentA, Version: versionA, Title: "Expenses", Path: "https://docs.example.com/expenses",
		Chunk: known.Chunk{Path: []string{"Expenses", "Whom to ask"}, Text: "Ask <b>Cy</b>."}, Phase: known.PostInteraction, Trigger: `click("68")`, At: noon, Score: 0.75,
	}
	next := page
	next.Chunk.Ord, next.Chunk.Text, next.Score = 1, "By Friday.", 0.5
	public := knowledge.Hit{
		Tenant: known.PublicTenant, Source: sourceNew, Document: versionA, Version: documentA, Path: "guide.pdf", Chunk: known.Chunk{Ord: 2, Page: 7, Text: "Press Save."}, At: noon, Score: 0.25,
	}
	var a knowledge.Answer
	a.Pattern = account.MatchingDomain(f.w.domains, hostOf(q.URL))
	if a.Own = a.Pattern != "" || q.URL == ""; a.Own {
		a.Hits = append(a.Hits, page, next)
	}
	a.Hits = append(a.Hits, public)
	if q.Explain {
		for i := range a.Hits {
			a.Hits[i].Why = []string{"words: expenses"}
		}
	}
	return a, f.w.fail
}

// fakeLibrary has sourceA of tenant A, and takes others.
type fakeLibrary struct{ w *world }

func (f fakeLibrary) there(tenant, source string) error {
	if tenant != tenantA || source != sourceA {
		return known.NotFound("source")
	}
	return f.w.fail
}

func (f fakeLibrary) AddOnce(_ context.Context, e known.SourceAdded, there []known.SourceAdded) (knowledge.Added, error) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.added = append(f.w.added, e)
	for _, s := range there {
		if s.URL == e.URL && s.Kind == e.Kind && (e.Kind != known.Upload || s.Name == e.Name) {
			return knowledge.Added{Source: s.Source, Unchanged: true}, f.w.fail
		}
	}
	e.Source, e.At = sourceNew, noon
	_, err := known.Decide(known.Add{SourceAdded: e}, known.State{})
	if err == nil {
		err = f.w.fail
	}
	return knowledge.Added{Source: sourceNew, Position: 42}, err
}

func (f fakeLibrary) Receive(_ context.Context, file knowledge.File) (knowledge.Added, error) {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.files = append(f.w.files, file)
	if file.Source != sourceNew && file.Source != filesA {
		if err := f.there(file.Tenant, file.Source); err != nil {
			return knowledge.Added{}, err
		}
	}
	if err := file.Check(); err != nil {
		return knowledge.Added{}, err
	}
	return knowledge.Added{Source: file.Source, Document: documentA, Version: versionA, Position: 43}, f.w.fail
}

func (f fakeLibrary) Recrawl(_ context.Context, tenant, _, source string) (knowledge.Added, error) {
	return knowledge.Added{Source: source, Position: 44}, f.there(tenant, source)
}

func (f fakeLibrary) RemoveDocument(_ context.Context, tenant, _, source, document string) (knowledge.Added, error) {
	if err := f.there(tenant, source); err != nil {
		return knowledge.Added{}, err
	}
	if document != documentA {
		return knowledge.Added{}, known.NotFound("document")
	}
	return knowledge.Added{Source: source, Position: 45}, nil
}

func (f fakeLibrary) Remove(_ context.Context, tenant, _, source string) (knowledge.Added, error) {
	return knowledge.Added{Source: source, Position: 46}, f.there(tenant, source)
}

var knownA = view.Source{
	ID: sourceA, Tenant: tenantA, AddedBy: userA, Kind: known.Spider, Name: "Handbook", URL: "https://docs.example.com/", Domains: []string{"*.example.com"},
	Language: "en", MaxPages: 100, MaxDepth: 2, EverySeconds: 86400, AddedAt: noon,
	Documents: map[string]int{view.Indexed: 3, view.Refused: 1, view.Reading: 1}, Chunks: 12,
	Crawl: &view.Crawl{Generation: 2, Found: 9, Visits: map[known.Outcome]int{known.Received: 4, known.Failed: 1, known.Postponed: 2}, Limited: true, Dropped: 3, StartedAt: noon},
}

var documentOfA = view.Document{
	ID: documentA, Source: sourceA, Path: "https://docs.example.com/expenses", Title: "Expenses", State: view.Refused, Version: versionA, Number: 2, Live: versionA,
	Code: "encrypted", Reason: "it is encrypted", Page: 1, OfPages: 3, Attempts: 1, Type: known.PDF, Media: "application/pdf", Language: "en", Size: 1200,
	Pages: 3, ImagePages: 1, Chunks: 5, Phase: known.Initial, Task: taskA, Turn: 2, ReceivedAt: noon, CheckedAt: noon, EndedAt: &noon,
}

func (f fakeLibrary) Sources(_ context.Context, tenant string) ([]view.Source, error) {
	if tenant != tenantA {
		return nil, f.w.fail
	}
	files := view.Source{ID: filesA, Tenant: tenantA, AddedBy: "operator", Kind: known.Upload, Name: "Minutes", AddedAt: noon}
	return []view.Source{knownA, files}, f.w.fail
}

func (f fakeLibrary) Source(_ context.Context, tenant, source string) (view.Source, error) {
	return knownA, f.there(tenant, source)
}

func (f fakeLibrary) Documents(_ context.Context, tenant, source string, q view.Filter) ([]view.Document, bool, error) {
	if err := f.there(tenant, source); err != nil {
		return nil, false, err
	}
	if q.After != nil || q.State != "" && q.State != view.Refused {
		return nil, false, nil
	}
	return []view.Document{documentOfA}, q.Limit == 1, nil
}

func (f fakeLibrary) Document(_ context.Context, tenant, document string) (view.Document, error) {
	if tenant != tenantA || document != documentA {
		return view.Document{}, known.NotFound("document")
	}
	return documentOfA, f.w.fail
}

// hungKnowledge and hungLibrary never answer.
type (
	hungKnowledge struct{}
	hungLibrary   struct{}
)

func (hungKnowledge) Find(ctx context.Context, _ knowledge.Wanted) (a knowledge.Answer, err error) {
	return a, hangs(ctx)
}

func (hungLibrary) AddOnce(ctx context.Context, _ known.SourceAdded, _ []known.SourceAdded) (a knowledge.Added, err error) {
	return a, hangs(ctx)
}

func (hungLibrary) Receive(ctx context.Context, _ knowledge.File) (a knowledge.Added, err error) {
	return a, hangs(ctx)
}

func (hungLibrary) Recrawl(ctx context.Context, _, _, _ string) (a knowledge.Added, err error) {
	return a, hangs(ctx)
}

func (hungLibrary) RemoveDocument(ctx context.Context, _, _, _, _ string) (a knowledge.Added, err error) {
	return a, hangs(ctx)
}

func (hungLibrary) Remove(ctx context.Context, _, _, _ string) (a knowledge.Added, err error) {
	return a, hangs(ctx)
}

func (hungLibrary) Sources(ctx context.Context, _ string) ([]view.Source, error) {
	return nil, hangs(ctx)
}

func (hungLibrary) Source(ctx context.Context, _, _ string) (s view.Source, err error) {
	return s, hangs(ctx)
}

func (hungLibrary) Documents(ctx context.Context, _, _ string, _ view.Filter) ([]view.Document, bool, error) {
	return nil, false, hangs(ctx)
}

func (hungLibrary) Document(ctx context.Context, _, _ string) (d view.Document, err error) {
	return d, hangs(ctx)
}

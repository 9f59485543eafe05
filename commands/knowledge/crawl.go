package knowledge

import (
	"time"

	"github.com/stepledger/stepledger/domain/knowledge"
)

func (w *worker) now() time.Time { return w.Clock().UTC() }

// visit visits the first page of the frontier and records what came of it.
func (w *worker) visit(p knowledge.Found) error {
	s := w.at.State
	visit := knowledge.Visit{Generation: s.Crawl.Generation, URL: p.URL}
	if s.Kind == knowledge.Sitemap && p.Depth == 0 {
		pages, err := w.Sites.List(w.ctx, p.URL, s.MaxPages)
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		visit.Outcome, visit.Found = knowledge.Listed, pages
		if err != nil {
			visit.Outcome, visit.Code, visit.Reason = knowledge.Failed, "no_sitemap", err.Error()
		}
	} else if err := w.fetch(p, &visit); err != nil {
		return err
	}
	w.hook("knowledge.fetched")
	visit.At = w.now()
	err := w.put(visit)
	w.hook("knowledge.visited")
	return err
}

// fetch fills in what came of fetching a page.
func (w *worker) fetch(p knowledge.Found, visit *knowledge.Visit) error {
	f := knowledge.Fetch{URL: p.URL, Links: w.at.State.Kind == knowledge.Spider}
	if w.at.State.Kind != knowledge.Single {
		f.Site = w.at.State.URL
	}
	d := w.at.State.Documents[knowledge.DocumentID(w.source, p.URL)]
	// A page whose links are wanted is fetched even if it is unchanged: they are in it.
	if d != nil && d.Current.Version != "" && !f.Links {
		f.ETag, f.LastModified = d.ETag, d.LastModified
	}
	got, err := w.Sites.Visit(w.ctx, f)
	if err != nil {
		return err
	}
	visit.Outcome, visit.Code, visit.Reason = got.Outcome, got.Code, got.Reason
	visit.ETag, visit.LastModified, visit.Media, visit.Size = got.ETag, got.LastModified, got.Media, len(got.Body)
	visit.Found = got.Links
	if got.Target != "" {
		visit.Found, visit.Same = []string{got.Target}, true
	}
	if got.Outcome == knowledge.Received {
		visit.Bytes, err = w.Content.Put(w.ctx, w.tenant, w.source, kindDocument, got.Body)
	}
	return err
}

// failed says why a crawl saw nothing, "" if it saw something.
func (w *worker) failed() string {
	k := w.at.State.Crawl
	if k.Failing >= knowledge.MaxFailing {
		return "the site stopped answering"
	}
	if k.Visits[knowledge.Received]+k.Visits[knowledge.Unchanged]+k.Visits[knowledge.Gone]+k.Visits[knowledge.LeftOut] > 0 {
		return ""
	}
	return "no page could be fetched"
}

package knowledge

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/knowledge"
)

func (w *worker) now() time.Time { return w.Clock().UTC() }

const (
	// listWithin bounds the reading of a site's sitemaps.
	listWithin = 10 * time.Minute
	// maxPause is how long a site is left alone that says it is busy, and maxPauses how
	// often for one page, before that counts as trouble.
	maxPause  = 10 * time.Minute
	maxPauses = 3
	// Validators and types longer than these are not kept.
	maxValidator = 1 << 10
	maxMedia     = 255
)

// visit visits the first page of the frontier and records what came of it. A site that
// wants to be left alone is: then pause is set, and nothing is recorded.
func (w *worker) visit(p knowledge.Found) error {
	s := w.at.State
	visit := knowledge.Visit{Generation: s.Crawl.Generation, URL: p.URL}
	if s.Kind == knowledge.Sitemap && p.Depth == 0 {
		w.list(p, &visit)
	} else if paused, err := w.fetch(p, &visit); err != nil || paused {
		return err
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.pauses = 0
	w.hook("knowledge.fetched")
	visit.At = w.now()
	err := w.put(visit)
	if tooLarge(err) { // what is recorded of it cannot be recorded
		err = w.put(knowledge.Visit{Generation: visit.Generation, URL: p.URL, Outcome: knowledge.LeftOut, Code: knowledge.CodeTooLarge, At: visit.At})
	}
	w.hook("knowledge.visited")
	return err
}

// list fills in what a site lists.
func (w *worker) list(p knowledge.Found, visit *knowledge.Visit) {
	ctx, cancel := context.WithTimeout(w.ctx, listWithin)
	defer cancel()
	listing, err := w.Sites.List(ctx, p.URL, w.at.State.MaxPages)
	visit.Outcome, visit.Found = knowledge.Listed, listing.Pages
	if listing.Partial {
		visit.Dropped = 1
	}
	if err != nil {
		visit.Outcome, visit.Code, visit.Reason = knowledge.Failed, knowledge.CodeNoSitemap, err.Error()
	}
}

// fetch fills in what came of fetching a page. It reports whether the site is to be left
// alone first.
func (w *worker) fetch(p knowledge.Found, visit *knowledge.Visit) (paused bool, err error) {
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
		return false, err
	}
	if got.RetryAfter > 0 && got.Outcome == knowledge.Failed && w.pauses < maxPauses {
		w.pauses, w.pause = w.pauses+1, min(got.RetryAfter, maxPause)
		return true, nil
	}
	visit.Outcome, visit.Code, visit.Reason = got.Outcome, got.Code, got.Reason
	visit.ETag, visit.LastModified, visit.Media = within(got.ETag, maxValidator), within(got.LastModified, maxValidator), within(got.Media, maxMedia)
	visit.Size, visit.Found = len(got.Body), got.Links
	if got.Target != "" {
		visit.Found, visit.Same = []string{got.Target}, true
	}
	if got.Outcome == knowledge.Received {
		visit.Bytes, err = w.Content.Put(w.ctx, w.tenant, w.source, kindDocument, got.Body)
	}
	return false, err
}

// within is a text that is no longer than so many bytes, or none.
func within(text string, most int) string {
	if len(text) > most {
		return ""
	}
	return text
}

// failed says why a crawl saw nothing, "" if it saw something.
func (w *worker) failed() string {
	k := w.at.State.Crawl
	if k.Failing >= knowledge.MaxFailing {
		return "the site stopped answering"
	}
	if k.Visits[knowledge.Received]+k.Visits[knowledge.Unchanged]+k.Visits[knowledge.Gone] > 0 {
		return ""
	}
	if k.Why != "" {
		return "no page could be fetched: " + k.Why
	}
	return "no page could be fetched"
}

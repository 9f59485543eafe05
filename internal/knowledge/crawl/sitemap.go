package crawl

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// Bounds of sitemaps; those of a file are the protocol's.
const (
	maxSitemaps       = 500 // files of a site
	maxSitemapEntries = 50_000
	maxSitemapBytes   = 50 << 20 // after decompression too
	maxSitemapLevels  = 3
	maxProblems       = 100
)

// ErrEnough is returned by a function that takes entries, to end without an error.
var ErrEnough = errors.New("enough entries")

// Entry is a page that a sitemap names.
type Entry struct {
	URL     string    // normalized
	LastMod time.Time // zero if there is none, or none that can be read
	Sitemap string    // the file it is in
}

// SitemapReport is what came of reading a site's sitemaps.
type SitemapReport struct {
	// Files were read; they had Entries that were passed on, and LeftOut that are of
	// other hosts or no addresses.
	Files, Entries, LeftOut int
	// Problems are of files that could not be read, or not to the end; the first 100.
	Problems []error
	// Truncated says that a limit was reached: of files, of entries in one of them, or
	// of levels.
	Truncated bool
}

// Sitemaps finds the sitemaps of a site and passes each page they name to each, as often
// as it is named: those of the Sitemap lines in robots.txt or, if none of them can be
// read, /sitemap.xml or /sitemap_index.xml. Pages of other hosts than the site's are left
// out ("www." before it makes no difference). It ends with the first error of each, and
// returns it unless it is ErrEnough.
//
// A site without any sitemap is a NotFound error. A file that cannot be read is a problem
// in the report, but not one that nobody named and that is not there.
func (f *Fetcher) Sitemaps(ctx context.Context, site string, each func(Entry) error) (SitemapReport, error) {
	w, at, err := f.walk(ctx, site, each)
	if err != nil {
		return SitemapReport{}, err
	}
	robots, err := f.robotsOf(ctx, at, false)
	if err != nil {
		return SitemapReport{}, err
	}
	for _, address := range robots.sitemaps {
		to, err := resolve(address, at.String())
		if err != nil {
			w.problem(failed(BadURL, address, "not an address: %v", err).because(err))
			continue
		}
		w.file(sitemapFile{address: to.String(), level: 1, fromPublic: robots.public})
	}
	for _, path := range []string{"/sitemap.xml", "/sitemap_index.xml"} {
		if w.report.Files == 0 {
			w.file(sitemapFile{address: (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: path}).String(), level: 1, guessed: true})
		}
	}
	return w.result()
}

// Sitemap is Sitemaps for one file whose address is known, with those it lists.
func (f *Fetcher) Sitemap(ctx context.Context, address string, each func(Entry) error) (SitemapReport, error) {
	w, at, err := f.walk(ctx, address, each)
	if err != nil {
		return SitemapReport{}, err
	}
	w.file(sitemapFile{address: at.String(), level: 1})
	return w.result()
}

// sitemapWalk is one reading of a site's sitemaps.
type sitemapWalk struct {
	f      *Fetcher
	ctx    context.Context // it lives as long as one call
	scope  Scope
	each   func(Entry) error
	seen   map[string]bool
	report SitemapReport
	ended  error // of each, or the context's
}

func (f *Fetcher) walk(ctx context.Context, site string, each func(Entry) error) (*sitemapWalk, *url.URL, error) {
	at, err := f.target(site)
	if err != nil {
		return nil, nil, err
	}
	return &sitemapWalk{f: f, ctx: ctx, scope: Scope{Host: siteHost(at)}, each: each, seen: map[string]bool{}}, at, nil
}

func (w *sitemapWalk) result() (SitemapReport, error) {
	switch {
	case errors.Is(w.ended, ErrEnough):
		return w.report, nil
	case w.ended != nil:
		return w.report, w.ended
	case w.report.Files > 0:
		return w.report, nil
	}
	for _, p := range w.report.Problems {
		if CodeOf(p) != NotFound {
			return w.report, p
		}
	}
	return w.report, failed(NotFound, "https://"+w.scope.Host, "the site has no sitemap")
}

func (w *sitemapWalk) problem(err error) {
	if len(w.report.Problems) < maxProblems {
		w.report.Problems = append(w.report.Problems, err)
	}
}

// sitemapFile is a file to read: level 1 is one that no other lists, fromPublic says that
// a public address named it, guessed that nobody did.
type sitemapFile struct {
	address             string
	level               int
	fromPublic, guessed bool
}

// file reads one file and those it lists, unless the reading has ended.
func (w *sitemapWalk) file(s sitemapFile) {
	if w.ended != nil || w.seen[s.address] {
		return
	}
	if len(w.seen) >= maxSitemaps || s.level > maxSitemapLevels {
		w.report.Truncated = true
		return
	}
	w.seen[s.address] = true
	got, err := w.f.chain(w.ctx, Request{URL: s.address}, kind{robots: true, redirects: maxRedirects, maxBytes: maxSitemapBytes, anyType: true}, s.fromPublic)
	if w.ctx.Err() != nil {
		w.ended = w.ctx.Err()
		return
	}
	if err != nil {
		if !s.guessed || CodeOf(err) != NotFound {
			w.problem(err)
		}
		return
	}
	listed, err := w.read(got)
	switch {
	case w.ended != nil:
		return
	case errors.Is(err, errManyEntries):
		w.report.Truncated = true
	case err != nil:
		w.problem(failed(BadSitemap, got.URL, "%v", err).because(err))
		if !errors.Is(err, errCutShort) {
			return
		}
	}
	w.report.Files++
	for _, address := range listed {
		w.file(sitemapFile{address: address, level: s.level + 1, fromPublic: got.public})
	}
}

// read passes the pages of a file on and returns the files it lists: those of the site's
// host or the file's own.
func (w *sitemapWalk) read(got Response) ([]string, error) {
	own, err := SameHost(got.URL)
	if err != nil {
		return nil, err
	}
	var listed []string
	err = parseSitemap(got.Body, func(e sitemapEntry) error {
		if !e.index {
			return w.page(e, got.URL)
		}
		to, err := resolve(e.loc, got.URL)
		if err == nil && (w.scope.In(to.String()) || own.In(to.String())) {
			listed = append(listed, to.String())
		} else {
			w.report.LeftOut++
		}
		return nil
	})
	return listed, err
}

func (w *sitemapWalk) page(e sitemapEntry, sitemap string) error {
	if address, err := Normalize(e.loc, sitemap); err == nil && w.scope.In(address) {
		w.report.Entries++
		w.ended = w.each(Entry{URL: address, LastMod: parseLastMod(e.lastMod), Sitemap: sitemap})
		return w.ended
	}
	w.report.LeftOut++
	return nil
}

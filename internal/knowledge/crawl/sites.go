package crawl

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Codes of pages that are left out, beside those of errors.
const (
	// NoIndex is a page that asks not to be kept.
	NoIndex = "noindex"
	// OtherSite is an address of another host than the crawl's.
	OtherSite = "other_site"
	// IsTrap is an address that looks like one of endlessly many.
	IsTrap = "trap"
)

// Sites is a Fetcher as a crawl uses it: in values of the domain, and every error an
// outcome.
type Sites struct{ *Fetcher }

// Normalize returns the form of an address by which pages are told apart. The error is one
// for whoever typed the address.
func (s Sites) Normalize(address string) (string, error) {
	out, err := Normalize(address, "")
	if err != nil {
		return "", invalid(err)
	}
	return out, nil
}

// Visit fetches a page. A page that moved is Redirected, and visited when its turn comes.
// The error is that of the context only.
func (s Sites) Visit(ctx context.Context, f knowledge.Fetch) (knowledge.Fetched, error) {
	in := scopeOf(f.Site)
	if why := Trap(f.URL); why != "" {
		return leftOut(IsTrap, why), nil
	}
	got, err := s.Get(ctx, Request{URL: f.URL, ETag: f.ETag, LastModified: f.LastModified, MaxBytes: knowledge.MaxBytes})
	if ctx.Err() != nil {
		return knowledge.Fetched{}, ctx.Err()
	}
	if err != nil {
		return outcomeOf(err, in), nil
	}
	at, err := Normalize(got.URL, "")
	if err != nil {
		return outcomeOf(err, in), nil
	}
	if at != f.URL {
		if !in(at) {
			return leftOut(OtherSite, "it is now a page of another site"), nil
		}
		return knowledge.Fetched{Outcome: knowledge.Redirected, Target: at}, nil
	}
	return visited(f, got, in), nil
}

// visited is a page that was there.
func visited(f knowledge.Fetch, got Response, in func(string) bool) knowledge.Fetched {
	out := knowledge.Fetched{Outcome: knowledge.Received, Body: got.Body, Media: got.MediaType, ETag: got.ETag, LastModified: got.LastModified}
	if got.NotModified {
		return knowledge.Fetched{Outcome: knowledge.Unchanged, ETag: got.ETag, LastModified: got.LastModified}
	}
	if got.Charset != "" {
		out.Media = mime.FormatMediaType(got.MediaType, map[string]string{"charset": got.Charset})
	}
	var page Page
	if isHTML(got.MediaType) {
		page = Links(got.Body, got.Charset, got.URL)
	}
	if got.NoIndex || page.NoIndex {
		out = leftOut(NoIndex, "the page asks not to be kept")
	}
	if !f.Links || got.NoFollow {
		return out
	}
	for _, link := range page.Links {
		if in(link) && Trap(link) == "" {
			out.Links = append(out.Links, link)
		}
	}
	return out
}

// isHTML is false for what names another type: links are looked for where there may be any.
func isHTML(media string) bool {
	return media == "" || strings.Contains(media, "html") || media == "application/octet-stream" || media == "text/plain"
}

// scopeOf says which addresses are of a site, all for "".
func scopeOf(site string) func(string) bool {
	if site == "" {
		return func(string) bool { return true }
	}
	scope, err := SameHost(site)
	return func(address string) bool { return err == nil && scope.In(address) }
}

func leftOut(code, reason string) knowledge.Fetched {
	return knowledge.Fetched{Outcome: knowledge.LeftOut, Code: code, Reason: reason}
}

// outcomeOf is what an error of Get means for the crawl of a site. What fails fails for now: a
// page that was there stays known. The site waits for itself, not for a host that one of its
// pages moved to.
func outcomeOf(err error, in func(string) bool) knowledge.Fetched {
	out := knowledge.Fetched{Outcome: knowledge.Failed, Code: string(Unreachable), Reason: err.Error()}
	var e *Error
	if !errors.As(err, &e) {
		return out
	}
	out.Code, out.Reason = string(e.Code), e.Reason
	if in(e.URL) {
		out.RetryAfter = e.RetryAfter
	}
	switch {
	case e.Code == NotFound:
		out.Outcome = knowledge.Gone
	case !e.Temporary && aboutPage(e.Code):
		out.Outcome = knowledge.LeftOut
	}
	return out
}

// aboutPage is true of what a site or an address says about the page itself. Everything else
// may be a fault of a server, or a wall that this page was not behind.
func aboutPage(code Code) bool {
	switch code {
	case BadURL, RefusedAddress, Robots, TooLarge, UnsupportedType:
		return true
	}
	return false
}

// errNoList is returned for a site that lists no page.
var errNoList = errors.New("the site has no sitemap that lists pages of it")

// List returns the pages a site lists, each once, at most so many: those of the sitemap at the
// address if it looks like one, else of all the site has.
func (s Sites) List(ctx context.Context, address string, most int) (knowledge.Listing, error) {
	var out knowledge.Listing
	known := map[string]bool{}
	add := func(e Entry) error {
		switch {
		case known[e.URL] || Trap(e.URL) != "":
			return nil
		case len(out.Pages) >= most:
			out.Partial = true
			return ErrEnough
		}
		known[e.URL] = true
		out.Pages = append(out.Pages, e.URL)
		return nil
	}
	read := s.Sitemaps
	if looksLikeSitemap(address) {
		read = s.Sitemap
	}
	report, err := read(ctx, address, add)
	switch {
	case err != nil:
		return knowledge.Listing{}, err
	case len(out.Pages) == 0 && len(report.Problems) > 0:
		return knowledge.Listing{}, fmt.Errorf("no sitemap could be read: %w", report.Problems[0])
	case len(out.Pages) == 0:
		return knowledge.Listing{}, errNoList
	}
	out.Partial = out.Partial || report.Truncated || len(report.Problems) > 0
	return out, nil
}

func looksLikeSitemap(address string) bool {
	u, err := weburl.Parse(address)
	if err != nil {
		return false
	}
	path := strings.ToLower(u.Path)
	return strings.HasSuffix(path, ".xml") || strings.HasSuffix(path, ".xml.gz") || strings.Contains(path, "sitemap")
}

func invalid(err error) error {
	var e *Error
	reason := err.Error()
	if errors.As(err, &e) {
		reason = e.Reason
	}
	return domain.Errorf(domain.Invalid, domain.CodeValidation, "this is no address that can be fetched: %s", reason).At("url")
}

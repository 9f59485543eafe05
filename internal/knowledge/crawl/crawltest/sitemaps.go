package crawltest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
)

// SitemapIndex is the path that robots.txt names. The index lists itself, a file, and
// one that is compressed; the pages are shared out between the two. They also name
// addresses that do not belong in them: of other hosts, and Disallowed.
const SitemapIndex = "/maps/index.xml"

const (
	sitemapPlain  = "/maps/plain.xml"
	sitemapPacked = "/maps/packed.xml.gz"
)

func (s *Site) sitemap(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case SitemapIndex:
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for _, path := range []string{SitemapIndex, sitemapPlain, sitemapPacked, "/maps/lost.xml"} {
			fmt.Fprintf(w, "<sitemap><loc>%s%s</loc></sitemap>", s.URL, path)
		}
		fmt.Fprint(w, "</sitemapindex>")
	case sitemapPlain:
		w.Header().Set("Content-Type", "application/xml")
		s.urlset(w, 0, s.URL+Disallowed, "http://169.254.169.254/latest/meta-data/", "https://elsewhere.test/")
	case sitemapPacked:
		w.Header().Set("Content-Type", "application/gzip")
		z := gzip.NewWriter(w)
		s.urlset(z, 1)
		if err := z.Close(); err != nil {
			panic(http.ErrAbortHandler)
		}
	default:
		http.NotFound(w, r)
	}
}

func (s *Site) urlset(w io.Writer, half int, others ...string) {
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.o.Pages + s.added() {
		if s.isPresent(i) && i%2 == half {
			fmt.Fprintf(w, "<url><loc>%s%s</loc><lastmod>%s</lastmod></url>", s.URL, Path(i), written(s.textOf(i)).Format("2006-01-02"))
		}
	}
	for _, other := range others {
		fmt.Fprintf(w, "<url><loc>%s</loc></url>", other)
	}
	fmt.Fprint(w, "</urlset>")
}

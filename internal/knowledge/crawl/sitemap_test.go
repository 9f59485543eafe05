package crawl

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func pack(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const oneURL = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> http://a/?x=1&amp;y=2
</loc><lastmod>2026-03-04</lastmod><priority>1</priority></url></urlset>`

func TestParseSitemap(t *testing.T) {
	t.Parallel()
	page := sitemapEntry{loc: "http://a/?x=1&y=2", lastMod: "2026-03-04"}
	for name, c := range map[string]struct {
		text string
		want []sitemapEntry
		err  string // part of it
	}{
		"pages":      {oneURL, []sitemapEntry{page}, ""},
		"compressed": {pack(t, oneURL), []sitemapEntry{page}, ""},
		"an index": {`<sitemapindex><sitemap><loc>http://a/1.xml</loc><lastmod>2026</lastmod></sitemap><sitemap><loc>http://a/2.xml</loc></sitemap></sitemapindex>`,
			[]sitemapEntry{{"http://a/1.xml", "2026", true}, {"http://a/2.xml", "", true}}, ""},
		"images of a page": {`<urlset xmlns:image="i"><url><image:image><image:loc>http://a/p.png</image:loc></image:image><loc>http://a/</loc></url><url><image:loc>x</image:loc></url></urlset>`,
			[]sitemapEntry{{loc: "http://a/"}, {loc: "x"}}, ""},
		"text":                     {"\xef\xbb\xbfhttp://a/1\r\n\n https://a/2 \n", []sitemapEntry{{loc: "http://a/1"}, {loc: "https://a/2"}}, ""},
		"RSS":                      {`<rss><channel><link>http://a/</link><item><link>http://a/1</link><pubDate>Wed, 04 Mar 2026 10:00:00 GMT</pubDate></item></channel></rss>`, []sitemapEntry{{loc: "http://a/1", lastMod: "Wed, 04 Mar 2026 10:00:00 GMT"}}, ""},
		"Atom":                     {`<feed><link href="http://a/"/><entry><link rel="edit" href="http://a/e"/><link href="http://a/1"/><updated>2026-03-04T10:00:00Z</updated></entry></feed>`, []sitemapEntry{{loc: "http://a/1", lastMod: "2026-03-04T10:00:00Z"}}, ""},
		"no entries":               {"<urlset></urlset>", nil, ""},
		"another charset":          {"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://a/\xfc</loc></url></urlset>", []sitemapEntry{{loc: "http://a/ü"}}, ""},
		"HTML":                     {"<!DOCTYPE html><html></html>", nil, "document type"},
		"another XML":              {"<svg></svg>", nil, `its root is "svg"`},
		"entities":                 {`<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>&a;</loc></url></urlset>`, nil, "document type"},
		"an entity without a type": {`<urlset><url><loc>&a;</loc></url></urlset>`, nil, "not XML"},
		"a later type":             {`<urlset><url><loc>http://a/</loc></url><!DOCTYPE x></urlset>`, []sitemapEntry{{loc: "http://a/"}}, "document type"},
		"one that breaks off":      {`<urlset><url><loc>http://a/</loc></url><url><lo`, []sitemapEntry{{loc: "http://a/"}}, "it breaks off after 1 entries"},
		"nested without end":       {"<urlset>" + strings.Repeat("<a>", 1_000), nil, "without end"},
		"nothing":                  {"", nil, ""},
		"a comment":                {"<!-- x -->", nil, "an empty file"},
		"other text":               {"hello", nil, "neither XML"},
		"broken gzip":              {"\x1f\x8bxxxx", nil, "not gzip"},
	} {
		var got []sitemapEntry
		err := parseSitemap([]byte(c.text), func(e sitemapEntry) error {
			got = append(got, e)
			return nil
		})
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestGunzip_Limit(t *testing.T) {
	t.Parallel()
	packed := []byte(pack(t, strings.Repeat("x", 10_000)))
	if text, err := gunzip(packed, 10_000); err != nil || len(text) != 10_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if text, err := gunzip(packed, 9_999); err == nil {
		t.Errorf("%d bytes", len(text))
	}
}

func TestParseSitemap_Limit(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"XML":  "<urlset>" + strings.Repeat("<url><loc>http://a/</loc></url>", maxSitemapEntries+1) + "</urlset>",
		"text": strings.Repeat("http://a/\n", maxSitemapEntries+1),
	} {
		n := 0
		err := parseSitemap([]byte(text), func(sitemapEntry) error { n++; return nil })
		if !errors.Is(err, errManyEntries) || n != maxSitemapEntries {
			t.Errorf("%s: %d entries, %v", name, n, err)
		}
	}
}

func FuzzParseSitemap(f *testing.F) {
	f.Add([]byte(oneURL))
	f.Add([]byte(pack(f, oneURL)))
	f.Add([]byte("<feed><entry><link/></entry></feed>"))
	f.Add([]byte("http://a/\nhttp://b/"))
	f.Add([]byte("<urlset></urlset></urlset><url>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		_ = parseSitemap(text, func(e sitemapEntry) error {
			if e.loc == "" {
				t.Fatal("an entry without an address")
			}
			parseLastMod(e.lastMod)
			n++
			return nil
		})
		if n > maxSitemapEntries {
			t.Fatalf("%d entries", n)
		}
	})
}

func TestParseLastMod(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]time.Time{
		"2026-03-04": time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), "2026-03-04T10:20:30+02:00": time.Date(2026, 3, 4, 8, 20, 30, 0, time.UTC),
		"2026-03-04T10:20Z": time.Date(2026, 3, 4, 10, 20, 0, 0, time.UTC), "2026-03": time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"Wed, 04 Mar 2026 10:00:00 GMT": time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC), "": {}, "yesterday": {},
	} {
		if got := parseLastMod(s); !got.Equal(want) {
			t.Errorf("%q is %s", s, got)
		}
	}
}

// files serves files by path, everything else is 404.
func files(t *testing.T, files map[string]string) *Fetcher {
	t.Helper()
	n := &internet{
		names: map[string][]string{"site.example": {public}, "cdn.example": {public}, "inside.example": {"10.0.0.1"}},
		servers: map[string]*httptest.Server{public: serve(t, func(w http.ResponseWriter, r *http.Request) {
			text, ok := files[r.URL.Path]
			if !ok {
				http.NotFound(w, r)
				return
			}
			fmt.Fprint(w, text)
		})},
	}
	return n.fetcher(Options{})
}

func index(addresses ...string) string {
	return "<sitemapindex><sitemap><loc>" + strings.Join(addresses, "</loc></sitemap><sitemap><loc>") + "</loc></sitemap></sitemapindex>"
}

func TestSitemaps(t *testing.T) {
	t.Parallel()
	many := map[string]string{"/sitemap.xml": ""}
	var all []string
	for i := range maxSitemaps + 10 {
		path := fmt.Sprintf("/%d.txt", i)
		many[path] = fmt.Sprintf("http://site.example/page-%d", i)
		all = append(all, "http://site.example"+path)
	}
	many["/sitemap.xml"] = index(all...)
	for name, c := range map[string]struct {
		files   map[string]string
		entries int
		report  SitemapReport // without its problems
		codes   []Code        // of the problems
		err     Code
	}{
		"none":                {nil, 0, SitemapReport{}, nil, NotFound},
		"where it usually is": {map[string]string{"/sitemap.xml": "http://site.example/a\nhttp://www.site.example/b"}, 2, SitemapReport{Files: 1, Entries: 2}, nil, ""},
		"where an index usually is": {map[string]string{"/sitemap_index.xml": index("http://site.example/a.txt"), "/a.txt": "http://site.example/a"},
			1, SitemapReport{Files: 2, Entries: 1}, nil, ""},
		"a page instead of it": {map[string]string{"/sitemap.xml": "<!doctype html>", "/sitemap_index.xml": "<html>"}, 0, SitemapReport{}, []Code{BadSitemap, BadSitemap}, BadSitemap},
		"named by robots.txt": {map[string]string{"/robots.txt": "Sitemap: http://cdn.example/map.txt\nSitemap: /other.txt", "/map.txt": "http://site.example/a", "/other.txt": "http://site.example/b", "/sitemap.xml": "http://site.example/c"},
			2, SitemapReport{Files: 2, Entries: 2}, nil, ""},
		"a lost one in robots.txt": {map[string]string{"/robots.txt": "Sitemap: /lost.xml\nSitemap: %zz://", "/sitemap.xml": "http://site.example/c"}, 1, SitemapReport{Files: 1, Entries: 1}, []Code{NotFound, BadURL}, ""},
		"disallowed":               {map[string]string{"/robots.txt": "User-agent: *\nDisallow: /", "/sitemap.xml": "http://site.example/c"}, 0, SitemapReport{}, []Code{Robots, Robots}, Robots},
		"inside":                   {map[string]string{"/robots.txt": "Sitemap: http://inside.example/map.txt"}, 0, SitemapReport{}, []Code{RefusedAddress}, RefusedAddress},
		"entries of others": {map[string]string{"/sitemap.xml": "http://other.example/\nhttp://10.0.0.1/\nhttp://sub.site.example/\nhttp://site.example/a\nhttp://u:p@site.example/"},
			1, SitemapReport{Files: 1, Entries: 1, LeftOut: 4}, nil, ""},
		"files of others": {map[string]string{"/sitemap.xml": index("http://10.0.0.1/a.xml", "http://cdn.example/a.txt", "ftp://site.example/", "/a.txt"), "/a.txt": "http://site.example/a"},
			1, SitemapReport{Files: 2, Entries: 1, LeftOut: 3}, nil, ""},
		"loops":               {map[string]string{"/sitemap.xml": index("/sitemap.xml", "/b.xml"), "/b.xml": index("/sitemap.xml", "/b.xml", "/a.txt"), "/a.txt": "http://site.example/a"}, 1, SitemapReport{Files: 3, Entries: 1}, nil, ""},
		"levels":              {map[string]string{"/sitemap.xml": index("/2.xml"), "/2.xml": index("/3.xml"), "/3.xml": index("/4.txt"), "/4.txt": "http://site.example/a"}, 0, SitemapReport{Files: 3, Truncated: true}, nil, ""},
		"one that breaks off": {map[string]string{"/sitemap.xml": "<urlset><url><loc>http://site.example/a</loc></url><url>"}, 1, SitemapReport{Files: 1, Entries: 1}, []Code{BadSitemap}, ""},
		"too many files":      {many, maxSitemaps - 1, SitemapReport{Files: maxSitemaps, Entries: maxSitemaps - 1, Truncated: true}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			report, err := files(t, c.files).Sitemaps(t.Context(), "http://site.example/some/page", func(Entry) error { n++; return nil })
			var codes []Code
			for _, p := range report.Problems {
				codes = append(codes, CodeOf(p))
			}
			if CodeOf(err) != c.err || !slices.Equal(codes, c.codes) || n != c.entries {
				t.Errorf("%d entries, problems %v, %v", n, report.Problems, err)
			}
			report.Problems = nil
			if fmt.Sprint(report) != fmt.Sprint(c.report) {
				t.Errorf("%+v, want %+v", report, c.report)
			}
		})
	}
}

func TestSitemaps_EndWhenToldTo(t *testing.T) {
	t.Parallel()
	f := files(t, map[string]string{"/sitemap.xml": index("/a.txt", "/b.txt"), "/a.txt": "http://site.example/1\nhttp://site.example/2", "/b.txt": "http://site.example/3"})
	mine := errors.New("mine")
	for told, want := range map[error]error{ErrEnough: nil, mine: mine} {
		n := 0
		_, err := f.Sitemaps(t.Context(), "http://site.example", func(Entry) error { n++; return told })
		if !errors.Is(err, want) || n != 1 {
			t.Errorf("%v: %d entries, %v", told, n, err)
		}
	}
}

// A file that a public index lists is not read inside, though its host has moved there
// and the address is allowed.
func TestSitemaps_AHostThatTurnsInside(t *testing.T) {
	t.Parallel()
	const inside = "10.1.0.5"
	n := &internet{
		names: map[string][]string{"site.example": {public, public, inside}}, // robots.txt, the index
		servers: map[string]*httptest.Server{
			public: serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, index("/a.txt")) }),
			inside: serve(t, says("http://site.example/secret")),
		},
	}
	f := n.fetcher(Options{Allow: []netip.Prefix{netip.MustParsePrefix(inside + "/32")}})
	report, err := f.Sitemap(t.Context(), "http://site.example/sitemap.xml", func(Entry) error { return nil })
	if err != nil || report.Entries > 0 || len(report.Problems) != 1 || CodeOf(report.Problems[0]) != RefusedAddress || n.hits(inside) > 0 {
		t.Errorf("%+v, %v, dialled %v", report, err, n.dialled)
	}
}

func TestSitemap_OneFile(t *testing.T) {
	t.Parallel()
	f := files(t, map[string]string{"/maps/news.xml": index("more.txt"), "/maps/more.txt": "http://site.example/1"})
	var got []Entry
	_, err := f.Sitemap(t.Context(), "http://site.example/maps/news.xml", func(e Entry) error { got = append(got, e); return nil })
	want := []Entry{{URL: "http://site.example/1", Sitemap: "http://site.example/maps/more.txt"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := f.Sitemap(t.Context(), "http://site.example/lost.xml", func(Entry) error { return nil }); CodeOf(err) != NotFound {
		t.Error(err)
	}
}

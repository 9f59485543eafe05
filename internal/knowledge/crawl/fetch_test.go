package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/knowledge/crawl/crawltest"
)

func newSite(t *testing.T, o crawltest.Options) (*crawltest.Site, *crawltest.Clock, *Fetcher) {
	t.Helper()
	clock := &crawltest.Clock{}
	o.Now = clock.Now
	site := crawltest.New(t, o)
	return site, clock, New(localOptions(site, clock))
}

func TestGet_WhatIsNoPage(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 5})
	for path, code := range map[string]Code{
		crawltest.Disallowed: Robots, crawltest.Huge: TooLarge, crawltest.RealPicture: UnsupportedType,
		crawltest.Round: TooManyRedirects, crawltest.Chain: TooManyRedirects, "/no-such-page": NotFound,
	} {
		_, err := f.Get(t.Context(), Request{URL: site.URL + path})
		if e := failure(t, err, code); e.Temporary {
			t.Errorf("%s: %v is to be tried again", path, e)
		}
	}
	if n := site.Requests(crawltest.Disallowed); n > 0 {
		t.Errorf("the disallowed page was asked for %d times", n)
	}
	if n := site.Requests(crawltest.Round); n > 1 {
		t.Errorf("a page was asked for %d times, in circles", n)
	}
	if n := site.Requests("/chain/12"); n > 0 {
		t.Error("the chain was followed for too long")
	}
}

func TestGet_RefusesRedirects(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 5})
	for path, to := range site.Refused() {
		want := RefusedAddress
		if slices.Contains([]string{"/refused/port", "/refused/scheme", "/refused/user"}, path) {
			want = BadURL
		}
		_, err := f.Get(t.Context(), Request{URL: site.URL + path})
		if CodeOf(err) != want {
			t.Errorf("%s to %s: %v, want %s", path, to, err, want)
		}
	}
	if n := site.Requests("/"); n > 0 {
		t.Errorf("the site was reached %d times by an address that is not allowed", n)
	}
}

func TestGet_Pages(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 5})
	for path, want := range map[string]Response{
		"/":                     {MediaType: "text/html", Charset: "utf-8"},
		crawltest.Moved:         {URL: site.URL + crawltest.Path(1), Redirects: []string{site.URL + crawltest.Moved}, MediaType: "text/html", Charset: "utf-8"},
		crawltest.Picture:       {MediaType: "text/html"},
		crawltest.Unknown:       {MediaType: "application/octet-stream"},
		crawltest.Archive:       {MediaType: "application/zip"},
		crawltest.CharsetHeader: {MediaType: "text/html", Charset: "iso-8859-1"},
		crawltest.QuietHeader:   {MediaType: "text/html", Charset: "utf-8", NoIndex: true},
	} {
		got, err := f.Get(t.Context(), Request{URL: site.URL + path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if want.URL == "" {
			want.URL = site.URL + path
		}
		if got.URL != want.URL || !slices.Equal(got.Redirects, want.Redirects) || got.MediaType != want.MediaType ||
			got.Charset != want.Charset || got.NoIndex != want.NoIndex || got.Status != 200 || len(got.Body) == 0 || got.FetchedAt.IsZero() {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestGet_NotModified(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 12})
	// 1 and 11 change, the second has Last-Modified as all odd ones.
	kept := map[int]Response{}
	for _, i := range []int{2, 3, 11} {
		got, err := f.Get(t.Context(), Request{URL: site.URL + crawltest.Path(i)})
		if err != nil {
			t.Fatal(err)
		}
		kept[i] = got
	}
	site.Change()
	for i, before := range kept {
		got, err := f.Get(t.Context(), Request{URL: before.URL, ETag: before.ETag, LastModified: before.LastModified})
		if err != nil {
			t.Fatal(err)
		}
		if same := i != 11; got.NotModified != same || (len(got.Body) == 0) != same {
			t.Errorf("page %d: %+v", i, got)
		}
	}
}

// Get returns while the server still sends.
func TestGet_Trickle(t *testing.T) {
	t.Parallel()
	site := crawltest.New(t, crawltest.Options{Pages: 5})
	o := localOptions(site, &crawltest.Clock{})
	o.Timeout = 300 * time.Millisecond
	_, err := New(o).Get(t.Context(), Request{URL: site.URL + crawltest.Trickle})
	if e := failure(t, err, Timeout); !e.Temporary {
		t.Error("it is not to be tried again")
	}
}

func TestGet_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 5})
	if _, err := f.Get(t.Context(), Request{URL: site.URL}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Get(ctx, Request{URL: site.URL}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := f.Get(t.Context(), Request{URL: site.URL}); err != nil {
		t.Errorf("the place at the host was not given back: %v", err)
	}
}

func TestGet_EndsWithItsContextMeanwhile(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]bool{"before the answer": false, "within the body": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			n := bodies(t, func(w http.ResponseWriter, r *http.Request) {
				if begun {
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Error(err)
					}
				}
				cancel()
				<-r.Context().Done()
			})
			_, err := n.fetcher(Options{}).Get(ctx, Request{URL: "http://site.example/"})
			if !errors.Is(err, context.Canceled) || CodeOf(err) != "" {
				t.Error(err)
			}
		})
	}
}

func TestGet_BusyHosts(t *testing.T) {
	t.Parallel()
	site, clock, f := newSite(t, crawltest.Options{Pages: 5, RetryAfter: 2 * time.Minute})
	get := func(path string) error {
		_, err := f.Get(t.Context(), Request{URL: site.URL + path})
		return err
	}
	e := failure(t, get(crawltest.Busy), Busy)
	if !e.Temporary || e.RetryAfter != 2*time.Minute || e.Status != http.StatusTooManyRequests {
		t.Errorf("got %+v", e)
	}
	// Too long to wait for, and nobody is asked.
	before := site.Total()
	if e := failure(t, get("/"), Busy); e.RetryAfter <= 0 || site.Total() != before {
		t.Errorf("%d requests meanwhile, %+v", site.Total()-before, e)
	}
	// What is left is waited for.
	clock.Advance(100 * time.Second)
	start := clock.Now()
	if err := get(crawltest.Busy); err != nil {
		t.Fatal(err)
	}
	if waited := clock.Now().Sub(start); waited != 20*time.Second {
		t.Errorf("waited %s", waited)
	}
}

func TestGet_Heals(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 5})
	for range 2 {
		_, err := f.Get(t.Context(), Request{URL: site.URL + crawltest.Heals})
		if e := failure(t, err, BadStatus); !e.Temporary || e.Status != 500 {
			t.Errorf("got %+v", e)
		}
	}
	if _, err := f.Get(t.Context(), Request{URL: site.URL + crawltest.Heals}); err != nil {
		t.Error(err)
	}
}

// bodies serves one answer at every path but robots.txt.
func bodies(t *testing.T, h http.HandlerFunc) *internet {
	t.Helper()
	return &internet{
		names: map[string][]string{"site.example": {public}},
		servers: map[string]*httptest.Server{public: serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			h(w, r)
		})},
	}
}

func TestGet_Limits(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	packed := func(n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, strings.Repeat("x", n))
		z.Close()
		return b.Bytes()
	}
	coded := func(coding string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			fmt.Fprintf(w, "%s", body)
		}
	}
	plain := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", n)) }
	}
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		code Code
		size int
	}{
		"as much as may be": {plain(limit), "", limit}, "a byte more": {plain(limit + 1), TooLarge, 0},
		"compressed": {coded("gzip", packed(limit)), "", limit}, "more after decompression": {coded("gzip", packed(1_000_000)), TooLarge, 0},
		"another coding": {coded("br", []byte("x")), UnsupportedType, 0}, "not the coding it says": {coded("gzip", []byte("xxxxxxxxxxxxxxxxxx")), Unreachable, 0},
		"a body that breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "x")
		}, Unreachable, 0},
		"headers without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 2*maxHeader))
		}, Unreachable, 0},
	} {
		got, err := bodies(t, c.h).fetcher(Options{MaxBytes: limit}).Get(t.Context(), Request{URL: "http://site.example/"})
		if CodeOf(err) != c.code || len(got.Body) != c.size {
			t.Errorf("%s: %d bytes, %v", name, len(got.Body), err)
		}
	}
}

func TestGet_BadURLs(t *testing.T) {
	t.Parallel()
	n := &internet{}
	for _, at := range []string{
		"", "/a", "ftp://site.example/", "file:///etc/passwd", "http://", "http://user@site.example/", "http://site.example:22/",
		"https://site.example:99999/", "gopher://site.example/", "http://site.example/" + strings.Repeat("a", 4*MaxURL),
	} {
		_, err := n.fetcher(Options{}).Get(t.Context(), Request{URL: at})
		if CodeOf(err) != BadURL {
			t.Errorf("%.50q: %v", at, err)
		}
	}
	_, err := n.fetcher(Options{}).Get(t.Context(), Request{URL: "http://no-such.example/"})
	if e := failure(t, err, Unreachable); e.Temporary {
		t.Error("a name that does not exist is to be tried again")
	}
}

// The certificate has to be of the host, and of an authority that is known.
func TestGet_Certificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(says("hello"))
	t.Cleanup(server.Close)
	n := &internet{
		names:   map[string][]string{"example.com": {public}, "site.example": {public}},
		servers: map[string]*httptest.Server{public: server},
	}
	known := n.fetcher(Options{})
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	known.http.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	if got, err := known.Get(t.Context(), Request{URL: "https://example.com/"}); err != nil || string(got.Body) != "hello" {
		t.Errorf("%q, %v", got.Body, err)
	}
	for at, f := range map[string]*Fetcher{"https://site.example/": known, "https://example.com/": n.fetcher(Options{})} {
		_, err := f.Get(t.Context(), Request{URL: at})
		if e := failure(t, err, Unreachable); e.Temporary {
			t.Errorf("%s is to be tried again", at)
		}
	}
}

func TestRobotsTag(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][2]bool{
		"": {}, "noindex": {true, false}, "NoFollow": {false, true}, "none": {true, true}, "noindex, nofollow": {true, true},
		"googlebot: noindex": {}, "stepledger: noindex, nofollow": {true, true}, "otherbot: noindex, nofollow": {},
		"unavailable_after: 25 Jun 2030 15:00:00 PST, noindex": {true, false}, "unavailable_after: Tue, 25 Jun 2030 15:00:00 GMT, noindex": {true, false}, "max-snippet: 5": {}, "*: noindex": {true, false},
	} {
		if i, f := robotsTag([]string{header}); [2]bool{i, f} != want {
			t.Errorf("%q is %t, %t", header, i, f)
		}
	}
}

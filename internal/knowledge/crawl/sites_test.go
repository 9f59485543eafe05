package crawl

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// answering is a site that answers every page in the same way, and another that is busy.
func answering(t *testing.T, h http.HandlerFunc) Sites {
	t.Helper()
	n := bodies(t, h)
	const other = "93.184.216.35"
	n.names["other.example"] = []string{other}
	n.servers[other] = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	return Sites{n.fetcher(Options{MaxBytes: 1000})}
}

// Only what a site says about a page leaves it out; what is or may be a fault of the site is a
// failure.
func TestVisit_Outcomes(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	to := func(address string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address, http.StatusFound) }
	}
	header := func(name, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, value)
			fmt.Fprint(w, "hello")
		}
	}
	for name, c := range map[string]struct {
		h       http.HandlerFunc
		outcome knowledge.Outcome
		code    Code
		after   time.Duration
	}{
		"a page": {header("Content-Type", "text/html"), knowledge.Received, "", 0},
		"404":    {status(404), knowledge.Gone, NotFound, 0}, "410": {status(410), knowledge.Gone, NotFound, 0},
		"401": {status(401), knowledge.Failed, BadStatus, 0}, "403": {status(403), knowledge.Failed, BadStatus, 0},
		"451": {status(451), knowledge.Failed, BadStatus, 0}, "400": {status(400), knowledge.Failed, BadStatus, 0},
		"500": {status(500), knowledge.Failed, BadStatus, 0}, "501": {status(501), knowledge.Failed, BadStatus, 0},
		"503": {status(503), knowledge.Failed, Busy, busyPause},
		"429": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}, knowledge.Failed, Busy, 2 * time.Minute},
		"a circle":               {to("/"), knowledge.Failed, TooManyRedirects, 0},
		"a picture":              {header("Content-Type", "image/png"), knowledge.LeftOut, UnsupportedType, 0},
		"not to be kept":         {header("X-Robots-Tag", "noindex"), knowledge.LeftOut, NoIndex, 0},
		"an address inside":      {to("http://127.0.0.1/"), knowledge.LeftOut, RefusedAddress, 0},
		"no address":             {to("ftp://site.example/"), knowledge.LeftOut, BadURL, 0},
		"another site's, busy":   {to("http://other.example/"), knowledge.Failed, Busy, 0},
		"a connection that ends": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, knowledge.Failed, Unreachable, 0},
	} {
		got, err := answering(t, c.h).Visit(t.Context(), knowledge.Fetch{URL: "http://site.example/", Site: "http://site.example/"})
		if err != nil || got.Outcome != c.outcome || got.Code != string(c.code) || got.RetryAfter != c.after {
			t.Errorf("%s: %s, %q, after %s, %v; want %s, %q, after %s", name, got.Outcome, got.Code, got.RetryAfter, err, c.outcome, c.code, c.after)
		}
	}
}

func TestVisit_TooLarge(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(knowledge.MaxBytes+1))
		fmt.Fprint(w, "hello")
	})
	got, err := s.Visit(t.Context(), knowledge.Fetch{URL: "http://site.example/"})
	if err != nil || got.Outcome != knowledge.LeftOut || got.Code != string(TooLarge) {
		t.Errorf("%s, %q, %v", got.Outcome, got.Code, err)
	}
}

// A page that robots.txt disallows is left out; with a robots.txt that cannot be read it fails,
// and the site is left alone for as long as nothing is known.
func TestVisit_Robots(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		h       http.HandlerFunc
		outcome knowledge.Outcome
		code    Code
		after   time.Duration
	}{
		"disallowed": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /") }, knowledge.LeftOut, Robots, 0},
		"unreadable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, knowledge.Failed, Robots, robotsRetry},
		"busy": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, knowledge.Failed, Busy, time.Hour},
	} {
		n, _ := robotsSite(t, c.h)
		got, err := Sites{n.fetcher(Options{})}.Visit(t.Context(), knowledge.Fetch{URL: "http://site.example/a", Site: "http://site.example/"})
		if err != nil || got.Outcome != c.outcome || got.Code != string(c.code) || got.RetryAfter != c.after {
			t.Errorf("%s: %s, %q, after %s, %v", name, got.Outcome, got.Code, got.RetryAfter, err)
		}
	}
}

func TestVisit_ACertificateThatIsNoneFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(says("hello"))
	t.Cleanup(server.Close)
	n := &internet{names: map[string][]string{"site.example": {public}}, servers: map[string]*httptest.Server{public: server}}
	got, err := Sites{n.fetcher(Options{})}.Visit(t.Context(), knowledge.Fetch{URL: "https://site.example/"})
	if err != nil || got.Outcome != knowledge.Failed || got.Code != string(Unreachable) {
		t.Errorf("%s, %q, %v", got.Outcome, got.Code, err)
	}
}

// A list is partial when a page may be missing in it, and only then.
func TestList_Partial(t *testing.T) {
	t.Parallel()
	const a, b = "http://site.example/a", "http://site.example/b"
	for name, c := range map[string]struct {
		files   map[string]string
		most    int
		want    []string
		partial bool
	}{
		"all":                    {map[string]string{"/sitemap.xml": a + "\n" + b}, 3, []string{a, b}, false},
		"just as many":           {map[string]string{"/sitemap.xml": a + "\n" + b}, 2, []string{a, b}, false},
		"just as many, repeated": {map[string]string{"/sitemap.xml": a + "\n" + b + "\n" + a}, 2, []string{a, b}, false},
		"one more":               {map[string]string{"/sitemap.xml": a + "\n" + b}, 1, []string{a}, true},
		"the second guess":       {map[string]string{"/sitemap_index.xml": index("/a.txt"), "/a.txt": a}, 3, []string{a}, false},
		"a file that is lost":    {map[string]string{"/sitemap.xml": index("/a.txt", "/lost.txt"), "/a.txt": a}, 3, []string{a}, true},
		"one that breaks off":    {map[string]string{"/sitemap.xml": "<urlset><url><loc>" + a + "</loc></url><url>"}, 3, []string{a}, true},
		"too many levels": {map[string]string{"/sitemap.xml": index("/2.xml", "/a.txt"), "/2.xml": index("/3.xml"), "/3.xml": index("/4.txt"), "/4.txt": b, "/a.txt": a},
			3, []string{a}, true},
	} {
		got, err := Sites{files(t, c.files)}.List(t.Context(), "http://site.example/", c.most)
		if err != nil || !slices.Equal(got.Pages, c.want) || got.Partial != c.partial {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

package crawl

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/knowledge/crawl/crawltest"
)

func TestParseRobots(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file              string
		allowed, disallow []string
	}{
		"nothing":                          {"", []string{"/", "/a"}, nil},
		"a page that is no robots.txt":     {"<html><body>Disallow: /</body></html>", []string{"/a"}, nil},
		"everybody":                        {"User-agent: *\nDisallow: /a", []string{"/", "/b"}, []string{"/a", "/ab", "/a/b", "/a?b"}},
		"others":                           {"User-agent: Other\nDisallow: /", []string{"/a"}, nil},
		"our own rules alone":              {"User-agent: *\nDisallow: /\n\nUser-agent: stepledger\nDisallow: /a", []string{"/b"}, []string{"/a"}},
		"our own, which are none":          {"User-agent: *\nDisallow: /\n\nUser-agent: Stepledger\nDisallow:", []string{"/a"}, nil},
		"a version in the name":            {"User-agent: Stepledger/2.0\nDisallow: /a", []string{"/b"}, []string{"/a"}},
		"a name that ours begins with":     {"User-agent: Step\nDisallow: /", []string{"/a"}, nil},
		"a name that begins with ours":     {"User-agent: Stepledgerbot\nDisallow: /", []string{"/a"}, nil},
		"several names":                    {"User-agent: a\nUser-agent: Stepledger\nUser-agent: b\nDisallow: /a", []string{"/b"}, []string{"/a"}},
		"a name after rules":               {"User-agent: Stepledger\nDisallow: /a\nUser-agent: b\nDisallow: /b", []string{"/b"}, []string{"/a"}},
		"two groups of ours":               {"User-agent: Stepledger\nDisallow: /a\n\nUser-agent: b\nDisallow: /c\n\nUser-agent: Stepledger\nDisallow: /b", []string{"/c"}, []string{"/a", "/b"}},
		"the longest rule":                 {"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", []string{"/a/b", "/a/bc"}, []string{"/a", "/a/c", "/a/b/c"}},
		"of equals the one that allows":    {"User-agent: *\nDisallow: /a\nAllow: /a", []string{"/a"}, nil},
		"a wildcard begins at the path":    {"User-agent: *\nDisallow: /a*.pdf", []string{"/x/a1.pdf"}, []string{"/a1.pdf", "/a/b.pdf?x"}},
		"the end":                          {"User-agent: *\nDisallow: /*.pdf$", []string{"/a.pdfx", "/a.pdf?x"}, []string{"/a.pdf", "/a.pdf/b.pdf"}},
		"the end of a plain path":          {"User-agent: *\nDisallow: /a$", []string{"/ab"}, []string{"/a"}},
		"wildcards around the end":         {"User-agent: *\nDisallow: *x*y*$", []string{"/yx"}, []string{"/axbyc"}},
		"all but the home page":            {"User-agent: *\nDisallow: /\nAllow: /$", []string{"/"}, []string{"/a"}},
		"escapes":                          {"User-agent: *\nDisallow: /b%61r\nDisallow: /ü\nDisallow: /%7euser\nDisallow: /x%2fy", []string{"/x/y"}, []string{"/bar", "/%C3%BC", "/%c3%bc", "/~user", "/x%2Fy"}},
		"lines that are none":              {"Disallow: /early\nCrawl-delay: x\nfoo\nUser-agent: *\nCrawl-delay:\nnonsense: 1\nDisallow: /a # why\n", []string{"/early", "/b"}, []string{"/a"}},
		"other ends of lines, a mark":      {"\xef\xbb\xbfUser-agent: *\rDisallow: /a\r\nDisallow: /b", []string{"/c"}, []string{"/a", "/b"}},
		"blanks and cases":                 {"  USER-AGENT :  *  \n\tdisAllow\t:/a b\n", []string{"/a"}, []string{"/a%20b"}},
		"a sitemap does not end the names": {"User-agent: a\nSitemap: http://x/\nUser-agent: Stepledger\nDisallow: /a", nil, []string{"/a"}},
		"robots.txt itself":                {"User-agent: *\nDisallow: /", []string{"/robots.txt"}, []string{"/"}},
		"without a slash":                  {"User-agent: *\nDisallow: a", []string{"/b"}, []string{"/a"}},
	} {
		file := parseRobots([]byte(c.file))
		for _, path := range c.allowed {
			if !file.allows(path) {
				t.Errorf("%s: %s is disallowed", name, path)
			}
		}
		for _, path := range c.disallow {
			if file.allows(path) {
				t.Errorf("%s: %s is allowed", name, path)
			}
		}
	}
}

func TestParseRobots_DelaysAndSitemaps(t *testing.T) {
	t.Parallel()
	file := parseRobots([]byte("Sitemap: http://x.example/a.xml\nUser-agent: Stepledger\nCrawl-delay: 2.5\nUser-agent: *\nCrawl-delay: 9\nsitemap: /b.xml\nSitemap:\n"))
	if file.delay != 2500*time.Millisecond {
		t.Errorf("the delay is %s", file.delay)
	}
	if want := []string{"http://x.example/a.xml", "/b.xml"}; !slices.Equal(file.sitemaps, want) {
		t.Errorf("the sitemaps are %v", file.sitemaps)
	}
	for _, delay := range []string{"-1", "NaN", "Inf", "1e300", "x"} {
		if got := parseRobots([]byte("User-agent: *\nCrawl-delay: " + delay)).delay; got < 0 {
			t.Errorf("%s is %s", delay, got)
		}
	}
}

// What is over the limit is left out from the last whole line on.
func TestParseRobots_Limit(t *testing.T) {
	t.Parallel()
	text := []byte("User-agent: *\nDisallow: /a\n")
	text = append(text, bytes.Repeat([]byte("#"), maxRobots-len(text)-len("\nDisallow: /"))...)
	file := parseRobots(append(text, "\nDisallow: /long\nDisallow: /b"...))
	if file.allows("/a") || !file.allows("/x") || !file.allows("/long") {
		t.Errorf("the rules are %v", file.rules)
	}
}

// robotsSite answers robots.txt by a function and everything else with a page.
func robotsSite(t *testing.T, robots http.HandlerFunc) (*internet, *int) {
	t.Helper()
	asked := new(int)
	return &internet{
		names: map[string][]string{"site.example": {public}},
		servers: map[string]*httptest.Server{public: serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/robots") {
				*asked++
				robots(w, r)
				return
			}
			fmt.Fprint(w, "hello")
		})},
	}, asked
}

func TestGet_RobotsByStatus(t *testing.T) {
	t.Parallel()
	redirects := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if len(r.URL.Path) < len("/robots.txt")+n {
				http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
				return
			}
			fmt.Fprint(w, "User-agent: *\nDisallow: /a")
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, "User-agent: *\nDisallow: /a")
		}
	}
	for name, c := range map[string]struct {
		robots http.HandlerFunc
		code   Code // of getting /a, "" for none
		later  bool
	}{
		"200": {status(200), Robots, false}, "404": {status(404), "", false}, "410": {status(410), "", false},
		"401": {status(401), "", false}, "403": {status(403), "", false},
		"429": {status(429), Busy, true}, "503": {status(503), Busy, true}, "500": {status(500), Robots, true}, "502": {status(502), Robots, true},
		"5 redirects": {redirects(5), Robots, false}, "6 redirects": {redirects(6), "", false},
		"a redirect to nowhere": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "ftp://x/", http.StatusFound) }, Robots, true},
		"a lost connection":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Unreachable, true},
		"a picture by its type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "User-agent: *\nDisallow: /a")
		}, Robots, false},
		"one that is too long": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "User-agent: *\nDisallow: /a\n"+strings.Repeat("# and so on\n", maxRobots/10))
		}, Robots, false},
	} {
		n, _ := robotsSite(t, c.robots)
		_, err := n.fetcher(Options{}).Get(t.Context(), Request{URL: "http://site.example/a"})
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.code != "":
			if e := failure(t, err, c.code); e.Temporary != c.later {
				t.Errorf("%s: temporary is %t", name, e.Temporary)
			}
		}
	}
}

// A robots.txt is good for an hour; one that could not be read is asked for again sooner.
func TestGet_RobotsAreRemembered(t *testing.T) {
	t.Parallel()
	ill := true
	n, asked := robotsSite(t, func(w http.ResponseWriter, _ *http.Request) {
		if ill {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	f := n.fetcher(Options{})
	clock := f.o.Clock.(*crawltest.Clock)
	get := func() error {
		_, err := f.Get(t.Context(), Request{URL: "http://site.example/"})
		return err
	}
	e := failure(t, get(), Robots)
	wantCode(t, get(), Robots)
	if *asked != 1 {
		t.Errorf("asked %d times within the time of a failure", *asked)
	}
	ill = false
	clock.Advance(e.RetryAfter + time.Second)
	for range 3 {
		if err := get(); err != nil {
			t.Fatal(err)
		}
	}
	if *asked != 2 {
		t.Errorf("asked %d times, want once more", *asked)
	}
	clock.Advance(robotsLife)
	if err := get(); err != nil || *asked != 3 {
		t.Errorf("asked %d times after an hour: %v", *asked, err)
	}
}

func TestRobotsCache_IsBounded(t *testing.T) {
	t.Parallel()
	c := robotsCache{byOrigin: map[string]*robotsEntry{}}
	for i := range maxOrigins + 100 {
		c.entry(strconv.Itoa(i))
	}
	if len(c.byOrigin) != maxOrigins {
		t.Errorf("%d origins are remembered", len(c.byOrigin))
	}
}

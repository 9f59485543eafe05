// Package crawltest has a site to crawl: some hundred pages over several depths, a
// robots.txt, sitemaps, and whatever makes crawling hard. It is served from loopback and
// counts what it is asked, so that politeness can be asserted. It is for tests only.
//
// A crawler needs Site.Port among its ports and 127.0.0.1/32, no more, among the
// addresses it may fetch from: the site redirects to others, which have to be refused.
//
// What is hard is linked from Hard, which the home page links to; its paths are the
// constants of this package. All of it ends by itself but Calendar and Trickle, which end
// at a crawler's limits of pages and of time, and are linked only when Options say so.
package crawltest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options are those of a site; the zero value of each is its default.
type Options struct {
	// Pages is how many ordinary pages there are, the home page among them; 500.
	Pages int
	// Calendar links to a calendar without end, Slow to Trickle.
	Calendar, Slow bool
	// RetryAfter is what Busy asks for; 2 s.
	RetryAfter time.Duration
	// Now is the time that pauses and RetryAfter are measured in; time.Now. A test with a
	// Clock gives Clock.Now to have no real pauses.
	Now func() time.Time
}

// Site is a site that is being served. It is safe for concurrent use.
type Site struct {
	// URL is its address, without a slash at the end.
	URL string

	o      Options
	server *httptest.Server
	closed chan struct{}

	mu         sync.Mutex
	generation int
	counts     counts
	busyUntil  time.Time
	healing    int
	sessions   int
}

// New serves a site until the test ends.
func New(t testing.TB, o Options) *Site {
	t.Helper()
	if o.Pages == 0 {
		o.Pages = 500
	}
	if o.RetryAfter == 0 {
		o.RetryAfter = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Site{o: o, closed: make(chan struct{}), counts: counts{paths: map[string]int{}}}
	s.server = httptest.NewServer(s.counted(s.routes()))
	s.URL = s.server.URL
	t.Cleanup(func() {
		close(s.closed)
		s.server.Close()
	})
	return s
}

// Port is the one the site listens on.
func (s *Site) Port() uint16 {
	u, err := url.Parse(s.URL)
	if err != nil {
		panic(err) // httptest's own
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		panic(err)
	}
	return uint16(n)
}

func (s *Site) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", s.page)
	mux.HandleFunc("/robots.txt", s.robots)
	mux.HandleFunc("/maps/", s.sitemap)
	for path, h := range s.hard() {
		mux.HandleFunc(path, h)
	}
	return mux
}

// branches is how many pages each page links to below itself.
const branches = 8

// Path is the path of an ordinary page, from 0, the home page.
func Path(i int) string {
	path := ""
	for ; i > 0; i = (i - 1) / branches {
		path = "/page-" + strconv.Itoa(i) + path
	}
	if path == "" {
		return "/"
	}
	return path
}

// Word is a word that only the ordinary page i has, in the given generation of its text.
func (s *Site) Word(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return word(i, s.textOf(i))
}

func word(i, text int) string { return fmt.Sprintf("zebra%dtext%d", i, text) }

// textOf counts how often the text of a page has changed.
func (s *Site) textOf(i int) int {
	if isChanging(i) {
		return s.generation
	}
	return 0
}

// What Change does to which page. Only pages without others below them go.
func isChanging(i int) bool         { return i%10 == 1 }
func (s *Site) isGoing(i int) bool  { return i%25 == 24 && i*branches+1 >= s.o.Pages }
func (s *Site) isOrphan(i int) bool { return i%50 == 45 && i*branches+1 >= s.o.Pages }
func (s *Site) isListed(i int) bool {
	return i < s.o.Pages+s.added() && (s.generation == 0 || !s.isGoing(i))
}
func (s *Site) isPresent(i int) bool { return i >= 0 && s.isListed(i) }

// added is how many pages are new.
func (s *Site) added() int { return min(s.generation, 1) * 5 }

// Listed are the addresses of the ordinary pages there are, all of which the sitemaps
// name.
func (s *Site) Listed() []string { return s.pages(func(int) bool { return true }) }

// Linked are those that can be reached by links: the sitemaps name some that cannot.
func (s *Site) Linked() []string { return s.pages(func(i int) bool { return !s.isOrphan(i) }) }

func (s *Site) pages(keep func(int) bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for i := range s.o.Pages + s.added() {
		if s.isPresent(i) && keep(i) {
			found = append(found, s.URL+Path(i))
		}
	}
	return found
}

// Changes are the addresses of pages that Change did something to.
type Changes struct{ Changed, Gone, New []string }

// Change makes the site's second generation, once: some pages have another text, some are
// gone, some are new.
func (s *Site) Change() Changes {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation = 1
	var c Changes
	for i := range s.o.Pages + s.added() {
		at := s.URL + Path(i)
		switch {
		case i >= s.o.Pages:
			c.New = append(c.New, at)
		case s.isGoing(i):
			c.Gone = append(c.Gone, at)
		case isChanging(i):
			c.Changed = append(c.Changed, at)
		}
	}
	return c
}

// written is the time of a page's text, for Last-Modified.
func written(text int) time.Time { return time.Date(2026, 1, 1+text, 12, 0, 0, 0, time.UTC) }

// page serves the ordinary pages: those with an even number with an ETag, the others
// with Last-Modified.
func (s *Site) page(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, Session+";") {
		s.session(w, r)
		return
	}
	i := numberOf(r.URL.Path)
	s.mu.Lock()
	present, text := s.isPresent(i), s.textOf(i)
	below := s.below(i)
	s.mu.Unlock()
	if !present {
		http.NotFound(w, r)
		return
	}
	tag, date := fmt.Sprintf(`"page-%d-%d"`, i, text), written(text).Format(http.TimeFormat)
	var same bool
	if i%2 == 0 {
		w.Header().Set("ETag", tag)
		same = r.Header.Get("If-None-Match") == tag
	} else {
		w.Header().Set("Last-Modified", date)
		same = r.Header.Get("If-Modified-Since") == date
	}
	if same {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	links := append([]string{"/", Path(max(0, (i-1)/branches))}, below...)
	if i == 0 {
		links = append(links, Hard, Disallowed, "mailto:office@site.test", "javascript:void(0)", "https://elsewhere.test/")
	}
	html(w, fmt.Sprintf("Page %d", i), fmt.Sprintf("<p>The word of page %d is %s.</p>", i, word(i, text)), links)
}

// numberOf is the number of the page with a path, -1 if there is none.
func numberOf(path string) int {
	if path == "/" {
		return 0
	}
	_, last, _ := strings.Cut(path[strings.LastIndex(path, "/"):], "-")
	i, err := strconv.Atoi(last)
	if err != nil || i <= 0 || Path(i) != path {
		return -1
	}
	return i
}

// below are the paths of the pages that a page links to below itself.
func (s *Site) below(i int) []string {
	var paths []string
	for child := i*branches + 1; child <= (i+1)*branches; child++ {
		if s.isPresent(child) && !s.isOrphan(child) {
			paths = append(paths, Path(child))
		}
	}
	return paths
}

// html writes a page.
func html(w http.ResponseWriter, title, body string, links []string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><html lang=en><head><title>%s</title></head><body><nav>", title)
	for _, to := range slices.Compact(links) {
		fmt.Fprintf(w, "<a href=\"%s\">to %s</a>\n", to, to)
	}
	fmt.Fprintf(w, "</nav><main><h1>%s</h1>%s</main></body></html>", title, body)
}

// robots disallows a part, and more to others.
func (s *Site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: %s\nSitemap: %s%s\n", Disallowed, s.URL, SitemapIndex)
}

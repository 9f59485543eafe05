package crawltest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Paths of what is hard.
const (
	// Hard links to the others, to Calendar and Trickle where Options say so.
	Hard = "/hard"
	// Disallowed is a page that robots.txt disallows.
	Disallowed = "/private/secret"
	// Calendar is a page of a month that links to the next one, for ever.
	Calendar = "/calendar/"
	// Session links to itself with another session id each time, in the query and in the
	// path.
	Session = "/session"
	// Deeper links to a page below itself, for ever.
	Deeper = "/deeper/"
	// Huge is a page of 200 MB.
	Huge = "/huge"
	// Trickle is a page of a byte a second.
	Trickle = "/trickle"
	// Picture is an image that is said to be HTML, RealPicture is said to be one.
	Picture     = "/picture.html"
	RealPicture = "/picture.png"
	// Unknown is HTML that is said to be application/octet-stream; it links to
	// FoundInUnknown.
	Unknown        = "/unknown.bin"
	FoundInUnknown = "/found/unknown"
	// Archive is a ZIP archive.
	Archive = "/archive.zip"
	// Round redirects to itself by another page; Chain redirects more than 10 times;
	// Moved redirects to the page 1.
	Round = "/round/a"
	Chain = "/chain/1"
	Moved = "/moved"
	// Busy answers 429 with Retry-After until that time is over.
	Busy = "/busy"
	// Heals answers 500 twice, then the page.
	Heals = "/heals"
	// Copy and OtherCopy are the same bytes.
	Copy      = "/copy/a"
	OtherCopy = "/copy/b"
	// QuietMeta and QuietHeader ask not to be indexed.
	QuietMeta   = "/quiet/meta"
	QuietHeader = "/quiet/header"
	// Alias gives the page 1 as its canonical address.
	Alias = "/alias"
	// Nested has 100 000 elements within each other, and inside of them a link to
	// FoundInNested.
	Nested        = "/nested"
	FoundInNested = "/found/nested"
	// CharsetHeader is ISO 8859-1 by its header and has CharsetText; CharsetMeta is
	// windows-1251 by a meta element and has CyrillicText.
	CharsetHeader = "/charset/header"
	CharsetMeta   = "/charset/meta"
)

// Texts of the pages in other encodings.
const (
	CharsetText  = "Größenänderung für Fußgänger"
	CyrillicText = "Привет"
)

// Refused are paths that redirect to addresses nobody may fetch from, by where they lead.
// At two of them the site itself would answer.
func (s *Site) Refused() map[string]string {
	port := strconv.Itoa(int(s.Port()))
	return map[string]string{
		"/refused/other-loopback": "http://127.0.0.2:" + port + "/",
		"/refused/metadata":       "http://169.254.169.254:" + port + "/latest/meta-data/",
		"/refused/private":        "http://10.0.0.1:" + port + "/",
		"/refused/loopback-6":     "http://[::1]:" + port + "/",
		"/refused/mapped":         "http://[::ffff:127.0.0.2]:" + port + "/",
		"/refused/port":           "http://127.0.0.1:1/",
		"/refused/scheme":         "file:///etc/passwd",
		"/refused/user":           "http://user:word@127.0.0.1:" + port + "/",
	}
}

// hugeSize is that of Huge.
const hugeSize = 200 << 20

func (s *Site) hard() map[string]http.HandlerFunc {
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	leaf := func(title string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { html(w, title, "<p>Nothing else.</p>", nil) }
	}
	is := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			fmt.Fprint(w, body)
		}
	}
	const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
	return map[string]http.HandlerFunc{
		Hard: s.hardIndex, "/refused/": s.refused, Disallowed: leaf("A secret"),
		Calendar: calendar, Session: s.session, Deeper: deeper,
		Huge: huge, Trickle: s.trickle,
		Picture: is("text/html", picture), RealPicture: is("image/png", picture),
		Unknown:        is("application/octet-stream", "<!doctype html><title>Unknown</title><a href="+FoundInUnknown+">found</a>"),
		FoundInUnknown: leaf("Found"),
		Archive:        is("application/zip", "PK\x05\x06"+strings.Repeat("\x00", 18)),
		Round:          redirect("/round/b"), "/round/b": redirect(Round),
		"/chain/{n}": chain, Moved: redirect(Path(1)),
		Busy: s.busy, Heals: s.heals,
		Copy: leaf("A copy"), OtherCopy: leaf("A copy"),
		QuietMeta: is("text/html", "<!doctype html><meta name=robots content='noindex, follow'><title>Quiet</title><p>Not to be indexed."),
		QuietHeader: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Robots-Tag", "noindex")
			html(w, "Quiet", "<p>Not to be indexed.</p>", nil)
		},
		Alias:         is("text/html", "<!doctype html><link rel=canonical href="+Path(1)+"><title>An alias</title><p>Page 1."),
		Nested:        nested,
		FoundInNested: leaf("Found"),
		CharsetHeader: is("text/html; charset=ISO-8859-1", "<!doctype html><title>Latin</title><p>"+latin1(CharsetText)),
		CharsetMeta:   is("text/html", "<!doctype html><meta charset=windows-1251><title>Cyrillic</title><p>\xcf\xf0\xe8\xe2\xe5\xf2"),
	}
}

func (s *Site) hardIndex(w http.ResponseWriter, _ *http.Request) {
	links := []string{
		Session, Deeper, Huge, Picture, RealPicture, Unknown, Archive, Round, Chain, Moved, Busy, Heals,
		Copy, OtherCopy, QuietMeta, QuietHeader, Alias, Nested, CharsetHeader, CharsetMeta,
	}
	links = append(links, slices.Sorted(maps.Keys(s.Refused()))...)
	if s.o.Calendar {
		links = append(links, Calendar)
	}
	if s.o.Slow {
		links = append(links, Trickle)
	}
	html(w, "Hard", "<p>What is hard.</p>", links)
}

func (s *Site) refused(w http.ResponseWriter, r *http.Request) {
	to, ok := s.Refused()[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}

func calendar(w http.ResponseWriter, r *http.Request) {
	month, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, Calendar))
	if err != nil {
		month = 1
	}
	html(w, fmt.Sprintf("Month %d", month), "<p>No events.</p>", []string{Calendar + strconv.Itoa(month+1)})
}

func (s *Site) session(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.sessions++
	id := fmt.Sprintf("%032x", s.sessions)
	s.mu.Unlock()
	html(w, "A session", "<p>The same for everybody.</p>", []string{
		Session + "?PHPSESSID=" + id, Session + ";jsessionid=" + id, Session + "?sid=" + id + "&utm_source=itself",
	})
}

func deeper(w http.ResponseWriter, r *http.Request) {
	html(w, "Deeper", "<p>And deeper.</p>", []string{strings.TrimSuffix(r.URL.Path, "/") + "/deeper/"})
}

func huge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	block := []byte(strings.Repeat("<p>More of the same.</p>\n", 4_000))
	for n := 0; n < hugeSize; n += len(block) {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func (s *Site) trickle(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		fmt.Fprint(w, "x")
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		}
	}
}

func chain(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n > 20 {
		html(w, "The end of the chain", "<p>Nobody comes here.</p>", nil)
		return
	}
	http.Redirect(w, r, "/chain/"+strconv.Itoa(n+1), http.StatusMovedPermanently)
}

func (s *Site) busy(w http.ResponseWriter, _ *http.Request) {
	now := s.o.Now()
	s.mu.Lock()
	if s.busyUntil.IsZero() {
		s.busyUntil = now.Add(s.o.RetryAfter)
	}
	left := s.busyUntil.Sub(now)
	s.mu.Unlock()
	if left <= 0 {
		html(w, "Busy no more", "<p>Welcome.</p>", nil)
		return
	}
	// Whole seconds, not fewer than are left.
	w.Header().Set("Retry-After", strconv.Itoa(int((left+time.Second-1)/time.Second)))
	w.WriteHeader(http.StatusTooManyRequests)
}

func (s *Site) heals(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.healing++
	ill := s.healing <= 2
	s.mu.Unlock()
	if ill {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	html(w, "Healed", "<p>Well again.</p>", nil)
}

func nested(w http.ResponseWriter, _ *http.Request) {
	const deep = 100_000
	html(w, "Nested", strings.Repeat("<div>", deep)+"<a href="+FoundInNested+">found</a>"+strings.Repeat("</div>", deep), nil)
}

// latin1 encodes a text of ISO 8859-1.
func latin1(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
	}
	return b.String()
}

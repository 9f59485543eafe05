package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// site serves one page, and what all pages have in common, under two names that are two
// origins: 127.0.0.1 and localhost.
type site struct {
	page  page
	same  string // http://127.0.0.1:PORT
	cross string // http://localhost:PORT

	mu     sync.Mutex
	counts map[string]int
}

func newSite(t *testing.T, p page) *site {
	t.Helper()
	s := &site{page: p, counts: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/", s.servePage)
	mux.HandleFunc("/outcome.js", s.serveOutcome)
	mux.HandleFunc("/frames/{file}", s.serveFrame)
	mux.HandleFunc("/submit", s.serveSubmit)
	mux.HandleFunc("/download", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		fmt.Fprintln(w, "a,b")
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		wait, _ := time.ParseDuration(r.URL.Query().Get("for"))
		time.Sleep(min(wait, 2*time.Second))
		fmt.Fprintln(w, `{"ok":true}`)
	})
	server := httptest.NewServer(s.counted(mux))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.same, s.cross = "http://127.0.0.1:"+u.Port(), "http://localhost:"+u.Port()
	return s
}

// address is where a task on the page begins.
func (s *site) address() string { return s.same + "/" + s.page.Start }

func (s *site) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.counts[r.URL.Path]++
		s.mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		h.ServeHTTP(w, r)
	})
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[path]
}

func (s *site) servePage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/favicon.ico" {
		http.NotFound(w, r)
		return
	}
	s.write(w, s.page.html)
}

func (s *site) serveFrame(w http.ResponseWriter, r *http.Request) {
	text, err := files.ReadFile("pages/frames/" + r.PathValue("file"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	s.write(w, string(text))
}

// serveOutcome serves the script that all pages tell what happened.
func (s *site) serveOutcome(w http.ResponseWriter, _ *http.Request) {
	text, err := files.ReadFile("pages/outcome.js")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/javascript")
	_, _ = w.Write(text)
}

// write writes HTML in which the two origins have names.
func (s *site) write(w http.ResponseWriter, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, s.named(html))
}

// named puts the origins in the place of their names.
func (s *site) named(text string) string {
	return strings.NewReplacer("{{same}}", s.same, "{{cross}}", s.cross).Replace(text)
}

// steps are the page's, with the addresses of this site.
func (s *site) steps() []step {
	all := slices.Clone(s.page.Does)
	for i := range all {
		all[i].Text = s.named(all[i].Text)
	}
	return all
}

// serveSubmit takes a form, and says how often it has.
func (s *site) serveSubmit(w http.ResponseWriter, r *http.Request) {
	s.write(w, fmt.Sprintf(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Taken</title><script src="/outcome.js"></script></head>
<body><h1>Thank you</h1><p role="status">Form %d was saved</p><a href="/">Back</a></body></html>`, s.count(r.URL.Path)))
}

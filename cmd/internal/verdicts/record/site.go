package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
	"github.com/stepledger/stepledger/internal/demoapp"
)

// site is the server of one case: the page, and endpoints for it to talk to,
// which verdicts/README.md describes. What it keeps ends with it.
type site struct {
	origin string
	page   verdicts.Page
	told   []parameter // what the case tells the page, to be left out of recordings
	server *http.Server

	mu    sync.Mutex
	boxes map[string][]json.RawMessage
}

// apps are the applications a page folder may name in place of files.
var apps = map[string]func() http.Handler{
	"demoapp":        func() http.Handler { return demoapp.New(demoapp.Options{}) },
	"demoapp-broken": func() http.Handler { return demoapp.New(demoapp.Options{BrokenButton: true}) },
}

// serve starts a server for a case on a free port of the loopback interface.
func serve(p verdicts.Page, c verdicts.Case) (*site, error) {
	s := &site{page: p, told: told(p, c), boxes: map[string][]json.RawMessage{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/_/status/{code}", s.status)
	mux.HandleFunc("POST /_/save/{box}", s.save)
	mux.HandleFunc("GET /_/box/{box}", s.list)
	mux.HandleFunc("GET /_/download/{name}", s.download)
	if p.App == "" {
		mux.HandleFunc("/"+p.Name+"/", s.file)
	} else {
		app, ok := apps[p.App]
		if !ok {
			return nil, fmt.Errorf("there is no app %q", p.App)
		}
		mux.Handle("/", s.visited(app()))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is there at once
	if err != nil {
		return nil, err
	}
	s.origin = "http://" + listener.Addr().String()
	s.server = &http.Server{Handler: unstored(mux), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // it ends with close
	return s, nil
}

func (s *site) close() { _ = s.server.Close() }

// address is where a case begins.
func (s *site) address(c verdicts.Case) string {
	if s.page.App != "" {
		return s.origin + cmp.Or(c.Path, "/") + c.Query
	}
	return s.origin + "/" + url.PathEscape(s.page.Name) + "/" + cmp.Or(c.Path, "page.html") + c.Query
}

// unstored keeps the browser from caching.
func unstored(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// status answers with a status and a text of the page's choice.
func (s *site) status(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(r.PathValue("code"))
	if err != nil || code < 200 || code > 599 {
		http.Error(w, "no such status", http.StatusBadRequest)
		return
	}
	if !delayed(r) {
		return
	}
	body := r.FormValue("body")
	w.Header().Set("Content-Type", typeOf(body))
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

func typeOf(body string) string {
	switch {
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return "application/json"
	case strings.HasPrefix(body, "<"):
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// delayed waits as long as the page asked for; false: the page has gone away.
func delayed(r *http.Request) bool {
	ms, _ := strconv.Atoi(r.URL.Query().Get("delay"))
	return wait(r.Context(), time.Duration(ms)*time.Millisecond) == nil
}

// save keeps what was posted, or refuses with ?code. With ?to it then leads to
// another page, as a form's answer does.
func (s *site) save(w http.ResponseWriter, r *http.Request) {
	posted := bodyOf(r)
	if !delayed(r) {
		return
	}
	query := r.URL.Query()
	code, err := strconv.Atoi(cmp.Or(query.Get("code"), "200"))
	if err != nil || code < 200 || code > 599 {
		http.Error(w, "no such status", http.StatusBadRequest)
		return
	}
	if code < 400 {
		s.keep(r.PathValue("box"), posted)
	}
	if to := query.Get("to"); to != "" && code < 400 {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"ok":%t}`, code < 400)
}

// maxPosted is far above what a page here posts.
const maxPosted = 1 << 20

// bodyOf is what was posted as JSON: itself, the fields of a form, or a text.
func bodyOf(r *http.Request) json.RawMessage {
	text, _ := io.ReadAll(io.LimitReader(r.Body, maxPosted)) // a page that went away posts nothing
	if json.Valid(text) {
		return text
	}
	var value any = string(text)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		fields := map[string]string{}
		form, _ := url.ParseQuery(string(text)) // what can be read of it
		for name, values := range form {
			fields[name] = strings.Join(values, ", ")
		}
		value = fields
	}
	encoded, _ := json.Marshal(value) // strings: it cannot fail
	return encoded
}

func (s *site) keep(box string, value json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.boxes[box] = append(s.boxes[box], value)
}

func (s *site) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	all := append([]json.RawMessage{}, s.boxes[r.PathValue("box")]...)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

func (s *site) download(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	s.keep("download", textOf(name))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
	_, _ = io.WriteString(w, "content of "+name+"\n")
}

func textOf(s string) json.RawMessage {
	encoded, _ := json.Marshal(s) // a string: it cannot fail
	return encoded
}

// visited notes the pages that are asked for in the box of that name.
func (s *site) visited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
			s.keep("visited", textOf(r.URL.RequestURI()))
		}
		next.ServeHTTP(w, r)
	})
}

// file serves the page's folder. A form may be posted to a page: it is kept in
// the box "form", unless ?code in its address is that of an error, and the
// page is the answer again.
func (s *site) file(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"+s.page.Name+"/"), "page.html")
	if slices.Contains([]string{verdicts.CasesFile, verdicts.RecordedFile}, name) || !filepath.IsLocal(name) {
		http.NotFound(w, r)
		return
	}
	text, code := s.read(name)
	switch {
	case r.Method == http.MethodPost:
		posted := bodyOf(r)
		if !delayed(r) {
			return
		}
		if asked, err := strconv.Atoi(r.URL.Query().Get("code")); err == nil && asked >= 400 && asked < 600 {
			code = asked
		} else {
			s.keep("form", posted)
		}
	case r.Header.Get("Sec-Fetch-Mode") == "navigate":
		s.keep("visited", textOf(r.URL.RequestURI()))
	}
	w.Header().Set("Content-Type", typeOfFile(name))
	w.WriteHeader(code)
	_, _ = w.Write(text)
}

// notFound is what a server says that has nothing more to say.
const notFound = "<!doctype html><title>404 Not Found</title><h1>Not Found</h1><p>The requested URL was not found on this server.</p>"

// read is the file of a name with status 200, or the file that has an error's
// status in its name: bill.410.html is what bill.html answers.
func (s *site) read(name string) (text []byte, code int) {
	path := filepath.Join(s.page.Dir, filepath.FromSlash(name))
	if text, err := os.ReadFile(path); err == nil {
		return text, http.StatusOK
	}
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	found, _ := filepath.Glob(stem + ".[45][0-9][0-9]" + ext) // a name that is no pattern finds nothing
	for _, errorPage := range found {
		text, err := os.ReadFile(errorPage)
		code, bad := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(errorPage, stem+"."), ext))
		if err == nil && bad == nil {
			return text, code
		}
	}
	return []byte(notFound), http.StatusNotFound
}

func typeOfFile(name string) string {
	switch filepath.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".json":
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

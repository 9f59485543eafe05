package web

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static/*
var staticFiles embed.FS

// Pages is the http.Handler of all pages.
type Pages struct {
	api     http.Handler
	log     *slog.Logger
	now     func() time.Time
	views   map[string]*template.Template
	handler http.Handler
}

// New returns pages over an API. A nil clock is time.Now.
func New(api http.Handler, log *slog.Logger, now func() time.Time) *Pages {
	if now == nil {
		now = time.Now
	}
	p := &Pages{api: api, log: log, now: now, views: parseViews()}
	p.handler = http.NewCrossOriginProtection().Handler(secured(p.routes()))
	return p
}

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

func (p *Pages) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", p.loginForm)
	mux.HandleFunc("POST /login", p.login)
	mux.HandleFunc("POST /logout", p.logout)
	mux.Handle("GET /static/", p.static())

	for pattern, page := range p.pages() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, page) })
	}
	return mux
}

// pages are those for who is signed in, by the pattern of their address.
func (p *Pages) pages() map[string]func(*request) error {
	return map[string]func(*request) error{
		"GET /{$}":                            p.start,
		"GET /tasks":                          p.tasks,
		"GET /tasks/{task}":                   p.task,
		"GET /tasks/{task}/turns/{turn}":      p.turn,
		"GET /tasks/{task}/turns/{turn}/page": p.turnPage,
		"GET /tasks/{task}/calls/{call}":      p.call,
		"GET /tasks/{task}/events":            p.events,
		"GET /tasks/{task}/state":             p.state,
		"GET /tasks/{task}/diff":              p.diff,
		"GET /tasks/{task}/graph":             p.graph,
		"GET /tasks/{task}/replay":            p.replay,
		"GET /tasks/{task}/bisect":            p.bisect,
		"POST /tasks/{task}/forks":            p.fork,
		"POST /tasks/{task}/pause":            p.pause,
		"POST /tasks/{task}/resume":           p.resume,
		"GET /compare":                        p.compare,
		"GET /usage":                          p.usage,
		"GET /usage/export":                   p.usageExport,
		"GET /skills":                         p.skills,
		"GET /calibration":                    p.calibration,
		"GET /projections":                    p.projections,
		"POST /projections/{name}/retry":      p.retry,
		"/":                                   p.nothing,

		"GET /knowledge":                                       p.knowledge,
		"POST /knowledge/files":                                p.upload,
		"POST /knowledge/links":                                p.addLink,
		"GET /knowledge/{source}":                              p.source,
		"POST /knowledge/{source}/crawl":                       p.recrawl,
		"POST /knowledge/{source}/remove":                      p.removeSource,
		"POST /knowledge/{source}/documents/{document}/remove": p.removeDocument,
	}
}

// Patterns are the addresses of all pages for who is signed in, as "GET /tasks/{task}".
func (p *Pages) Patterns() []string { return slices.Sorted(maps.Keys(p.pages())) }

// secured sets headers for all pages: nothing from elsewhere, no inline script.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
			"connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		next.ServeHTTP(w, r)
	})
}

// static serves the style sheet and the script. They change with the program only, so
// browsers may keep them for a while.
func (p *Pages) static() http.Handler {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err) // the directory is embedded
	}
	serve := http.StripPrefix("/static/", http.FileServerFS(files))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=300")
		serve.ServeHTTP(w, r)
	})
}

// parseViews reads the templates: each view is the layout, what views share, and a file
// of its own.
func parseViews() map[string]*template.Template {
	shared := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/shared.html"))
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err)
	}
	views := map[string]*template.Template{}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".html")
		if name != "layout" && name != "shared" {
			views[name] = template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, file))
		}
	}
	return views
}

// request is one that is being answered.
type request struct {
	*http.Request
	w     http.ResponseWriter
	token string
}

// part reports whether only the part of the page that changes is asked for, as the
// script does.
func (r *request) part() bool { return r.Header.Get("X-Part") != "" }

func (p *Pages) serve(w http.ResponseWriter, req *http.Request, page func(*request) error) {
	r := &request{Request: req, w: w, token: tokenOf(req)}
	if err := page(r); err != nil {
		p.failed(r, err)
	}
}

// view is what every page gets: its title, which of the sections it is in, and its data.
type view struct {
	Title, Section string
	SignedIn       bool
	Data           any
}

// show writes a view, or of it only the template "part" if the script asks.
func (p *Pages) show(r *request, name, section, title string, data any) error {
	return p.write(r, http.StatusOK, name, view{title, section, r.token != "", data})
}

func (p *Pages) write(r *request, status int, name string, v view) error {
	var out bytes.Buffer
	root := "layout.html"
	if r.part() {
		root = "part"
	}
	if err := p.views[name].ExecuteTemplate(&out, root, v); err != nil {
		return err
	}
	r.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.w.WriteHeader(status)
	_, _ = r.w.Write(out.Bytes()) // the reader may be gone
	return nil
}

// failed answers with what went wrong: a login where that is what is missing.
func (p *Pages) failed(r *request, err error) {
	refused := &apiError{Status: http.StatusInternalServerError, Code: domain.CodeInternal, Message: "This page could not be made."}
	if !errors.As(err, &refused) {
		p.log.ErrorContext(r.Context(), "web page", "error", err)
	}
	if refused.Status == http.StatusUnauthorized && r.Method == http.MethodGet && !r.part() {
		http.Redirect(r.w, r.Request, loginPath(r.URL), http.StatusSeeOther)
		return
	}
	if err := p.write(r, refused.Status, "error", view{"Something went wrong", "", r.token != "", refused}); err != nil {
		p.log.ErrorContext(r.Context(), "web page of an error", "error", err)
		http.Error(r.w, refused.Message, refused.Status)
	}
}

func (p *Pages) start(r *request) error {
	http.Redirect(r.w, r.Request, "/tasks", http.StatusSeeOther)
	return nil
}

func (p *Pages) nothing(*request) error {
	return &apiError{Status: http.StatusNotFound, Code: domain.CodeNotFound, Message: "There is no such page."}
}

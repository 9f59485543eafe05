// Package demoapp is a small patient registry: the web application on which
// the browser agent is shown and tested. People see it in the demo, so it is a
// real page: semantic, accessible, readable, without a single external asset.
//
// It has what makes agents stumble. A clock ticks in the header, so that the
// raw document never stays the same; a toast vanishes after 2.5 seconds; a form
// answers with validation errors; a menu has to be opened first; /flaky says
// "submitted" while it answers 500; and with Options.BrokenButton the button
// that everyone would click does nothing at all.
//
// Every handler made by New has its own registry in memory, starts with the
// same seven patients, and is safe for concurrent use. Nothing is kept when it
// is dropped, and nobody is asked to sign in: it holds invented people only.
package demoapp

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strconv"
)

// Options of a registry. The zero value is one that works.
type Options struct {
	// BrokenButton leaves the "New patient" button in place, enabled, and
	// without effect. The link "Add patient" in the navigation still works.
	BrokenButton bool
}

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// The pages, each parsed together with the layout around it.
var (
	listPage    = parse("list.html")
	formPage    = parse("form.html")
	patientPage = parse("patient.html")
	archivePage = parse("archive.html")
	flakyPage   = parse("flaky.html")
	messagePage = parse("message.html")
)

func parse(name string) *template.Template {
	return template.Must(template.ParseFS(templates, "templates/layout.html", "templates/"+name))
}

// app is one registry with its handlers.
type app struct {
	opts     Options
	registry *registry
}

// New returns a handler for a new registry. Its paths are absolute, so it must be
// mounted at the root of a host.
func New(o Options) http.Handler {
	a := &app{opts: o, registry: newRegistry()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.list)
	mux.HandleFunc("GET /patients/new", a.newPatient)
	mux.HandleFunc("POST /patients", a.addPatient)
	mux.HandleFunc("GET /patients/{id}", a.patient)
	mux.HandleFunc("POST /patients/{id}/archive", a.archivePatient)
	mux.HandleFunc("GET /archive", a.archive)
	mux.HandleFunc("GET /patients.csv", a.export)
	mux.HandleFunc("GET /flaky", a.flaky)
	mux.HandleFunc("POST /flaky", a.submitFlaky)
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("/", a.nothingHere)
	return secured(mux)
}

// secured keeps a page from loading or running anything that is not its own.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// view is what every page is made of.
type view struct {
	Title   string
	Current string // the navigation entry this page belongs to
	Broken  bool
	Toast   string
	Data    any
}

// render writes a page. It is executed into a buffer first, so that a template
// that fails cannot leave half a page under a success status.
func (a *app) render(w http.ResponseWriter, status int, page *template.Template, v view) {
	v.Broken = a.opts.BrokenButton
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, "layout.html", v); err != nil {
		http.Error(w, "this page could not be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the reader may have gone away
}

package knowledge_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	of "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

const tenant = "acme"

// world is a system with a log in memory, and a site.
type world struct {
	t   *testing.T
	log *memory.Store
	mu  sync.Mutex
	// keys says of a subject whether its key is there; blobs are by subject and reference.
	keys  map[string]bool
	blobs map[string][]byte
	now   time.Time
	// site is what each address answers.
	site map[string]of.Fetched
	// partial: a sitemap cannot be read.
	partial bool
	// after, if set, is called after a page was fetched.
	after func(url string)
	// asked are the fetches, in order.
	asked []of.Fetch
	// dieAt counts down the points at which the worker may die.
	dieAt  int
	passed int
}

// died is what a worker dies of.
type died struct{ point string }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{
		t: t, log: memory.New(memory.Options{}), keys: map[string]bool{}, blobs: map[string][]byte{}, now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
		site: map[string]of.Fetched{}, dieAt: -1,
	}
}

func (w *world) deps() knowledge.Deps {
	return knowledge.Deps{
		Log: w.log, Keys: w, Content: w, Reader: w, Sites: w, Clock: func() time.Time { return w.now }, IDs: domain.NewUUID, Hook: w.point,
	}
}

// point is passed, or died at.
func (w *world) point(name string) {
	w.mu.Lock()
	w.passed++
	die := w.passed == w.dieAt
	w.mu.Unlock()
	if die {
		panic(died{name})
	}
}

// work works until nothing is left, and returns where the worker died, "" for nowhere.
func (w *world) work(source string) (point string) {
	w.t.Helper()
	defer func() {
		if r := recover(); r != nil {
			d, ok := r.(died)
			if !ok {
				panic(r)
			}
			point = d.point
		}
	}()
	if err := knowledge.NewWorker(w.deps(), 4).Work(w.t.Context(), tenant, source); err != nil {
		w.t.Fatal(err)
	}
	return ""
}

func (w *world) manage() knowledge.Manage { return knowledge.Manage{Deps: w.deps()} }

func (w *world) add(e of.SourceAdded) string {
	w.t.Helper()
	e.Tenant, e.By = tenant, "jo"
	a, err := w.manage().Add(w.t.Context(), e)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Source
}

func (w *world) receive(source, name, text string) knowledge.Added {
	w.t.Helper()
	a, err := w.manage().Receive(w.t.Context(), knowledge.File{Tenant: tenant, Source: source, By: "jo", Name: name, Body: []byte(text)})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// state folds a source.
func (w *world) state(source string) of.State {
	w.t.Helper()
	v, err := knowledge.Sources.Load(w.t.Context(), w.log, of.SourceStream(source), domaintest.Sealer{}, knowledge.Sources.Start())
	if err != nil {
		w.t.Fatal(err)
	}
	return v.State
}

// events are those of a stream.
func (w *world) events(stream string) []eventstore.Recorded {
	w.t.Helper()
	slice, err := w.log.ReadStream(w.t.Context(), stream, eventstore.ReadOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return slice.Events
}

// text is what a version says: the parts of the attempt that counts.
func (w *world) text(source, version string) (text []string, ended int) {
	w.t.Helper()
	attempt := 0
	for _, r := range w.events(of.SourceStream(source)) {
		e, err := of.Codec.Clear(r.Type, r.Data)
		if err != nil {
			w.t.Fatal(err)
		}
		switch e := e.(type) {
		case of.DocumentIndexed:
			if e.Version == version {
				attempt = e.Attempt
				ended++
			}
		case of.DocumentEmpty:
			ended += one(e.Version == version)
		case of.DocumentRefused:
			ended += one(e.Version == version)
		}
	}
	for _, r := range w.events(of.TextStream(version)) {
		e, err := of.TextCodec.Decode(r.Type, r.Data, r.ID, domaintest.Sealer{})
		if err != nil {
			w.t.Fatal(err)
		}
		if added, ok := e.(of.TextAdded); ok && added.Attempt == attempt {
			for _, c := range added.Chunks {
				text = append(text, c.Text)
			}
		}
	}
	return text, ended
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// NewKey implements commands.Keys.
func (w *world) NewKey(_ context.Context, _, subject string) (domain.Sealer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if had, known := w.keys[subject]; known && !had {
		return domaintest.Erased{}, nil
	}
	w.keys[subject] = true
	return domaintest.Sealer{}, nil
}

// Key implements commands.Keys.
func (w *world) Key(_ context.Context, _, subject string) (domain.Sealer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.keys[subject] {
		return domaintest.Erased{}, nil
	}
	return domaintest.Sealer{}, nil
}

// Put implements commands.Content.
func (w *world) Put(_ context.Context, _, subject, _ string, body []byte) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sum := sha256.Sum256(body)
	ref := hex.EncodeToString(sum[:8])
	w.blobs[subject+"/"+ref] = body
	return ref, nil
}

// Get implements commands.Content.
func (w *world) Get(_ context.Context, _, subject, ref string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, ok := w.blobs[subject+"/"+ref]
	if !ok {
		return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "not kept")
	}
	return body, nil
}

// Delete implements knowledge.Content.
func (w *world) Delete(_ context.Context, _, subject, ref string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.blobs, subject+"/"+ref)
	return nil
}

// Drop implements knowledge.Content.
func (w *world) Drop(_ context.Context, _, subject string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys[subject] = false
	for ref := range w.blobs {
		if strings.HasPrefix(ref, subject+"/") {
			delete(w.blobs, ref)
		}
	}
	return nil
}

// Read implements knowledge.Reader: paragraphs, a page each.
func (w *world) Read(_ context.Context, in of.Input, progress func(page, of int)) (of.Extracted, error) {
	text := string(in.Body)
	switch {
	case strings.HasPrefix(text, "locked"):
		return of.Extracted{}, &of.RefusedError{Code: "encrypted", Reason: "it takes a password"}
	case strings.HasPrefix(text, "scan"):
		return of.Extracted{}, &of.EmptyError{Reason: "no text layer: 2 of 2 pages are images", Pages: 2, ImagePages: 2}
	}
	out := of.Extracted{Type: of.Text, Title: in.Name}
	if title, ok := strings.CutPrefix(text, "title:"); ok {
		out.Title, text = title, "short"
	}
	pages := strings.Split(text, "\n\n")
	for i, p := range pages {
		progress(i+1, len(pages))
		out.Blocks = append(out.Blocks, of.Block{Kind: of.Paragraph, Text: p, Page: i + 1})
	}
	return out, nil
}

// Visit implements knowledge.Sites.
func (w *world) Visit(_ context.Context, f of.Fetch) (of.Fetched, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, f)
	got, ok := w.site[f.URL]
	if w.after != nil {
		w.after(f.URL)
	}
	switch {
	case !ok:
		return of.Fetched{Outcome: of.Gone, Code: "404"}, nil
	case f.ETag != "" && f.ETag == got.ETag:
		return of.Fetched{Outcome: of.Unchanged, ETag: f.ETag}, nil
	}
	return got, nil
}

// List implements knowledge.Sites.
func (w *world) List(_ context.Context, _ string, most int) (of.Listing, error) {
	var out []string
	for url := range w.site {
		out = append(out, url)
	}
	slices.Sort(out)
	return of.Listing{Pages: out[:min(len(out), most)], Partial: w.partial || len(out) > most}, nil
}

// Normalize implements knowledge.Sites.
func (w *world) Normalize(address string) (string, error) {
	if !strings.HasPrefix(address, "https://") {
		return "", domain.Errorf(domain.Invalid, domain.CodeValidation, "no address").At("url")
	}
	return address, nil
}

// page is one with links.
func page(text string, links ...string) of.Fetched {
	return of.Fetched{Outcome: of.Received, Body: []byte(text), Media: "text/html", ETag: `"` + text + `"`, Links: links}
}

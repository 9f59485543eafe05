package e2e

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"
)

// The pages, each with a comment at its beginning that says what is done on it and what
// has to be true afterwards.
//
//go:embed pages
var files embed.FS

// page is one of them. What happens on a page it tells by itself, see outcome.js.
type page struct {
	name string
	html string

	// Asks is what the user wants.
	Asks string
	// Does are the actions, in order; the server is asked again after each.
	Does []step
	// Happens is what has to have happened, all of it and in this order. A page may tell
	// more than once what may well happen more than once.
	Happens []string
	// Holds is an expression that is true of the page where the task ended.
	Holds string
	// Counts are the requests the page's server got, by their path.
	Counts map[string]int
	// Hidden stands in no request.
	Hidden []string
	// Start is a path, where the task does not begin on the page itself.
	Start string
}

// step is an action, or a chain of them.
type step struct {
	Do string
	// On is the element: its role and its name.
	On string
	// After is a text of the page: the element is the first behind it.
	After string
	// Text is the value, the key, the direction, the address or the file.
	Text string
	// To is the element a drag ends on, behind a text as well.
	To, ToAfter string
	// Chain are actions that one answer has together; the others are none then.
	Chain []step
	// Again repeats the action while the element On of the next one is not there.
	Again bool
	// Refused is the code of the error that has to come, "" for none.
	Refused string
	// Shows and Lacks are texts that the request after it has, or has not.
	Shows, Lacks []string
}

// pages reads them all.
func pages(t *testing.T) []page {
	t.Helper()
	entries, err := files.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	var all []page
	for _, e := range entries {
		if path.Ext(e.Name()) == ".html" {
			all = append(all, readPage(t, e.Name()))
		}
	}
	return all
}

func readPage(t *testing.T, file string) page {
	t.Helper()
	text, err := files.ReadFile("pages/" + file)
	if err != nil {
		t.Fatal(err)
	}
	p := page{name: strings.TrimSuffix(file, ".html")}
	about, html, found := strings.Cut(strings.TrimPrefix(string(text), "<!--"), "-->")
	if !found {
		t.Fatalf("%s says nothing of itself", file)
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(about)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(p.Does) == 0 || p.Happens == nil && p.Holds == "" && p.Counts == nil && p.Hidden == nil {
		t.Fatalf("%s does nothing or proves nothing", file)
	}
	p.html = html
	return p
}

// judge compares what happened with what had to.
func (p page) judge(t *testing.T, s *site, ask func(expression string) json.RawMessage) {
	t.Helper()
	if p.Happens != nil {
		var happened []string
		if err := json.Unmarshal(ask(`globalThis.outcome ? outcome() : ["no page of ours: " + location.href]`), &happened); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintf("%q", happened), fmt.Sprintf("%q", p.Happens); got != want {
			t.Errorf("happened %s, want %s", got, want)
		}
	}
	if p.Holds != "" {
		if got := string(ask(p.Holds)); got != "true" {
			t.Errorf("%s is %s", p.Holds, got)
		}
	}
	for path, want := range p.Counts {
		if got := s.count(path); got != want {
			t.Errorf("%s was asked for %d times, want %d", path, got, want)
		}
	}
}

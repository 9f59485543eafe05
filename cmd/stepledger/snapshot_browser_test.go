package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/dom/snapshot"
)

// hostilePage tells its server whenever it gets to do something.
const hostilePage = `<!doctype html><html><head><title>a page</title>
<meta http-equiv="refresh" content="1;url=/beacon/refresh">
<link rel="stylesheet" href="/beacon/sheet">
<style>@import "/beacon/import"; @font-face{font-family:f;src:url(/beacon/font)} body{background:url(/beacon/background);font-family:f}
	i{background:\75rl(/beacon/escaped)} #b{background:image-set("/beacon/set" 1x)}</style>
<script>document.title = "owned"; fetch("/beacon/script")</script></head>
<body onload="fetch('/beacon/onload')"><img src="/beacon/img" srcset="/beacon/srcset 2x"><img src="x" onerror="fetch('/beacon/onerror')">
<iframe src="/beacon/frame"></iframe><iframe srcdoc="<script>fetch('/beacon/srcdoc')</script>"></iframe><object data="/beacon/object"></object>
<video src="/beacon/video" poster="/beacon/poster" autoplay></video>
<svg width="99999999" height="99999999"><image href="/beacon/svg"/><script>fetch("/beacon/svgscript")</script><foreignObject><img src="/beacon/foreign"></foreignObject></svg>
<template><img src="/beacon/template"></template><i>i</i><p id="b">b</p>
<form action="/beacon/form"><button data-llm-id="14">Save</button></form><a href="javascript:fetch('/beacon/link')">link</a>
<script>document.forms[0] && setTimeout(() => document.querySelector("a").click(), 50)</script></body></html>`

// beacons serves the page as it was sent and as it is shown, and notes what is fetched
// beside it.
type beacons struct {
	mu   sync.Mutex
	hits []string
}

func (b *beacons) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	shown := snapshot.Render(page.Capture{DOM: hostilePage}, "14")
	switch r.URL.Path {
	case "/sent":
		_, _ = w.Write([]byte(hostilePage))
	case "/shown": // what is written is harmless without the policy too
		_, _ = w.Write(shown)
	case "/served":
		w.Header().Set("Content-Security-Policy", snapshot.Policy)
		_, _ = w.Write(shown)
	case "/favicon.ico":
		http.NotFound(w, r)
	default:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hits = append(b.hits, r.URL.Path)
	}
}

func (b *beacons) taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	hits := b.hits
	b.hits = nil
	return hits
}

// In a real browser the page as it was sent fetches what it likes; as it is shown it
// fetches nothing, runs nothing and stays where it is, and the element is outlined.
func TestSnapshot_InABrowser(t *testing.T) {
	t.Parallel()
	ctx, chromium := startChromium(t)
	var b beacons
	site := httptest.NewServer(&b)
	defer site.Close()
	open := func(path string) *browser.Tab {
		tab, err := chromium.NewTab(ctx)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tab.Close)
		if err := tab.Open(ctx, site.URL+path); err != nil {
			t.Fatal(err)
		}
		return tab
	}
	served, shown := open("/served"), open("/shown") // in the first no script of anybody runs, ours neither
	const wait = `new Promise(done => setTimeout(() => done([document.title, location.pathname, getComputedStyle(document.querySelector("button")).outlineStyle, document.scripts.length, innerWidth >= document.documentElement.scrollWidth].join()), 1500))`
	got, err := shown.Evaluate(ctx, wait) // the refresh would have been after a second
	if want := `"a page,/shown,solid,0,true"`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if at, err := served.URL(ctx); err != nil || at != site.URL+"/served" {
		t.Errorf("the served page is at %s, %v", at, err)
	}
	if hits := b.taken(); len(hits) > 0 {
		t.Errorf("what is shown fetched %v", hits)
	}
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		png, err := shown.Screenshot(ctx)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "snapshot.png"), png, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := open("/sent").WaitStable(ctx); err != nil {
		t.Fatal(err)
	}
	if hits := b.taken(); len(hits) < 5 {
		t.Errorf("as it was sent the page fetched only %v: this test shows nothing", hits)
	}
}

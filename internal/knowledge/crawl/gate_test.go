package crawl

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/knowledge/crawl/crawltest"
)

// However many ask, a host gets one request at a time and a pause after each.
func TestGet_IsPolite(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 60})
	var wg sync.WaitGroup
	pages := make(chan string)
	for range 8 {
		wg.Go(func() {
			for at := range pages {
				if _, err := f.Get(t.Context(), Request{URL: at}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, at := range site.Listed() {
		pages <- at
	}
	close(pages)
	wg.Wait()
	if site.MostAtOnce() != 1 || site.LeastPause() < time.Second {
		t.Errorf("%d at a time, the least pause is %s", site.MostAtOnce(), site.LeastPause())
	}
	if n := site.Requests("/robots.txt"); n != 1 {
		t.Errorf("robots.txt was fetched %d times", n)
	}
}

// Two hosts are asked at the same time: each waits here until the other one is asked too.
func TestGet_HostsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			both.Done()
			both.Wait()
		}
		fmt.Fprint(w, "")
	}
	n := &internet{
		names:   map[string][]string{"a.example": {public}, "b.example": {"93.184.216.35"}},
		servers: map[string]*httptest.Server{public: serve(t, h), "93.184.216.35": serve(t, h)},
	}
	f := n.fetcher(Options{})
	var wg sync.WaitGroup
	for _, host := range []string{"a.example", "b.example"} {
		wg.Go(func() {
			if _, err := f.Get(t.Context(), Request{URL: "http://" + host + "/"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestGet_CrawlDelay(t *testing.T) {
	t.Parallel()
	for delay, want := range map[string]time.Duration{
		"": time.Second, "0.1": time.Second, "7.5": 7500 * time.Millisecond, "86400": 30 * time.Second, "-5": time.Second,
	} {
		n, _ := robotsSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nCrawl-delay: "+delay) })
		f := n.fetcher(Options{})
		for range 2 {
			start := f.o.Clock.Now()
			if _, err := f.Get(t.Context(), Request{URL: "http://site.example/"}); err != nil {
				t.Fatal(err)
			}
			if got := f.o.Clock.Now().Sub(start); got != want {
				t.Errorf("Crawl-delay %q: a pause of %s, want %s", delay, got, want)
			}
		}
	}
}

func TestGet_WithoutPause(t *testing.T) {
	t.Parallel()
	n, _ := robotsSite(t, func(http.ResponseWriter, *http.Request) {})
	f := n.fetcher(Options{Pause: -1})
	start := f.o.Clock.Now()
	for range 3 {
		if _, err := f.Get(t.Context(), Request{URL: "http://site.example/"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.o.Clock.Now().Sub(start); got != 0 {
		t.Errorf("waited %s", got)
	}
}

func TestGet_RetryAfter(t *testing.T) {
	t.Parallel()
	clock := &crawltest.Clock{}
	for after, want := range map[string]time.Duration{
		"": busyPause, "x": busyPause, "-1": busyPause, "0": busyPause, "90": 90 * time.Second, "999999999": maxBusy,
		clock.Now().Add(10 * time.Minute).Format(http.TimeFormat): 10*time.Minute - time.Second, // robots.txt took one
		clock.Now().Add(-time.Hour).Format(http.TimeFormat):       time.Second,
	} {
		n := bodies(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		_, err := n.fetcher(Options{}).Get(t.Context(), Request{URL: "http://site.example/"})
		if e := failure(t, err, Busy); e.RetryAfter != want || !e.Temporary {
			t.Errorf("Retry-After %q: %s, want %s", after, e.RetryAfter, want)
		}
	}
}

func TestGates_AreBounded(t *testing.T) {
	t.Parallel()
	gs := gates{clock: &crawltest.Clock{}, byHost: map[string]*gate{}}
	held, err := gs.enter(t.Context(), "held", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxGates + 100 {
		g, err := gs.enter(t.Context(), strconv.Itoa(i), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		gs.done(g)
	}
	if n := len(gs.byHost); n > maxGates {
		t.Errorf("%d hosts are remembered", n)
	}
	if gs.byHost["held"] != held {
		t.Error("a host that is being asked was forgotten")
	}
}

func TestSystemClock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (systemClock{}).Sleep(ctx, time.Hour); err == nil {
		t.Error("slept on after the end")
	}
	if err := (systemClock{}).Sleep(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
}

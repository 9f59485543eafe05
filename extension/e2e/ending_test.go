package e2e

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// pointsScript watches the worker from before its own script.
//
//go:embed points.js
var pointsScript string

// reaper ends a worker at chosen points of its work: before and after each message to a
// page, entry of the storage and request.
type reaper struct {
	*chromium
	mu    sync.Mutex
	at    int // points reached in this run
	every int // of so many one is an end; 0 for none
	first int // which of them
	left  int // ends that are left to this run
	ended int // ends of all runs
	kinds map[string]int
	trace []string // the points of this run, those where it ended marked
	tab   int      // whose task is woken
	fault error
}

// newReaper launches a Chromium with a watched extension.
func newReaper(t *testing.T) *reaper {
	t.Helper()
	r := &reaper{kinds: map[string]int{}}
	points := httptest.NewServer(r)
	t.Cleanup(points.Close)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(extensionDir(t))); err != nil {
		t.Fatal(err)
	}
	worker := filepath.Join(dir, "background.js")
	own, err := os.ReadFile(worker)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		worker:                          `import "./points.js";` + string(own),
		filepath.Join(dir, "points.js"): strings.ReplaceAll(pointsScript, "{{points}}", points.URL),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.chromium = launch(t, dir)
	return r
}

// plan says at which points of the next run the worker ends.
func (r *reaper) plan(every, first, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.every, r.first, r.left, r.trace = 0, every, first, most, nil
}

// ServeHTTP implements http.Handler: the worker is at a point.
func (r *reaper) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	ends := r.every > 0 && r.left > 0 && r.at%r.every == r.first
	r.at++
	point := strings.Trim(q.URL.Path, "/")
	if ends {
		r.left--
		r.ended++
		when, kind, _ := strings.Cut(point, "/")
		kind, _, _ = strings.Cut(kind, "/")
		r.kinds[when+" "+kind]++
		point += " ENDED"
	}
	r.trace = append(r.trace, point)
	tab := r.tab
	r.mu.Unlock()
	if !ends {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(q.Context()), patience)
	defer cancel()
	if err := r.end(ctx, tab); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault = err
	}
}

// end ends the worker, and wakes what comes after it as an open panel does.
func (r *reaper) end(ctx context.Context, tab int) error {
	if err := r.endWorker(ctx); err != nil {
		return err
	}
	wake := fmt.Sprintf(`chrome.runtime.sendMessage({ panel: 1, do: "wake", tabId: %d }).then(() => "woken", String)`, tab)
	for {
		said, err := r.tryEvaluate(ctx, r.panel, wake)
		if err != nil {
			return err
		}
		if string(said) == `"woken"` {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the worker does not come back: %s", said)
		case <-time.After(30 * time.Millisecond):
		}
	}
}

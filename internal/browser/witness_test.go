package browser

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
)

func TestWitness_Network(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	after := func(d time.Duration) time.Time { return start.Add(d) }
	w := newWitness()
	w.beginAction()
	w.recordRequest("page", "GET", "http://a/", network.ResourceTypeDocument, start)
	w.recordRequest("socket", "GET", "http://a/socket", network.ResourceTypeWebSocket, start)
	if d := w.idleFor(after(time.Second)); d != 0 {
		t.Errorf("idle for %v with a request under way", d)
	}
	w.ended("page", after(time.Second))
	w.ended("unknown", after(2*time.Second))
	if d := w.idleFor(after(1500 * time.Millisecond)); d != 500*time.Millisecond {
		t.Errorf("idle for %v, want 500ms: sockets do not count", d)
	}
	if w.traffic() != 1 {
		t.Errorf("%d requests", w.traffic())
	}
	w.beginAction()
	if w.traffic() != 0 {
		t.Error("the mark did not begin a new count")
	}
	w.recordRequest("asked", "GET", "http://a/list", network.ResourceTypeXHR, after(2*time.Second))
	if d := w.idleFor(after(2*time.Second + longPoll)); d != 0 || w.pending() != 1 {
		t.Errorf("idle for %v, %d pending: what an action asked for is waited for", d, w.pending())
	}
	w.beginAction()
	w.endAction()
	w.recordRequest("poll", "GET", "http://a/poll", network.ResourceTypeXHR, after(2*time.Second))
	if d := w.idleFor(after(2*time.Second + longPoll)); d != longPoll || w.pending() != 0 {
		t.Errorf("idle for %v beside a long poll, want %v; %d pending", d, longPoll, w.pending())
	}
}

func TestWitness_PollingIsNotTheAction(t *testing.T) {
	t.Parallel()
	w, now := newWitness(), time.Unix(1000, 0)
	w.recordRequest("1", "GET", "http://a/news?t=1", network.ResourceTypeXHR, now)
	w.recordRequest("2", "GET", "http://a/news?t=2", network.ResourceTypeXHR, now)
	w.recordRequest("3", "GET", "http://a/once", network.ResourceTypeXHR, now)
	w.beginAction()
	w.recordRequest("4", "GET", "http://a/news?t=3", network.ResourceTypeXHR, now)
	if w.traffic() != 0 {
		t.Error("a poll was taken for the action's")
	}
	w.recordRequest("5", "GET", "http://a/once", network.ResourceTypeXHR, now)
	w.recordRequest("6", "GET", "http://a/save", network.ResourceTypeXHR, now)
	if w.traffic() != 2 {
		t.Errorf("%d requests, want 2", w.traffic())
	}
	w.endAction()
	w.recordRequest("7", "GET", "http://a/save", network.ResourceTypeXHR, now)
	if w.traffic() != 2 {
		t.Error("a request after the action was taken for the action's")
	}
}

func TestWitness_Events(t *testing.T) {
	t.Parallel()
	w, now := newWitness(), time.Unix(1000, 0)
	w.heard(event{at: now, Kind: "error", Text: "old"})
	w.beginAction()
	for i := range keptEvents {
		w.heard(event{at: now.Add(time.Second), Kind: "info", Text: strconv.Itoa(i)})
	}
	w.heard(event{at: now.Add(2 * time.Second), Kind: "removed", Text: "Toast"})
	w.heard(event{at: now.Add(2 * time.Second), Kind: "error", Text: "Invalid"})
	events := w.sinceMark()
	if len(events) != keptEvents || slices.Contains(texts(events, "error"), "old") {
		t.Errorf("%d events, errors %q", len(events), texts(events, "error"))
	}
	got := lines(events, now.Add(4*time.Second))
	if len(got) != recentEvents || got[8] != "[2s ago] Removed: 'Toast'" || got[9] != "[2s ago] Error: 'Invalid'" || got[7] != "[3s ago] Added: '199'" {
		t.Errorf("lines %q", got)
	}
	w.beginAction()
	if rest := w.sinceMark(); len(rest) != 0 {
		t.Errorf("after the mark: %v", rest)
	}
}

func TestKeyRunes_KnowTheKeysOfTheLanguage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
		"Home", "End", "PageUp", "PageDown", "F1", "F12",
	} {
		if _, known := keyRunes()[name]; !known {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const backoff = 70 * time.Millisecond
	tests := map[string]struct {
		err   error
		wait  time.Duration
		again bool
	}{
		"an answer is not asked for again":            {nil, 0, false},
		"a server that is away is":                    {fmt.Errorf("%w: refused", errNoAnswer), backoff, true},
		"a server that broke is":                      {&ServerError{Status: http.StatusInternalServerError}, backoff, true},
		"an overloaded server says when":              {&ServerError{Status: http.StatusServiceUnavailable, RetryAfter: time.Second}, time.Second, true},
		"a limit is waited out":                       {&ServerError{Status: http.StatusTooManyRequests, RetryAfter: time.Minute}, time.Minute, true},
		"a task that is held is waited for elsewhere": {&ServerError{Status: http.StatusConflict, Code: "TASK_PAUSED", RetryAfter: time.Second}, 0, false},
		"a turn under way is waited for":              {&ServerError{Status: http.StatusConflict, RetryAfter: time.Second}, time.Second, true},
		"another conflict stays one":                  {&ServerError{Status: http.StatusConflict}, 0, false},
		"a bad request stays one":                     {&ServerError{Status: http.StatusBadRequest, RetryAfter: time.Second}, 0, false},
		"a body that cannot be written stays one":     {errors.New("marshal"), 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wait, again := retryAfter(tt.err, backoff)
			if wait != tt.wait || again != tt.again {
				t.Errorf("got %v, %v; want %v, %v", wait, again, tt.wait, tt.again)
			}
		})
	}
}

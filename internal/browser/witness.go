package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/weburl"
)

// witness remembers what went over the network and what pages said. It
// outlives documents: a toast shown just before a page was left is still heard.
type witness struct {
	mu          sync.Mutex
	underWay    map[network.RequestID]call
	lastTraffic time.Time
	acting      bool
	requests    int             // since mark
	failed      []FailedRequest // of the requests since mark
	thrown      int             // errors of scripts since mark
	idle        map[string]int  // how often an address was asked for while no action ran
	log         []event
	marked      int // length of log at mark
	dropped     int // events no longer in log
}

// call is a request that has not ended. Counted ones an action has caused, and
// nobody has answered.
type call struct {
	since        time.Time
	method, path string
	counted      bool
}

// event is one line of what a page said.
type event struct {
	at   time.Time
	Kind string `json:"kind"` // added, removed, error, success, info
	Text string `json:"text"`
}

const (
	// longPoll is when a request counts as one that is meant to stay open.
	longPoll = 3 * time.Second
	// keptEvents bounds the log of a tab.
	keptEvents = 200
	// keptFailures bounds what is told of an action's requests.
	keptFailures = 10
	// keptAddresses bounds what is remembered of polling.
	keptAddresses = 1000
	// recentEvents is how many events a capture has (spec: dom-extraction §2.5.3).
	recentEvents = 10
)

func newWitness() *witness {
	return &witness{underWay: map[network.RequestID]call{}, idle: map[string]int{}}
}

// mark begins an action: a new count of requests and events.
func (w *witness) mark() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acting, w.requests, w.failed, w.thrown, w.marked = true, 0, nil, 0, w.dropped+len(w.log)
	for id, c := range w.underWay {
		c.counted = false // another action's
		w.underWay[id] = c
	}
}

// rest ends an action: what is asked for from now on the page wants by itself.
func (w *witness) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acting = false
}

// traffic is how many requests were begun since mark, polling aside.
func (w *witness) traffic() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// sinceMark lists the events since mark.
func (w *witness) sinceMark() []event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]event(nil), w.log[max(0, w.marked-w.dropped):]...)
}

// pending is how many requests since mark have not been answered.
func (w *witness) pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, c := range w.underWay {
		if c.counted {
			n++
		}
	}
	return n
}

// threw takes note of an error of a script that nobody caught.
func (w *witness) threw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.thrown++
}

func (w *witness) scriptErrors() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.thrown
}

// idleFor is how long no request has been under way, long polls aside. What an
// action asked for is none: it is waited for.
func (w *witness) idleFor(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, c := range w.underWay {
		if now.Sub(c.since) < longPoll || c.counted {
			return 0
		}
		delete(w.underWay, id)
	}
	return now.Sub(w.lastTraffic)
}

// began takes note of a request. One whose address (without the query) was
// asked for twice while nobody acted is polling: no action caused it.
func (w *witness) began(id network.RequestID, method, address string, kind network.ResourceType, now time.Time) {
	switch kind {
	case network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypeMedia,
		network.ResourceTypePing, network.ResourceTypePrefetch, network.ResourceTypeCSPViolationReport:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastTraffic = now
	address = pathOf(address)
	c := call{since: now, method: method, path: withoutOrigin(address)}
	switch {
	case w.acting && w.idle[address] < 2:
		w.requests++
		c.counted = asks(kind)
	case !w.acting && len(w.idle) < keptAddresses:
		w.idle[address]++
	}
	w.underWay[id] = c
}

// asks reports requests of whose answer the page makes something: a picture that
// is missing is no refusal.
func asks(kind network.ResourceType) bool {
	return kind == network.ResourceTypeDocument || kind == network.ResourceTypeXHR || kind == network.ResourceTypeFetch
}

// answered takes note of a request's status. Status 0 is that of one that was
// not answered.
func (w *witness) answered(id network.RequestID, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ours := w.underWay[id]
	if !ours || !c.counted {
		return
	}
	if refused := status == 0 || status >= 400; refused && len(w.failed) < keptFailures {
		w.failed = append(w.failed, FailedRequest{c.method, c.path, status})
	}
	c.counted = false // answered, even where the page never reads the body
	w.underWay[id] = c
}

// withoutOrigin is the path of an address; nothing of one that has none.
func withoutOrigin(address string) string {
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// failures are the requests since mark that were refused.
func (w *witness) failures() []FailedRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]FailedRequest(nil), w.failed...)
}

func (w *witness) ended(id network.RequestID, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ours := w.underWay[id]; ours {
		delete(w.underWay, id)
		w.lastTraffic = now
	}
}

func (w *witness) heard(e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, e)
	if extra := len(w.log) - keptEvents; extra > 0 {
		w.log = w.log[extra:]
		w.dropped += extra
	}
}

// lines prints the newest events for the server.
func lines(events []event, now time.Time) []string {
	var out []string
	for _, e := range events[max(0, len(events)-recentEvents):] {
		what := map[string]string{"error": "Error", "removed": "Removed"}[e.Kind]
		if what == "" {
			what = "Added"
		}
		out = append(out, fmt.Sprintf("[%ds ago] %s: '%s'", int(now.Sub(e.at).Seconds()), what, e.Text))
	}
	return out
}

// texts are those of one kind.
func texts(events []event, kind string) []string {
	var out []string
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return out
}

// listen gets every event of the target, on the goroutine that reads them: it
// must be quick and must not ask the browser anything.
func (t *Tab) listen(ev any) {
	now := time.Now()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		t.witness.began(ev.RequestID, ev.Request.Method, ev.Request.URL, ev.Type, now)
	case *network.EventResponseReceived:
		t.witness.answered(ev.RequestID, int(ev.Response.Status))
	case *network.EventLoadingFinished:
		t.witness.ended(ev.RequestID, now)
	case *network.EventLoadingFailed:
		if !ev.Canceled {
			t.witness.answered(ev.RequestID, 0)
		}
		t.witness.ended(ev.RequestID, now)
	case *runtime.EventExceptionThrown:
		t.witness.threw()
	case *runtime.EventBindingCalled:
		e := event{at: now}
		if ev.Name == binding && json.Unmarshal([]byte(ev.Payload), &e) == nil {
			t.witness.heard(e)
		}
	case *page.EventWindowOpen:
		t.witness.heard(event{at: now, Kind: "info", Text: "a new window for " + ev.URL + " (not followed)"})
	case *page.EventJavascriptDialogOpening:
		t.witness.heard(event{at: now, Kind: "info", Text: fmt.Sprintf("a dialog (%s, accepted): %s", ev.Type, ev.Message)})
		go t.acceptDialog(ev.DefaultPrompt)
	}
}

// listenBrowser gets the events of the whole browser, under the same rules.
func (t *Tab) listenBrowser(ev any) {
	if ev, ok := ev.(*browser.EventDownloadWillBegin); ok && ev.FrameID == t.frame {
		t.witness.heard(event{at: time.Now(), Kind: "info", Text: "a download of " + ev.SuggestedFilename + " (not kept)"})
	}
}

// acceptDialog answers a dialog, which holds up the whole page until then.
func (t *Tab) acceptDialog(prompt string) {
	ctx, cancel := context.WithTimeout(t.ctx, closeTimeout)
	defer cancel()
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true, PromptText: prompt})
		return err
	})
	if err != nil {
		t.opts.Log.Debug("a dialog could not be answered", "error", err)
	}
}

package browser

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/stepledger/stepledger/domain/weburl"
)

// witness records network traffic and messages of pages. It outlives documents, so a
// toast shown just before a page was left is still reported.
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

// call is a request that has not ended. counted: an action caused it and it has no
// answer yet.
type call struct {
	since        time.Time
	method, path string
	counted      bool
}

// event is one message of a page.
type event struct {
	at   time.Time
	Kind string `json:"kind"` // added, removed, error, success, info
	Text string `json:"text"`
}

const (
	// longPoll is the age from which a request counts as one that is meant to stay
	// open.
	longPoll = 3 * time.Second
	// keptEvents bounds the log of a tab.
	keptEvents = 200
	// keptFailures bounds the reported requests of an action.
	keptFailures = 10
	// keptAddresses bounds the addresses remembered to recognise polling.
	keptAddresses = 1000
	// recentEvents is how many events a capture has (spec: dom-extraction §2.5.3).
	recentEvents = 10
)

func newWitness() *witness {
	return &witness{underWay: map[network.RequestID]call{}, idle: map[string]int{}}
}

// beginAction starts a new count of requests and events.
func (w *witness) beginAction() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acting, w.requests, w.failed, w.thrown, w.marked = true, 0, nil, 0, w.dropped+len(w.log)
	for id, c := range w.underWay {
		c.counted = false // another action's
		w.underWay[id] = c
	}
}

// isActing reports that an action is under way.
func (w *witness) isActing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acting
}

// endAction ends an action: later requests are the page's own.
func (w *witness) endAction() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acting = false
}

// traffic counts the requests begun since the action began, without polling.
func (w *witness) traffic() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// sinceMark returns the events since the action began.
func (w *witness) sinceMark() []event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]event(nil), w.log[max(0, w.marked-w.dropped):]...)
}

// pending counts the requests since the action began that have no answer.
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

// recordScriptError records an uncaught error of a script.
func (w *witness) recordScriptError() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.thrown++
}

func (w *witness) scriptErrors() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.thrown
}

// idleFor is how long no request has been under way, without long polls. An action's
// own requests always count.
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

// recordRequest records a request. An address (without query) that was requested
// twice while no action ran is polling, which no action caused.
func (w *witness) recordRequest(id network.RequestID, method, address string, kind network.ResourceType, now time.Time) {
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
		c.counted = isDataRequest(kind)
	case !w.acting && len(w.idle) < keptAddresses:
		w.idle[address]++
	}
	w.underWay[id] = c
}

// isDataRequest reports requests whose answer the page uses; a missing picture is no
// failure.
func isDataRequest(kind network.ResourceType) bool {
	return kind == network.ResourceTypeDocument || kind == network.ResourceTypeXHR || kind == network.ResourceTypeFetch
}

// recordStatus records a request's status, 0 if it had no answer.
func (w *witness) recordStatus(id network.RequestID, status int) {
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

// withoutOrigin is the path of a URL, "" if it has none.
func withoutOrigin(address string) string {
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// failures returns the requests since the action began that failed.
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

// lines formats the newest events for the server.
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

// texts returns the texts of events of one kind.
func texts(events []event, kind string) []string {
	var out []string
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return out
}

// listen handles a window's events on the goroutine that reads them. It must be quick
// and must not call the browser.
func (t *Tab) listen(w *window) func(any) {
	return func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			t.witness.recordScriptError()
		case *runtime.EventBindingCalled:
			e := event{at: time.Now()}
			if ev.Name == binding && json.Unmarshal([]byte(ev.Payload), &e) == nil {
				t.witness.heard(e)
			}
		case *page.EventWindowOpen:
			if !t.opened.asked(ev.URL, t.witness.isActing()) {
				t.witness.info("a new window for " + ev.URL + " (not followed)")
			}
		case *page.EventJavascriptDialogOpening:
			w.dialog.opened(dialog{kind: ev.Type, message: ev.Message, text: ev.DefaultPrompt})
			t.witness.info(fmt.Sprintf("a dialog (%s): %s", ev.Type, ev.Message))
		case *page.EventFrameAttached:
			w.frames.attached(ev.FrameID, ev.ParentFrameID)
		case *page.EventFrameDetached:
			w.frames.detached(ev.FrameID)
		case *page.EventFrameNavigated:
			w.frames.navigated(ev.Frame.ID)
		case *page.EventFileChooserOpened:
			w.chooser.ask(ev.BackendNodeID)
			t.witness.info("the page asks for a file")
		case *page.EventJavascriptDialogClosed:
			w.dialog.closed()
		default:
			t.witness.network(ev)
		}
	}
}

// network records the events of requests.
func (w *witness) network(ev any) {
	now := time.Now()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		w.recordRequest(ev.RequestID, ev.Request.Method, ev.Request.URL, ev.Type, now)
	case *network.EventResponseReceived:
		w.recordStatus(ev.RequestID, int(ev.Response.Status))
	case *network.EventLoadingFinished:
		w.ended(ev.RequestID, now)
	case *network.EventLoadingFailed:
		if !ev.Canceled {
			w.recordStatus(ev.RequestID, 0)
		}
		w.ended(ev.RequestID, now)
	}
}

// info records what is news, and neither good nor bad.
func (w *witness) info(text string) { w.heard(event{at: time.Now(), Kind: "info", Text: text}) }

// listenBrowser handles the whole browser's events, under the same rules.
func (t *Tab) listenBrowser(ev any) {
	switch ev := ev.(type) {
	case *target.EventTargetCreated:
		if i := ev.TargetInfo; i.Type == "page" && i.BrowserContextID == t.opened.profile && t.opened.profile != "" {
			t.opened.appeared(i.TargetID, t.witness.isActing())
		}
	case *browser.EventDownloadWillBegin:
		if ev.FrameID == t.first.frame || t.opened.knows(ev.FrameID) {
			t.witness.info("a download of " + ev.SuggestedFilename + " (not kept)")
		}
	}
}

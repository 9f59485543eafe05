package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mortal are the tasks during which the worker is ended: on pages of the table, and on
// the bench.
func mortal(t *testing.T) []page {
	t.Helper()
	all := []page{
		bench(t, "question", []string{"Hello Jas"}, step{Do: ask, Text: "What is the name?"},
			step{Do: "setValue", On: "inp Name", Text: "Jas"}, step{Do: "click", On: "btn Greet"}),
		bench(t, "clicks", []string{"Row added", "Row added", "Row added"}, slices.Repeat([]step{{Do: "click", On: "btn Add row"}}, 3)...),
	}
	for _, name := range []string{"form-submit", "form-chain", "spa-push-state", "navigate-and-back", "frame-cross-origin", "dialog-confirm-accepted"} {
		all = append(all, readPage(t, name+".html"))
	}
	return all
}

// wantEnds is how often the worker is ended at least.
const wantEnds = 200

// The worker is ended before and after each message to a page, entry of the storage and
// request, one after the other: every task ends, nothing happens twice, and nothing is
// left out.
func TestWorker_EndsAnywhere(t *testing.T) {
	t.Parallel()
	tasks := mortal(t)
	lanes := 2
	reapers := make([]*reaper, lanes)
	t.Run("lanes", func(t *testing.T) {
		for lane := range lanes {
			t.Run(strconv.Itoa(lane), func(t *testing.T) {
				t.Parallel()
				r, b := newReaper(t), newBrain(t)
				reapers[lane] = r
				r.logIn(t, b.URL, "token")
				for i := lane; i < len(tasks); i += lanes {
					t.Run(tasks[i].name, func(t *testing.T) { r.through(t, b, tasks[i], i/lanes) })
				}
			})
		}
	})
	ended, kinds := 0, map[string]int{}
	for _, r := range reapers {
		if r == nil {
			return
		}
		ended += r.ended
		for kind, n := range r.kinds {
			kinds[kind] += n
		}
	}
	t.Logf("the worker was ended %d times: %v", ended, kinds)
	if ended < wantEnds && !t.Failed() {
		t.Errorf("the worker was ended %d times, want %d", ended, wantEnds)
	}
	if len(slices.Collect(maps.Keys(kinds))) != 6 {
		t.Errorf("it was not ended before and after everything: %v", kinds)
	}
}

// apart is how many points lie between two ends of one run: what a worker has to do anew
// when it comes back has to fit between them. Runs of a task are shifted against each other,
// and tasks too, so that ends are everywhere.
const apart, shift = 23, 3

// through does a task in several runs, in which the worker ends at other points each.
func (r *reaper) through(t *testing.T, b *brain, p page, number int) {
	for first := number % shift; first < apart; first += shift {
		r.plan(apart, first, 100)
		r.once(t, b, p, fmt.Sprintf("%s-%d", p.name, first))
		if t.Failed() {
			t.Fatalf("with ends at point %d and every %d after it:\n%s", first, apart, strings.Join(r.trace, "\n"))
		}
	}
}

// once does a task once.
func (r *reaper) once(t *testing.T, b *brain, p page, id string) {
	t.Helper()
	s := newSite(t, p)
	play := b.begin(id, s.steps())
	play.mortal = true
	k := r.openTab(t, s.address())
	defer k.forget(t)
	k.query = id + " " + p.Asks
	r.mu.Lock()
	r.tab = k.tab
	r.mu.Unlock()
	k.say(t, map[string]any{"do": "start", "tabId": k.tab, "query": k.query}, func(r run, there bool) bool { return there })
	end := k.until(t, "done", "failed", "question", "stopped", "permission", "file", "held")
	if end.Phase == "question" {
		k.say(t, map[string]any{"do": "reply", "tabId": k.tab, "text": "Jas"}, func(r run, _ bool) bool { return r.Phase != "question" })
		end = k.until(t, "done")
	}
	if end.Phase != "done" {
		t.Errorf("the task is in phase %s: %s %+v\n%s", end.Phase, end.Message, end.Failure, k.log(t, end))
	}
	r.mu.Lock()
	if r.fault != nil {
		t.Error(r.fault)
	}
	r.mu.Unlock()
	play.judge(t, p.Hidden)
	p.judge(t, s, func(expression string) json.RawMessage { return k.where(t, expression) })
}

// say sends a message of the panel until it is seen to have been taken.
func (k *task) say(t *testing.T, request map[string]any, taken func(r run, there bool) bool) {
	t.Helper()
	request["panel"] = 1
	eventually(t, fmt.Sprintf("%v being taken", request["do"]), func() bool {
		if taken(k.record(t)) {
			return true
		}
		k.evaluate(t, k.panel, fmt.Sprintf("chrome.runtime.sendMessage(%s).catch(() => {})", js(t, request)), nil)
		return taken(k.record(t))
	})
}

package interact_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// begun is a task after its first turn on the form, which clicked "Save".
func begun(t *testing.T) (*rig, interact.Answer) {
	t.Helper()
	r := newRig(t)
	r.reasons.acts = []any{click("14"), click("3"), click("14")}
	r.reasons.verdicts = []any{worked, worked}
	first, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	return r, answerOf(t, first)
}

// continued is the next request of the task, with the page; hashed has its hash
// in place of it.
func continued(t *testing.T, first interact.Answer, body string) interact.Request {
	t.Helper()
	req := request(t, form, body)
	req.TaskID = first.TaskID
	return req
}

func hashed(t *testing.T, first interact.Answer, body string) interact.Request {
	t.Helper()
	req := continued(t, first, body)
	req.Capture.DOM, req.PageHash = "", first.DOMHash
	return req
}

func observedPages(t *testing.T, r *rig, id string) (list []task.PageObserved) {
	t.Helper()
	for _, e := range r.eventsOf(t, id) {
		if e, ok := e.(task.PageObserved); ok {
			list = append(list, e)
		}
	}
	return list
}

func TestTurn_AnUnchangedPageIsNeitherReadNorStoredAgain(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		change func(*rig, *interact.Request)
		reads  int32
	}{
		"the same capture":       {func(*rig, *interact.Request) {}, 1},
		"its hash":               {func(_ *rig, req *interact.Request) { req.PageHash = req.Capture.DOMHash(); req.Capture.DOM = "" }, 1},
		"another document":       {func(_ *rig, req *interact.Request) { req.Capture.DOM += " " }, 2},
		"another url":            {func(_ *rig, req *interact.Request) { req.Capture.URL += "/2" }, 2},
		"another focus":          {func(_ *rig, req *interact.Request) { req.Capture.ActiveElement = "3" }, 2},
		"a tree beside it":       {func(_ *rig, req *interact.Request) { req.Capture.Tree = []page.NodeV3{{ID: "1"}} }, 2},
		"two minutes in between": {func(r *rig, _ *interact.Request) { r.now = r.now.Add(2 * time.Minute) }, 2},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, first := begun(t)
			req := continued(t, first, "b")
			c.change(r, &req)
			if _, err := r.Interact(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if n := r.reads.Load(); n != c.reads {
				t.Errorf("the page was read %d times, want %d", n, c.reads)
			}
			seen := observedPages(t, r, first.TaskID)
			if same := seen[0].Page == seen[1].Page; same != (c.reads == 1) {
				t.Errorf("stored as %s and %s", seen[0].Page, seen[1].Page)
			}
		})
	}
}

// Whether the page came, or its hash to this process, or to another: the turn is
// the same.
func TestTurn_AHashIsAsGoodAsThePage(t *testing.T) {
	t.Parallel()
	withPage, first := begun(t)
	res, err := withPage.Interact(t.Context(), continued(t, first, "b"))
	if err != nil {
		t.Fatal(err)
	}
	want := answerOf(t, res)
	wantObserved := observedPages(t, withPage, first.TaskID)[1]

	for name, otherProcess := range map[string]bool{"to this process": false, "to another, which never saw the page": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, first := begun(t)
			h := r.Handler
			if otherProcess {
				h = r.other("i2")
			}
			res, err := h.Interact(t.Context(), hashed(t, first, "b"))
			if err != nil {
				t.Fatal(err)
			}
			got := answerOf(t, res)
			got.TaskID, got.SessionID = want.TaskID, want.SessionID
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer (-with the page +with its hash):\n%s", diff)
			}
			seen := observedPages(t, r, first.TaskID)
			if seen[1].Page != seen[0].Page || len(r.content.bodies) != 1 {
				t.Errorf("the page was stored again, as %s", seen[1].Page)
			}
			e := seen[1]
			e.Session, e.Instance, e.Page = wantObserved.Session, wantObserved.Instance, wantObserved.Page
			if diff := cmp.Diff(wantObserved, e); diff != "" {
				t.Errorf("observed (-with the page +with its hash):\n%s", diff)
			}
			if diff := cmp.Diff(withPage.reasons.verified[0].Page, r.reasons.verified[0].Page); diff != "" {
				t.Errorf("page judged (-with the page +with its hash):\n%s", diff)
			}
		})
	}
}

func TestTurn_WhatComesWithAHashCounts(t *testing.T) {
	t.Parallel()
	r, first := begun(t)
	req := hashed(t, first, "b")
	req.Capture.URL, req.Capture.ActiveElement = "https://clinic.example/form#step2", "3"
	if _, err := r.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if p := r.reasons.verified[0].Page; p.URL != req.Capture.URL || p.ActiveElement != "3" || p.DOMHash != first.DOMHash {
		t.Errorf("judged by a page at %s with focus on %q and hash %s", p.URL, p.ActiveElement, p.DOMHash)
	}
	// What is stored is what was seen, so that the next hash finds it.
	next := hashed(t, first, "c")
	next.Capture.URL = req.Capture.URL
	if _, err := r.other("i2").Interact(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if p := r.reasons.verified[1].Page; p.ActiveElement != "3" {
		t.Errorf("the focus was forgotten: %q", p.ActiveElement)
	}
}

func TestTurn_AnUnknownHashAsksForThePage(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*rig, *interact.Request){
		"of a page never seen": func(_ *rig, req *interact.Request) { req.PageHash = "0000" },
		"of a page that is not kept longer": func(r *rig, _ *interact.Request) {
			r.content.lost = domain.Errorf(domain.NotFound, "NOT_FOUND", "gone")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, first := begun(t)
			req := hashed(t, first, "b")
			change(r, &req)
			other := r.other("i2")
			res, err := other.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Status != "needs_full_dom" || a.NeedsFullDOMReason == "" || a.Action != "" || a.Verification != nil {
				t.Errorf("answer %+v", a)
			}
			// With the page, the action that was pending is judged.
			res, err = other.Interact(t.Context(), continued(t, first, "c"))
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Verification == nil || a.StepIndex != 1 {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

func TestTurn_AHashCannotBeginATask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	req := request(t, form, "a")
	req.Capture.DOM, req.PageHash = "", "0000"
	if _, err := r.Interact(t.Context(), req); domain.KindOf(err) != domain.Invalid {
		t.Errorf("error %v", err)
	}
}

package interact_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

func (r *rig) pauser() commands.PauseTask {
	return commands.PauseTask{Log: r.log, Keys: keys{}, IDs: domain.NewUUID, Clock: r.deps.Clock}
}

func (r *rig) pause(t *testing.T, id string, kind task.PauseKind) {
	t.Helper()
	if h, err := r.pauser().PauseTask(t.Context(), "acme", "ann", id, kind, "let me see"); err != nil || h.Pause == nil {
		t.Fatalf("%+v, %v", h, err)
	}
}

func (r *rig) handBack(t *testing.T, id, note string) {
	t.Helper()
	if h, err := r.pauser().ResumeTask(t.Context(), "acme", "ann", id, note); err != nil || h.Pause != nil {
		t.Fatalf("%+v, %v", h, err)
	}
}

// begin is the first turn of a task.
func begin(t *testing.T, r *rig) interact.Answer {
	t.Helper()
	res, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	return answerOf(t, res)
}

func following(t *testing.T, id, body string) interact.Request {
	t.Helper()
	req := request(t, form, body)
	req.TaskID = id
	return req
}

func TestPause_NothingIsDoneUntilItIsHandedBack(t *testing.T) {
	t.Parallel()
	for _, kind := range []task.PauseKind{task.Paused, task.TakenOver} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3")}, []any{worked}
			id := begin(t, r).TaskID
			r.pause(t, id, kind)
			was, content := names(r.eventsOf(t, id)), len(r.content.bodies)
			next := request(t, page.Page{Title: "Another", Elements: form.Elements}, "b")
			next.TaskID = id
			for range 2 {
				_, err := r.Interact(t.Context(), next)
				wantCode(t, err, domain.Conflict, domain.CodeTaskPaused)
				if e := asError(t, err); e.RetryAfter != 5*time.Second || !strings.Contains(e.Msg, "user ann") || e.Details["kind"] != string(kind) {
					t.Errorf("%+v", e)
				}
			}
			if diff := cmp.Diff(was, names(r.eventsOf(t, id))); diff != "" || len(r.content.bodies) != content || len(r.reasons.verified) > 0 {
				t.Errorf("something was done: %s", diff)
			}
			seen, err := r.Interact(t.Context(), request(t, form, "a"))
			if err != nil || !seen.Replayed {
				t.Errorf("a request that was answered before: replayed %v, %v", seen.Replayed, err)
			}
			r.handBack(t, id, "")
			res, err := r.Interact(t.Context(), next)
			if err != nil || answerOf(t, res).Action != `click("3")` {
				t.Errorf("after the hand-back: %s, %v", res.Answer, err)
			}
		})
	}
}

func asError(t *testing.T, err error) *domain.Error {
	t.Helper()
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		t.Fatalf("%v is for nobody to read", err)
	}
	return e
}

// A turn that is at work when the pause comes ends as usual: its answer was paid for. So
// does one under which the task was handed back again, with a note that the next turn
// tells.
func TestPause_WhileATurnIsAtWork(t *testing.T) {
	t.Parallel()
	for name, handedBack := range map[string]bool{"paused": false, "and handed back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			working, resume := make(chan struct{}), make(chan struct{})
			var once sync.Once
			r := newRig(t, func(d *interact.Deps) {
				d.Hook = func(point string) {
					if point == "turn.decided" {
						once.Do(func() { close(working); <-resume })
					}
				}
			})
			r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3")}, []any{worked}
			req := request(t, form, "a")
			var wg sync.WaitGroup
			var res interact.Result
			var err error
			wg.Go(func() { res, err = r.Interact(t.Context(), req) })
			<-working
			id := task.IDFor(req.Tenant, req.User, req.Key)
			r.pause(t, id, task.TakenOver)
			_, busy := r.Interact(t.Context(), req)
			wantCode(t, busy, domain.Conflict, domain.CodeConflict)
			want := []string{task.NamePageObserved, task.NameTaskPaused}
			if handedBack {
				r.handBack(t, id, "use the menu")
				want = append(want, task.NameTaskHandedBack)
			}
			close(resume)
			wg.Wait()
			if err != nil || answerOf(t, res).Action != `click("14")` {
				t.Fatalf("%s, %v", res.Answer, err)
			}
			want = append(want, task.NameTaskStarted, task.NameActionGenerated, task.NameTurnEnded)
			if diff := cmp.Diff(want, names(r.eventsOf(t, id))); diff != "" {
				t.Error(diff)
			}
			again, err := r.Interact(t.Context(), req)
			if err != nil || !again.Replayed || string(again.Answer) != string(res.Answer) {
				t.Errorf("asked again: %s, %v", again.Answer, err)
			}
			r.now = r.now.Add(time.Second)
			_, err = r.Interact(t.Context(), following(t, id, "b"))
			if !handedBack {
				wantCode(t, err, domain.Conflict, domain.CodeTaskPaused)
				return
			}
			if err != nil || len(r.reasons.asked) != 2 || !slices.Contains(r.reasons.asked[1].Answers, "use the menu") {
				t.Errorf("the next turn: %v, asked with %+v", err, r.reasons.asked)
			}
		})
	}
}

// A pause that races with a request: the request is answered, or refused as paused and
// answered once the task was handed back. None is lost, and none runs twice.
func TestPause_RacesWithARequest(t *testing.T) {
	t.Parallel()
	for n := range 50 {
		r := newRig(t)
		r.reasons.acts, r.reasons.verdicts = []any{click("3"), click("14")}, []any{worked}
		id := begin(t, r).TaskID
		r.now = r.now.Add(time.Second)
		req := following(t, id, "b")
		var wg sync.WaitGroup
		var err error
		wg.Go(func() { _, err = r.Interact(t.Context(), req) })
		wg.Go(func() {
			for range n * 20 { // at any moment of the turn
				runtime.Gosched()
			}
			r.pause(t, id, task.Paused)
		})
		wg.Wait()
		if err != nil && asError(t, err).Code != domain.CodeTaskPaused {
			t.Fatal(err)
		}
		r.handBack(t, id, "")
		res, again := r.Interact(t.Context(), req)
		if again != nil || res.Replayed != (err == nil) || answerOf(t, res).Action != `click("14")` {
			t.Fatalf("the first time %v; again: %s, replayed %v, %v", err, res.Answer, res.Replayed, again)
		}
	}
}

// The note of a hand-back reaches whoever decides as the user's words, and answers a
// question that was open.
func TestPause_TheNoteIsTheUsersWord(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{UserQuestion: "Which form?"}, click("14")}
	id := begin(t, r).TaskID
	r.pause(t, id, task.Paused)
	r.handBack(t, id, "the red form")
	if _, err := r.Interact(t.Context(), following(t, id, "b")); err != nil {
		t.Fatal(err)
	}
	q := r.reasons.asked[1]
	if diff := cmp.Diff([]string{"the red form"}, q.Answers); diff != "" {
		t.Error(diff)
	}
	if s := commands.Tasks.Fold(task.Initial(), r.eventsOf(t, id)...); s.Question != "" {
		t.Errorf("%q is still asked", s.Question)
	}
}

// After a takeover an action that the page speaks against is neither failed nor
// corrected: what comes next is decided from the page as it is.
func TestPause_AnActionIsNotBlamedForATakeover(t *testing.T) {
	t.Parallel()
	for _, kind := range []task.PauseKind{task.Paused, task.TakenOver} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = []any{click("3"), click("14")}, []any{didNot}, []any{retryWith("14")}
			id := begin(t, r).TaskID
			r.pause(t, id, kind)
			r.handBack(t, id, "I did the first part")
			res, err := r.Interact(t.Context(), following(t, id, "b"))
			if err != nil {
				t.Fatal(err)
			}
			a := answerOf(t, res)
			if kind == task.Paused {
				if a.Status != "correcting" || a.Verification.Outcome != string(reasoning.Failed) {
					t.Errorf("a pause without a takeover: %s", res.Answer)
				}
				return
			}
			if a.Status != "executing" || a.Verification.Outcome != string(reasoning.Undecided) || len(r.reasons.failures) > 0 {
				t.Errorf("%s", res.Answer)
			}
			s := commands.Tasks.Fold(task.Initial(), r.eventsOf(t, id)...)
			if s.ConsecutiveFailures != 0 {
				t.Errorf("%d failures", s.ConsecutiveFailures)
			}
			steps := r.reasons.asked[1].Steps
			if len(steps) != 1 || !steps[0].Undecided || !strings.Contains(steps[0].Reason, "A person worked on the page") {
				t.Errorf("the next action was asked with %+v", steps)
			}
		})
	}
}

// What may have been submitted before a takeover is not submitted again: the user is
// asked, and only their word counts against it.
func TestPause_ATakeoverSendsNothingTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reply string
		note        bool // the reply comes with another hand-back
		status      string
		verdict     reasoning.Outcome
		sent        int
	}{
		{name: "they say yes", reply: "yes", status: "executing", verdict: reasoning.Succeeded, sent: 1},
		{name: "they say yes when they hand it back", reply: "yes", note: true, status: "executing", verdict: reasoning.Succeeded, sent: 1},
		{name: "they say something else", reply: "look at the menu", status: "executing", verdict: reasoning.Undecided, sent: 1},
		{name: "they say no", reply: "no", status: "correcting", verdict: reasoning.Failed, sent: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = []any{click("14"), click("3")}, []any{didNot, didNot}, []any{retryWith("14")}
			id := begin(t, r).TaskID
			r.pause(t, id, task.TakenOver)
			r.handBack(t, id, "")
			res, err := r.Interact(t.Context(), following(t, id, "b"))
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Status != "needs_user_input" || !strings.Contains(a.UserQuestion, "Did it work") {
				t.Fatalf("%s", res.Answer)
			}
			replied := following(t, id, "c")
			if c.note {
				r.pause(t, id, task.Paused)
				r.handBack(t, id, c.reply)
			} else {
				replied.Query = c.reply
			}
			res, err = r.Interact(t.Context(), replied)
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Status != c.status || a.Verification.Outcome != string(c.verdict) {
				t.Errorf("%s", res.Answer)
			}
			sent := 0
			for _, e := range r.eventsOf(t, id) {
				switch e := e.(type) {
				case task.ActionGenerated:
					sent += map[bool]int{true: 1}[e.MaySubmit]
				case task.CorrectionIssued:
					sent += map[bool]int{true: 1}[e.MaySubmit]
				}
			}
			if sent != c.sent {
				t.Errorf("sent %d times", sent)
			}
		})
	}
}

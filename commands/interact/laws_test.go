package interact_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/task/tasktest"
)

// Whatever pages come, whatever a reasoner says of them and wherever a process
// dies: the history keeps its laws, and every answer is one the client can do
// something with (journey.check).
func TestInteract_KeepsTheLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		j := depart(t, rt)
		for range rapid.IntRange(1, 25).Draw(rt, "requests") {
			j.send()
		}
	})
}

// Whatever pages a client sends, again and again or not, with a word of the user or
// without: a task comes to its end within its limits.
func TestInteract_EveryTaskEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		j := depart(t, rt)
		l := j.limits
		if rapid.Bool().Draw(rt, "a reasoner that knows nothing") {
			deps := j.rig.deps
			deps.Limits, deps.Reasoner = l, unsure{}
			j.rig.Handler = interact.New(deps)
		}
		most := (l.MaxSteps*(1+l.MaxCorrections) + 1) * (l.MaxQuestions + 1)
		stays := rapid.Bool().Draw(rt, "the same request for ever")
		for range most {
			req := j.next()
			if req.Key = ""; stays && j.last != nil {
				req = *j.last
			}
			if j.task == "" {
				req.Key = "first"
			}
			j.hold()
			req.Witness.Chain = nil // one of another chain is refused, again and again
			res, err := j.interact(req)
			var told *domain.Error
			if err != nil && errors.As(err, &told) && told.Kind == domain.Unavailable {
				return // the model is out of reach, and the turn stays open
			}
			if err != nil && errors.As(err, &told) && told.Code == domain.CodeTaskPaused {
				res, _ = j.afterHandBack(req)
			}
			if j.task == "" && res.TaskID != "" {
				j.task = res.TaskID
				req.TaskID, req.Key = res.TaskID, ""
			}
			if j.task != "" && commands.Tasks.Fold(task.Initial(), j.events()...).Ended() {
				return
			}
			j.last = &req
		}
		rt.Fatalf("the task goes on after %d requests", most)
	})
}

// afterHandBack sends a request again once the task was handed back.
func (j *journey) afterHandBack(req interact.Request) (interact.Result, error) {
	c := commands.PauseTask{Log: j.rig.log, Keys: keys{}, IDs: domain.NewUUID, Clock: j.rig.deps.Clock}
	if _, err := c.ResumeTask(j.t.Context(), "acme", "u1", j.task, ""); err != nil {
		j.rt.Fatal(err)
	}
	return j.interact(req)
}

// journey is one task, from request to request.
type journey struct {
	t      *testing.T
	rt     *rapid.T
	rig    *rig
	limits task.Limits
	// dies is the point of a turn at which the process does.
	dies string

	page     page.Page
	client   action.Abilities
	task     string
	last     *interact.Request
	answered *interact.Result
	sent     int
	hash     string
}

// death is what a dying process panics with.
type death struct{}

func depart(t *testing.T, rt *rapid.T) *journey {
	small := func(what string, most int) int { return rapid.IntRange(1, most).Draw(rt, what) }
	j := &journey{t: t, rt: rt, client: rapid.SampledFrom([]action.Abilities{"", action.Declared([]string{"press", "chain"})}).Draw(rt, "client"), limits: task.Limits{
		MaxSteps: small("steps", 12), MaxCorrections: small("corrections", 3), MaxConsecutiveFailures: small("failures", 4),
		MaxIdle: small("idle", 5), MaxRepeats: small("repeats", 4), MaxRounds: small("rounds", 3), MaxLooks: small("looks", 3), MaxQuestions: small("questions", 6), Lease: 2 * time.Minute,
	}}
	j.rig = newRig(t, func(d *interact.Deps) {
		d.Limits, d.Reasoner = j.limits, dice{rt}
		if rapid.Bool().Draw(rt, "the web can be searched") {
			d.Search = web{}
		}
		d.Hook = func(point string) {
			if point == j.dies {
				panic(death{})
			}
		}
	})
	return j
}

// send sends a request: the next one, or the last again; and checks what comes
// of it.
func (j *journey) send() {
	j.rig.now = j.rig.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 3 * time.Minute}).Draw(j.rt, "later"))
	j.dies = rapid.SampledFrom([]string{"", "", "", "", "", "turn.claimed", "turn.decided", "turn.ended"}).Draw(j.rt, "dies")
	j.hold()
	again := j.last != nil && rapid.IntRange(0, 4).Draw(j.rt, "again") == 0
	req := j.next()
	if again {
		req = *j.last
	}
	was := j.events()
	res, err := j.interact(req)
	j.check(req, again, was, res, err)
	j.last = &req
}

// hold is somebody who pauses the task, takes it over or hands it back, now and then.
func (j *journey) hold() {
	if j.task == "" {
		return
	}
	c := commands.PauseTask{Log: j.rig.log, Keys: keys{}, IDs: domain.NewUUID, Clock: j.rig.deps.Clock}
	var err error
	switch rapid.IntRange(0, 11).Draw(j.rt, "held") {
	case 0:
		_, err = c.PauseTask(j.t.Context(), "acme", "u1", j.task, task.Paused, "")
	case 1:
		_, err = c.PauseTask(j.t.Context(), "acme", "u1", j.task, task.TakenOver, "wait")
	case 2, 3, 4:
		_, err = c.ResumeTask(j.t.Context(), "acme", "u2", j.task, rapid.SampledFrom([]string{"", "yes", "it is done"}).Draw(j.rt, "note"))
	}
	var told *domain.Error
	if err != nil && (!errors.As(err, &told) || told.Code != domain.CodeTaskCompleted && told.Code != domain.CodeTaskNotFound) {
		j.rt.Fatal(err)
	}
}

func (j *journey) next() interact.Request {
	if j.sent == 0 || rapid.IntRange(0, 2).Draw(j.rt, "moves on") == 0 {
		j.page = rapid.SampledFrom(places).Draw(j.rt, "page")
	}
	req := request(j.t, j.page, strconv.Itoa(j.sent))
	j.sent++
	req.TaskID, req.Witness, req.Client = j.task, anyWitness(j.rt), j.client
	if j.task != "" && rapid.Bool().Draw(j.rt, "keyless") {
		req.Key = ""
	}
	if rapid.IntRange(0, 5).Draw(j.rt, "says") == 0 {
		req.Query = rapid.SampledFrom([]string{"yes", "no", "and then " + strconv.Itoa(j.sent)}).Draw(j.rt, "words")
	}
	if j.hash != "" && rapid.IntRange(0, 4).Draw(j.rt, "hash only") == 0 {
		req.PageHash = rapid.SampledFrom([]string{j.hash, "unknown"}).Draw(j.rt, "hash")
		req.Capture = page.Capture{URL: req.Capture.URL}
	}
	return req
}

// interact sends a request to a process that may die of it.
func (j *journey) interact(req interact.Request) (res interact.Result, err error) {
	defer func() {
		switch died := recover().(type) {
		case nil:
		case death:
			err = died
		default:
			panic(died)
		}
	}()
	return j.rig.Interact(j.t.Context(), req)
}

func (death) Error() string { return "the process died" }

func (j *journey) events() []task.Event {
	if j.task == "" {
		return nil
	}
	return j.rig.eventsOf(j.t, j.task)
}

func (j *journey) check(req interact.Request, again bool, was []task.Event, res interact.Result, err error) {
	if j.task == "" {
		j.task = domain.DeriveUUID("task", req.Tenant, req.User, req.Key)
	}
	history := j.events()
	if broken := tasktest.Check(history, j.limits); broken != nil {
		j.rt.Fatal(broken)
	}
	state := commands.Tasks.Fold(task.Initial(), history...)
	var told *domain.Error
	switch {
	case errors.Is(err, death{}):
		j.answered = nil
		return
	case err != nil && !errors.As(err, &told):
		j.rt.Fatalf("an error nobody can read: %v", err)
	case err != nil:
		j.refused(told, state, len(history)-len(was))
		return
	}
	if again && req.Key != "" && j.answered != nil && string(j.answered.Answer) != string(res.Answer) {
		j.rt.Fatalf("the same request was answered\n%s, and before\n%s", res.Answer, j.answered.Answer)
	}
	if res.Replayed && len(history) != len(was) {
		j.rt.Fatal("a replay changed something")
	}
	if !res.Replayed {
		j.doable(answerOf(j.t, res), state)
	}
	j.answered = &res
}

// refused: a task that has ended says so; a limit and a conflict are told; what
// is out of reach for the moment leaves the turn open for the same request.
func (j *journey) refused(err *domain.Error, s task.State, appended int) {
	j.answered = nil
	limit := slices.Contains([]string{domain.CodeMaxSteps, domain.CodeMaxFailures, domain.CodeMaxRetries}, err.Code)
	switch {
	case err.Code == domain.CodeTaskCompleted && s.Ended() && appended == 0:
	case err.Code == domain.CodeConflict && s.Turn.Open && appended == 0:
	case err.Code == domain.CodeTaskPaused && s.Pause != nil && appended == 0 && err.RetryAfter > 0:
	case err.Kind == domain.Invalid && err.Field == "lastExecutedActionIndex" && appended == 0:
	case err.Code == "LLM_ERROR" && err.Kind == domain.Unavailable && s.Turn.Open:
	case limit && err.Kind == domain.Invalid && s.Status == task.Failed && s.Code == err.Code:
	case err.Kind == domain.NotFound && !s.Exists(): // the process died before the task was there
		j.task = ""
	case err.Kind == domain.Invalid && err.Field == "dom" && !s.Exists():
	default:
		j.rt.Fatalf("%v, with %d new events and a task that is %s", err, appended, s.Status)
	}
}

// doable: an action to execute is the pending one and for an element of the page
// as sent; what is over is over; a question is the task's question.
func (j *journey) doable(a interact.Answer, s task.State) {
	j.hash = a.DOMHash
	_, attempt, pending := s.Pending()
	switch a.Status {
	case "executing", "correcting":
		act, err := action.Parse(a.Action)
		switch {
		case err != nil, !pending, a.Thought == "":
			j.rt.Fatalf("%+v, pending %v: %v", a, pending, err)
		case act.Target != attempt.Target.ID || act.Name != attempt.Kind || act.OnServer() || act.EndsTask():
			j.rt.Fatalf("%s is to be done, and the record says %s", a.Action, attempt.Action)
		case act.Target != "" && !onSomePage(act.Target):
			j.rt.Fatalf("no page has what %s is for", a.Action)
		case len(a.Actions) != len(attempt.Chain) || len(a.Actions) > 0 && a.Actions[0].Action != a.Action:
			j.rt.Fatalf("%+v is to be done, and the record says %+v", a.Actions, attempt.Chain)
		}
	case "completed", "failed":
		act, err := action.Parse(a.Action)
		if err != nil || !act.EndsTask() || !s.Ended() || pending && s.Code != domain.CodeNoReply || a.Thought == "" || (s.Status == task.Completed) != (act.Name == action.Finish) {
			j.rt.Fatalf("%+v, and the task is %s: %v", a, s.Status, err)
		}
	case "needs_user_input":
		if a.UserQuestion == "" || s.Question != a.UserQuestion || s.Ended() {
			j.rt.Fatalf("%+v, and the task asks %q", a, s.Question)
		}
	case "needs_full_dom":
		if a.NeedsFullDOMReason == "" || s.Ended() {
			j.rt.Fatalf("%+v", a)
		}
	default:
		j.rt.Fatalf("%+v", a)
	}
}

// places are the pages of a journey.
var places = []page.Page{
	{Headings: []string{"List"}, Elements: []page.Element{saveButton, menuLink}},
	{Headings: []string{"Form"}, Elements: []page.Element{saveButton, menuLink, password, hidden}},
	{Headings: []string{"Form"}, Elements: []page.Element{saveButton, menuLink, password}, Alerts: []page.Alert{{Kind: page.AlertError, Text: "No"}}},
	{Headings: []string{"Nothing"}},
	fields("Fields", "31", ""), fields("Fields", "41", "x"),
}

// fields is a form with three fields; ids count from one.
func fields(heading, from, value string) page.Page {
	p := page.Page{Headings: []string{heading}, Elements: []page.Element{saveButton}}
	first, _ := strconv.Atoi(from)
	for i, name := range []string{"Name", "Street", "City"} {
		p.Elements = append(p.Elements, page.Element{ID: strconv.Itoa(first + i), Role: "textbox", Name: name, Group: "Patient", Value: value})
	}
	page.AssignKeys(p.Elements)
	return p
}

func onSomePage(id string) bool {
	return slices.ContainsFunc(places, func(p page.Page) bool {
		e, ok := p.ByID(id)
		return ok && !e.State.Hidden
	})
}

func anyWitness(t *rapid.T) page.Witness {
	w := page.Witness{}
	switch rapid.IntRange(0, 5).Draw(t, "witness") {
	case 0:
		w.Status, w.Error = "failure", &page.ActionError{Message: "it is gone", Code: "ELEMENT_NOT_FOUND"}
	case 1:
		seen := true
		w.DOMMutated = &seen
	case 2:
		w.Chain = &page.ChainProgress{LastExecuted: rapid.IntRange(-1, 3).Draw(t, "last executed")}
	case 3:
		w.Chain = &page.ChainProgress{LastExecuted: rapid.IntRange(-1, 1).Draw(t, "last executed")}
		w.Status, w.Error = "failure", &page.ActionError{Message: "it is gone", Code: "ELEMENT_NOT_FOUND"}
	}
	return w
}

// dice is a reasoner that says anything.
type dice struct{ t *rapid.T }

var (
	outOfReach = domain.Errorf(domain.Unavailable, "LLM_ERROR", "the model is out of reach")
	errBroken  = errors.New("nobody knows why")
)

func (d dice) action() action.Action {
	return rapid.SampledFrom([]action.Action{
		{Name: action.Click, Target: "14"}, {Name: action.Click, Target: "14"}, {Name: action.Click, Target: "3"},
		{Name: action.Click, Target: "6"}, {Name: action.Click, Target: "99"}, {Name: action.SetValue, Target: "5", Text: "hunter2222"},
		{Name: action.Wait, Seconds: 1}, {Name: action.Press, Text: "Enter"}, {Name: action.Wait, Seconds: 900}, {},
		{Name: action.SetValue, Target: "31", Text: "x"}, {Name: action.SetValue, Target: "41", Text: "x"}, {Name: action.Type, Text: "x"},
	}).Draw(d.t, "action")
}

func (d dice) Act(context.Context, reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	a := reasoning.ActAnswer{Action: d.action(), Thought: "I try.", Confidence: d.confidence(), By: "dice", Final: rapid.Bool().Draw(d.t, "final")}
	switch rapid.IntRange(0, 19).Draw(d.t, "act") {
	case 0:
		return a, outOfReach
	case 1:
		return a, errBroken
	case 2:
		return reasoning.ActAnswer{Undecided: true, Reason: "what is it?", Seeks: "a button"}, nil
	case 3:
		return reasoning.ActAnswer{UserQuestion: "Which?"}, nil
	case 4:
		a.Action = action.Action{Name: action.Finish}
		a.Proof = rapid.SampledFrom([]string{"", "List", "nowhere"}).Draw(d.t, "quote")
	case 5:
		a.Action = action.Action{Name: action.Fail, Text: "I cannot."}
	case 6, 7:
		a.Action = action.Action{Name: action.VerifySuccess, Text: "it is done"}
	case 9, 10, 11, 12:
		a.Action = action.Action{Name: action.SetValue, Target: "31", Text: "x"}
		for _, id := range []string{"32", "33", "14"} {
			a.Next = append(a.Next, reasoning.ActStep{
				Action:  action.Action{Name: action.SetValue, Target: id, Text: "x"},
				CanFail: rapid.Bool().Draw(d.t, "can fail"),
			})
		}
	case 13:
		a.Action = action.Action{Name: action.GoogleSearch, Text: "what is it"}
	case 8:
		a.Expected.NextGoal = &page.NextGoal{Description: "the form", Text: "Form", Required: true}
	}
	return a, nil
}

func (d dice) confidence() float64 {
	return rapid.SampledFrom([]float64{0.9, 0.9, 0.9, 0.7, 0.6, 0.5, 0.2, 0.2, math.NaN(), 3}).Draw(d.t, "confidence")
}

func (d dice) Verify(context.Context, reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	v := reasoning.Verdict{Confidence: d.confidence(), Reason: "so it seems", Tier: 1, By: "dice"}
	switch rapid.IntRange(0, 19).Draw(d.t, "verdict") {
	case 0:
		return v, outOfReach
	case 1, 4, 5, 6, 7:
		v.Undecided = true
		v.Missing = rapid.SampledFrom([]reasoning.Missing{"", reasoning.MissingAnswer, reasoning.MissingSign}).Draw(d.t, "missing")
	case 8, 9:
		v.NoEffect = true
	case 2:
		v.TaskCompleted, v.Proof.Quote = true, "List"
	case 3:
		v.SubTaskCompleted = &v.ActionSucceeded
	}
	return v, nil
}

func (d dice) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	c := reasoning.Correction{Strategy: reasoning.AlternativeSelector, Action: d.action(), Reason: "another", Thought: "I try another.", By: "dice"}
	switch rapid.IntRange(0, 14).Draw(d.t, "correction") {
	case 0:
		return c, outOfReach
	case 1:
		return c, errBroken
	case 2:
		c.Undecided = true
	case 3:
		return reasoning.Correction{Strategy: reasoning.GatherInformation, Reason: "What now?"}, nil
	case 4:
		c.Strategy = reasoning.GiveUp
	case 5:
		c.Action = action.Action{Name: action.Fail, Text: "no"}
	}
	return c, nil
}

func (d dice) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	v := reasoning.Verdict{Confidence: d.confidence(), Reason: "so it looks", Tier: 2, By: "dice"}
	switch rapid.IntRange(0, 9).Draw(d.t, "proof") {
	case 0:
		return v, errBroken
	case 1:
		v.Undecided = true
	}
	return v, nil
}

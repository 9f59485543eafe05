package interact_test

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/reason"
	"github.com/stepledger/stepledger/internal/reason/model"
)

// Answers of a model, as it writes them.
const (
	saysClick    = `{"thought":"I save.","action":"click(\"14\")","expected":"It is saved.","confidence":0.9}`
	opens        = `{"thought":"I open it.","action":"click(\"3\")","expected":"It opens.","confidence":0.9}`
	saysLast     = `{"thought":"I save.","action":"click(\"14\")","confidence":0.9,"final":true}`
	saysMenu     = `{"thought":"I open it.","action":"click(\"3\")","confidence":0.9,"nextGoal":{"description":"the form","text":"Discharge","required":true}}`
	saysAsk      = `{"thought":"","action":"","question":"Which patient?","missing":["name"],"confidence":0.5}`
	saysFinish   = `{"thought":"Done.","action":"finish(\"Jas was added\")","evidence":"Form","confidence":0.9}`
	saysFail     = `{"thought":"I cannot.","action":"fail(\"There is no such ward\")","confidence":0.9}`
	saysLook     = `{"thought":"I look.","action":"verifySuccess(\"Jas is in the list\")","confidence":0.9}`
	itWorked     = `{"reason":"It was saved.","actionSucceeded":true,"taskCompleted":false,"confidence":0.9}`
	itIsAll      = `{"reason":"Jas was added.","actionSucceeded":true,"taskCompleted":true,"evidence":"form","confidence":0.95}`
	itFailed     = `{"reason":"Nothing was saved.","actionSucceeded":false,"taskCompleted":false,"confidence":0.9}`
	isUnsound    = `{"reason":"All is well.","actionSucceeded":true,"taskCompleted":true,"confidence":97}`
	isShown      = `{"reason":"Jas is in the list.","shown":true,"evidence":"Form","confidence":0.9}`
	isNotShown   = `{"reason":"The list is empty.","shown":false,"confidence":0.9}`
	saysRetry    = `{"reason":"It did not react.","strategy":"ALTERNATIVE_SELECTOR","action":"click(\"3\")","thought":"I try another."}`
	saysWait     = `{"reason":"It is loading.","strategy":"RETRY_WITH_DELAY","action":"","thought":"I wait."}`
	saysAskAfter = `{"reason":"","strategy":"GATHER_INFORMATION","action":"","question":"Which ward?"}`
	saysGiveUp   = `{"reason":"The page is broken.","strategy":"FAIL","action":""}`
	unproven     = `{"thought":"Done.","action":"finish(\"Jas was added\")","evidence":"Jas is here","confidence":0.9}`
	nobodySays   = `{"reason":"It may have been saved.","actionSucceeded":true,"taskCompleted":false,"confidence":0.5}`
	itLikelyDid  = `{"reason":"It looks saved.","actionSucceeded":true,"taskCompleted":false,"confidence":0.6}`
	saysFill     = `{"thought":"I fill it in.","action":"","actions":[{"action":"setValue(\"31\", \"Jas\")"},{"action":"setValue(\"32\", \"High Street\")"},{"action":"setValue(\"33\", \"Oslo\")"}],"confidence":0.9}`
	saysSearch   = `{"thought":"I look it up.","action":"googleSearch(\"wards of the clinic\")","confidence":0.9}`
	rubbish      = `I think it went well!`
	longestTask  = longTask + ", send it to jas@acme.example, open the calendar, book the first free hour of Monday, set a reminder for Tuesday and sign the form"
	longTask     = "Add a new patient called Jas, choose the ward South for her, and then print the list of all patients of that ward"
	saysPlan     = `{"sources":["PAGE"],"evidence":"The list is here.","steps":[{"description":"Open the form","toolType":"DOM"},{"description":"Save","toolType":"DOM"}],"contingencies":[{"name":"a notice","text":"Nothing was saved","steps":[{"description":"Close the notice","toolType":"DOM"}]}],"confidence":0.9}`
	asksFirst    = `{"sources":["ASK_USER"],"evidence":"No ward is named.","question":"Which ward?","missing":["ward"],"steps":[],"confidence":0.4}`
	objects      = `{"approved":false,"reason":"That is the wrong button."}`
	approves     = `{"approved":true,"reason":""}`
	saysUnsure   = `{"thought":"I save.","action":"click(\"14\")","confidence":0.6}`
)

// visit is one request and what becomes of it.
type visit struct {
	task   string // the query of the first request, if it is not the usual one
	says   string // a reply to what the user was asked, else the query again
	hash   string // instead of the page
	models []string
	status string
	// code of the error that ends the task.
	code  string
	edges string // that were walked, in order
	// steps, waiting, repeats and corrections, where set, are the limits of steps, of
	// questions, of repetitions and of corrections.
	steps, waiting, repeats, corrections int
	// oneCall: a verdict may come with the next action.
	oneCall bool
	// wants is what is decided whatever the model would say.
	wants []reasoning.ActAnswer
	// on is the page, if it is another than graphPage, and saw what the client reports.
	on  *page.Page
	saw page.Witness
}

// TestGraph_EveryEdgeIsWalked: with a model to judge, correct and confirm where
// the rules do not know, each way through the graph is taken, and no edge is left
// that nobody has seen taken.
func TestGraph_EveryEdgeIsWalked(t *testing.T) {
	t.Parallel()
	const start, goesOn = "observe: nothing pending, plan: ready, act: proposed, review: decided", "observe: action pending, verify: succeeded, plan: ready, act: proposed, review: decided"
	const looks = "observe: action pending, verify: undecided, look again: decided"
	first := visit{models: []string{saysClick}, status: "executing", edges: start}
	last := visit{models: []string{saysLast}, status: "executing", edges: start}
	corrected := visit{models: []string{itFailed, saysRetry}, status: "correcting", edges: "observe: action pending, verify: failed, correct: decided"}
	scenarios := map[string][]visit{
		"a step that worked, and a word that it is done": {first, {
			models: []string{itWorked, saysFinish}, status: "completed",
			edges: "observe: action pending, verify: succeeded, plan: ready, act: over, finish: over",
		}},
		"a final step by which the goal is achieved": {last, {
			models: []string{itIsAll}, status: "completed", edges: "observe: action pending, verify: goal achieved, finish: over",
		}},
		"a final step that was not all": {last, {models: []string{itWorked, saysClick}, status: "executing", edges: goesOn}},
		"a step that failed and is corrected": {first, corrected, {
			models: []string{itWorked, saysClick}, status: "executing", edges: goesOn,
		}},
		"a step that is all by the verdict, and not by whoever acts": {first, {
			models: []string{itIsAll, saysClick}, status: "executing", edges: goesOn,
		}},
		"a yes that is not sure is gone on from, and not corrected": {first, {
			models: []string{itLikelyDid, saysMenu}, status: "executing",
			edges: "observe: action pending, verify: undecided, look again: succeeded, act: proposed, review: decided",
		}},
		"a page to wait for": {first, {
			models: []string{itFailed, saysWait}, status: "correcting", edges: "observe: action pending, verify: failed, correct: decided",
		}},
		"a failure only the user can help with": {
			first,
			{models: []string{itFailed, saysAskAfter}, status: "needs_user_input", edges: "observe: action pending, verify: failed, correct: asked"},
			{says: "ward South", models: []string{saysClick, approves}, status: "executing", edges: start},
		},
		"a submission that failed, and the user does not want again": {
			first,
			{models: []string{itFailed, saysAskAfter}, status: "needs_user_input", edges: "observe: action pending, verify: failed, correct: asked"},
			{says: "no", models: []string{saysClick, approves}, status: "failed", edges: "observe: nothing pending, plan: ready, act: proposed, review: over, finish: over"},
		},
		"an end while a step is not decided": {
			{models: []string{opens}, status: "executing", edges: start},
			{models: []string{nobodySays, unproven}, status: "executing", edges: "observe: action pending, verify: undecided, look again: succeeded, act: decided"},
		},
		"a failure nobody can help with": {first, {
			models: []string{itFailed, saysGiveUp}, status: "failed", edges: "observe: action pending, verify: failed, correct: over, finish: over",
		}},
		"a correction that was tried is repaired": {first, {
			models: []string{itFailed, strings.Replace(saysRetry, "3", "14", 1), saysRetry}, status: "correcting",
			edges: "observe: action pending, verify: failed, correct: decided",
		}},
		"a model that has no correction": {first, {
			models: []string{itFailed, rubbish, rubbish}, status: "needs_user_input", edges: "observe: action pending, verify: failed, correct: asked",
		}},
		"the limit of corrections": {first, corrected, {
			models: []string{itFailed}, code: "MAX_RETRIES_EXCEEDED",
			edges: "observe: action pending, verify: failed, correct: over, finish: over",
		}},
		"what comes next is not there": {{models: []string{saysMenu}, status: "executing", edges: start}, {
			models: []string{itWorked, strings.Replace(saysRetry, "3", "14", 1)}, status: "correcting",
			edges: "observe: action pending, verify: failed, correct: decided",
		}},
		"a confidence that is none is no success": {first, {
			models: []string{isUnsound}, status: "executing", edges: looks,
		}},
		"a verdict nobody can read is looked at again, and decided later": {
			first, {models: []string{rubbish, rubbish}, status: "executing", edges: looks},
			{status: "executing", edges: looks},
			{status: "executing", edges: looks},
			{models: []string{itWorked, saysMenu}, status: "executing", edges: goesOn},
		},
		"a submission nobody can tell of is asked about, and not repeated": {
			first, {models: []string{nobodySays}, status: "executing", edges: looks},
			{status: "executing", edges: looks},
			{status: "executing", edges: looks},
			{models: []string{nobodySays}, status: "needs_user_input", edges: "observe: action pending, verify: undecided, look again: asked"},
			{says: "hard to say", models: []string{nobodySays, saysClick}, status: "needs_user_input", edges: "observe: action pending, verify: undecided, look again: succeeded, act: proposed, review: asked"},
			{says: "yes", models: []string{saysFinish}, status: "completed", edges: "observe: action pending, verify: succeeded, plan: ready, act: over, finish: over"},
		},
		"a goal reached while a submission is not decided is shown first": {
			first, {models: []string{nobodySays}, status: "executing", edges: looks},
			{status: "executing", edges: looks},
			{status: "executing", edges: looks},
			{models: []string{nobodySays}, status: "needs_user_input", edges: "observe: action pending, verify: undecided, look again: asked"},
			{says: "hard to say", models: []string{nobodySays, opens}, status: "executing", edges: "observe: action pending, verify: undecided, look again: succeeded, act: proposed, review: decided"},
			{
				models: []string{itIsAll, saysFinish, isShown}, status: "completed",
				edges: "observe: action pending, verify: succeeded, plan: ready, act: claimed, confirm: over, finish: over",
			},
		},
		"a step nobody can tell of is gone on from": {
			{models: []string{opens}, status: "executing", edges: start},
			{models: []string{nobodySays, saysClick}, status: "executing", edges: "observe: action pending, verify: undecided, look again: succeeded, act: proposed, review: decided"},
		},
		"a look past the last step": {
			first, {models: []string{nobodySays}, status: "executing", edges: looks},
			{steps: 2, code: "MAX_STEPS_EXCEEDED", edges: "observe: action pending, verify: undecided, look again: over, finish: over"},
		},
		"a client that never sends the page": {
			first, {hash: strings.Repeat("0", 64), waiting: 1, status: "failed", edges: "observe: over, finish: over"},
		},
		"an end that the page does not show": {{
			models: []string{unproven, isNotShown, saysClick, approves}, status: "executing",
			edges: "observe: nothing pending, plan: ready, act: claimed, confirm: failed, act: proposed, review: decided",
		}},
		"a verdict that is repaired": {first, {
			models: []string{rubbish, itFailed, saysRetry}, status: "correcting", edges: "observe: action pending, verify: failed, correct: decided",
		}},
		"a question before anything is done": {
			{models: []string{saysAsk}, status: "needs_user_input", edges: "observe: nothing pending, plan: ready, act: asked"},
			{says: "Jas", models: []string{saysClick}, status: "executing", edges: start},
		},
		"a task that cannot be done": {{models: []string{saysFail}, status: "failed", edges: "observe: nothing pending, plan: ready, act: over, finish: over"}},
		"a model nobody understands": {
			{models: []string{rubbish, rubbish}, status: "needs_user_input", edges: "observe: nothing pending, plan: ready, act: asked"},
			{says: "Save it", models: []string{saysClick}, status: "executing", edges: start},
		},
		"a page nobody knows": {first, {
			hash: strings.Repeat("0", 64), status: "needs_full_dom", edges: "observe: asked",
		}, {models: []string{itWorked, saysClick}, status: "executing", edges: goesOn}},
		"a look that shows the result": {{
			models: []string{saysLook, isShown, saysFinish}, status: "completed",
			edges: "observe: nothing pending, plan: ready, act: claimed, confirm: succeeded, act: over, finish: over",
		}},
		"a look that does not": {{
			models: []string{saysLook, isNotShown, saysClick, approves}, status: "executing",
			edges: "observe: nothing pending, plan: ready, act: claimed, confirm: failed, act: proposed, review: decided",
		}},
		"a doubtful end that is shown": {first, corrected, {
			models: []string{itWorked, saysFinish, isShown}, status: "completed",
			edges: "observe: action pending, verify: succeeded, plan: ready, act: claimed, confirm: over, finish: over",
		}},
		"a doubtful end that is not": {first, corrected, {
			models: []string{itWorked, saysFinish, isNotShown, saysClick, approves}, status: "executing",
			edges: "observe: action pending, verify: succeeded, plan: ready, act: claimed, confirm: failed, act: proposed, review: decided",
		}},
		"a doubtful end nobody can tell of": {
			first, corrected,
			{
				models: []string{itWorked, saysFinish, rubbish, rubbish}, status: "needs_user_input",
				edges: "observe: action pending, verify: succeeded, plan: ready, act: claimed, confirm: asked",
			},
			{says: "yes, it is", models: []string{saysFinish}, status: "completed", edges: "observe: nothing pending, plan: ready, act: over, finish: over"},
		},
		"a task of several parts is planned": {{
			task: longTask, models: []string{saysPlan, opens}, status: "executing", edges: "observe: nothing pending, plan: ready, act: proposed, review: decided",
		}},
		"a task for which only the user knows something": {
			{task: longTask, models: []string{asksFirst}, status: "needs_user_input", edges: "observe: nothing pending, plan: asked"},
			{says: "ward South", models: []string{saysPlan, opens}, status: "executing", edges: start},
		},
		"a plan that asks too often": {{
			task: longTask, models: []string{asksFirst}, waiting: 1, status: "failed", edges: "observe: nothing pending, plan: over, finish: over",
		}},
		"a failure that the plan foresaw": {
			{task: longTask, models: []string{saysPlan, opens}, status: "executing", edges: start},
			{models: []string{itFailed, saysClick, approves}, status: "executing", edges: "observe: action pending, verify: failed, correct: foreseen, act: proposed, review: decided"},
		},
		"an action that is objected to": {{
			models: []string{saysUnsure, objects, opens}, status: "executing", edges: "observe: nothing pending, plan: ready, act: proposed, review: objected, act: proposed, review: decided",
		}},
		"an unsure action that makes sense": {{models: []string{saysUnsure, approves}, status: "executing", edges: start}},
		"a proof of no probability proves nothing": {first, corrected, {
			models: []string{itWorked, saysFinish, strings.Replace(isShown, "0.9", "9", 1)}, status: "needs_user_input",
			edges: "observe: action pending, verify: succeeded, plan: ready, act: claimed, confirm: asked",
		}},
	}
	maps.Copy(scenarios, chainScenarios())
	maps.Copy(scenarios, partScenarios())
	maps.Copy(scenarios, oneCallScenarios())
	left := interact.Edges()
	for name, visits := range scenarios {
		for _, v := range visits {
			for e := range strings.SplitSeq(v.edges, ", ") {
				left = slices.DeleteFunc(left, func(edge string) bool { return edge == e })
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			walkAsTold(t, visits)
		})
	}
	if slices.Sort(left); len(left) > 0 {
		t.Errorf("nobody walks %q", left)
	}
}

// walkAsTold sends the requests of one task and holds what becomes of them, and
// the way through the graph, against what was told.
func walkAsTold(t *testing.T, visits []visit) {
	t.Helper()
	m := &scripted{t: t}
	var walked []string
	var wants []reasoning.ActAnswer
	r := newRig(t, func(d *interact.Deps) {
		mind := m.reasoner()
		d.Reasoner = &wilful{Reasoner: reason.Chain{Rules: unsure{}, Model: mind}, wants: &wants}
		d.Planner, d.Search = mind, web{}
		d.Limits.MaxCorrections = 1
		d.Hook = func(point string) {
			if slices.Contains(interact.Edges(), point) {
				walked = append(walked, point)
			}
		}
	})
	id := ""
	for i, v := range visits {
		m.answers, walked, wants = v.models, nil, v.wants
		limited := r.Limits
		if v.steps > 0 {
			limited.MaxSteps = v.steps
		}
		if v.waiting > 0 {
			limited.MaxQuestions = 0
		}
		if v.corrections > 0 {
			limited.MaxCorrections = v.corrections
		}
		r.OneCall = v.oneCall
		if v.repeats > 0 {
			limited.MaxRepeats = v.repeats
		}
		r.Limits = limited
		req := request(t, graphPage(i), strconv.Itoa(i))
		if v.on != nil {
			req = request(t, *v.on, strconv.Itoa(i))
		}
		req.TaskID, req.Client, req.Witness = id, takesChains, v.saw
		if v.says != "" || v.task != "" {
			req.Query = v.says + v.task
		}
		if v.hash != "" {
			req.PageHash, req.Capture.DOM = v.hash, ""
		}
		res, err := r.Interact(t.Context(), req)
		if v.code != "" {
			wantCode(t, err, domain.Invalid, v.code)
		} else if err != nil {
			t.Fatalf("visit %d: %v", i, err)
		} else if a := answerOf(t, res); a.Status != v.status {
			t.Errorf("visit %d: %s, want %s: %s", i, a.Status, v.status, a.Thought)
		}
		if diff := cmp.Diff(strings.Split(v.edges, ", "), walked); diff != "" {
			t.Errorf("visit %d: %s", i, diff)
		}
		if len(m.answers) > 0 {
			t.Errorf("visit %d: nobody asked for %q", i, m.answers)
		}
		id = res.TaskID
	}
}

var takesChains = action.Declared([]string{"press", "chain"})

// wilful wants some actions whatever it is asked, and then asks another.
type wilful struct {
	reason.Reasoner
	wants *[]reasoning.ActAnswer
}

func (w *wilful) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	if len(*w.wants) == 0 {
		return w.Reasoner.Act(ctx, q)
	}
	want := (*w.wants)[0]
	*w.wants = (*w.wants)[1:]
	return want, nil
}

// graphPage is the page of the nth visit: it is never quite the same.
func graphPage(n int) page.Page {
	p := form
	p.Alerts = []page.Alert{{Kind: page.AlertOther, Text: "Visit " + strconv.Itoa(n)}}
	return p
}

// scripted is a model that answers what it is told, once each.
type scripted struct {
	t       *testing.T
	answers []string
}

func (s *scripted) reasoner() *model.Reasoner {
	calls := 0
	fake := llmtest.NewFake(func(int) llmtest.Step {
		if len(s.answers) == 0 {
			s.t.Error("the model was asked once too often")
			return llmtest.Step{}
		}
		said := s.answers[0]
		s.answers = s.answers[1:]
		return llmtest.Step{Text: said}
	})
	target := []llm.Target{{Provider: "google", Model: "a-model", Generator: fake}}
	client, err := llm.NewClient(llm.Options{
		Roles:    map[llm.Role][]llm.Target{llm.Fast: target, llm.Smart: target},
		Recorder: llmtest.NewLedger(), Tokens: prompt.Tokens, Attempts: 1,
		NewID: func() string { calls++; return strconv.Itoa(calls) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return model.New(client)
}

// unsure are rules that know nothing, so that the model is asked whatever rules
// will know one day.
type unsure struct{}

func (unsure) Act(context.Context, reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	return reasoning.ActAnswer{Undecided: true, Reason: "I do not know."}, nil
}

func (unsure) Verify(context.Context, reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	return reasoning.Verdict{Undecided: true, Tier: 1, Confidence: 0.5}, nil
}

func (unsure) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return reasoning.Correction{Undecided: true, Strategy: reasoning.GiveUp, Reason: "I tried."}, nil
}

func (unsure) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	return reasoning.Verdict{Undecided: true, Tier: 1, Confidence: 0.5}, nil
}

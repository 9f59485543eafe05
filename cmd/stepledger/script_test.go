package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
)

// An asking is a kind of question to a model.
type asking string

const (
	forAction     asking = "action"
	forVerdict    asking = "verdict"
	forCorrection asking = "correction"
	forProof      asking = "proof"
	forCritique   asking = "critique"
	forPlan       asking = "plan"
	forPlanCheck  asking = "plan check"
)

func askingOf(prompt string) asking {
	switch {
	case asksForVerdict(prompt):
		return forVerdict
	case asksForCorrection(prompt):
		return forCorrection
	case asksForProof(prompt):
		return forProof
	case asksForCritique(prompt):
		return forCritique
	case asksForPlan(prompt):
		return forPlan
	case asksForPlanCheck(prompt):
		return forPlanCheck
	case asksForAction(prompt):
		return forAction
	}
	return "question of no known kind"
}

// line is an answer of the model: a text, or a status in its place. A status lasts
// until the script goes on (play.add).
type line struct {
	text   string
	status int
}

func says(text string) line { return line{text: text} }

func (l line) isOutage() bool { return l.status != 0 }

// script is what the model answers in one task, by kind of question and in order.
type script map[asking][]line

// stage is a server whose model plays scripts, one for each task. A task is known by
// the mark in its text. Tasks may be under way at once; most tests have one after the
// other, which are quick, and wait for their server in the queue of parallel tests:
// those with parallel subtests do not, and too many servers at once run out of
// connections.
type stage struct {
	*server
	mu     sync.Mutex
	plays  []*play
	prompt map[string]line // the answer to a prompt that was not refused
}

// newStage starts a server, with other settings than the usual where a test needs them.
func newStage(t *testing.T, change func(*config)) *stage {
	t.Helper()
	return newHookedStage(t, hooks{}, change)
}

func newHookedStage(t *testing.T, h hooks, change func(*config)) *stage {
	t.Helper()
	model := newFakeGemini(t)
	g := &stage{prompt: map[string]line{}}
	model.refuses = func(prompt string) int {
		l := g.next(prompt)
		g.prompt[prompt] = l
		return l.status
	}
	model.speaks = func(prompt string) string { return g.prompt[prompt].text }
	g.server = newChangedServer(t, model.env(), h, change)
	return g
}

// play is a task under way.
type play struct {
	t     *testing.T
	stage *stage
	query string
	task  string
	// position of the last answer in the log.
	position string

	// last is the newest answer, after stands at the end of every page.
	last  interact.Answer
	after string

	mu      sync.Mutex
	lines   script
	prompts map[asking][]string
	lost    bool // a question had no line
}

// begin gives a task its script. Lines that are left when the test ends, and questions
// without a line, are failures of the test.
func (g *stage) begin(t *testing.T, query string, lines script) *play {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	p := &play{t: t, stage: g, query: fmt.Sprintf("%s (case %03d)", query, len(g.plays)), lines: script{}, prompts: map[asking][]string{}}
	maps.Copy(p.lines, lines)
	g.plays = append(g.plays, p)
	t.Cleanup(func() {
		for q, left := range p.lines {
			if left = slices.DeleteFunc(slices.Clone(left), line.isOutage); len(left) > 0 {
				t.Errorf("%d lines for a %s were not asked for", len(left), q)
			}
		}
		g.replays(t, t.Name(), p.task)
	})
	return p
}

// next is the line for a prompt. The model serves one question at a time.
func (g *stage) next(prompt string) line {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, p := range g.plays {
		if strings.Contains(prompt, fmt.Sprintf("(case %03d)", i)) {
			return p.next(prompt)
		}
	}
	return line{status: http.StatusBadRequest}
}

func (p *play) next(prompt string) line {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := askingOf(prompt)
	p.prompts[q] = append(p.prompts[q], prompt)
	if len(p.lines[q]) == 0 {
		if !p.lost {
			p.t.Errorf("there is no line for this %s:\n%s", q, prompt)
		}
		p.lost = true
		return line{status: http.StatusBadRequest}
	}
	l := p.lines[q][0]
	if l.status == 0 {
		p.lines[q] = p.lines[q][1:]
	}
	return l
}

// add gives the model more to say, where it was out of reach too.
func (p *play) add(lines script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q, more := range lines {
		p.lines[q] = append(slices.DeleteFunc(slices.Clone(p.lines[q]), line.isOutage), more...)
	}
}

// asked is the n-th question of a kind, from 0.
func (p *play) asked(q asking, n int) string {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n >= len(p.prompts[q]) {
		p.t.Fatalf("the model was asked for a %s %d times", q, len(p.prompts[q]))
	}
	return p.prompts[q][n]
}

// send sends what the client sees.
func (p *play) send(v sight) reply {
	p.t.Helper()
	body := map[string]any{"url": clinicURL + "/patients", "query": p.query, "clientCapabilities": abilities}
	if v.page != "" {
		body["dom"] = "<html><body>" + v.page + p.after + "</body></html>"
	}
	if p.task != "" {
		body["taskId"] = p.task
	}
	if v.says != "" {
		body["query"] = v.says
	}
	maps.Copy(body, v.saw)
	return p.stage.post(p.t, "/api/agent/interact", body, nil)
}

// turn sends what the client sees and gives the answer, which begins as it is wanted:
// with its action, or its status where it has none.
func (p *play) turn(v sight) interact.Answer {
	p.t.Helper()
	r := p.send(v)
	a := data[interact.Answer](p.t, r)
	p.task, p.position, p.last = a.TaskID, r.header.Get("X-Event-Position"), a
	got := a.Action
	if got == "" {
		got = a.Status
	}
	if v.want == "" || !strings.HasPrefix(got, v.want) {
		p.t.Fatalf("%s, want %s: %s\n%s", got, v.want, a.Thought, strings.Join(p.story(), "\n"))
	}
	return a
}

// happened compares the events of the task with a story: one line, or part of one between
// slashes, for each event that is not about the turn or a prediction.
func (p *play) happened(want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(strings.Split(strings.Join(want, " / "), " / "), p.story()); diff != "" {
		p.t.Errorf("events (-want +got):\n%s", diff)
	}
}

// story are the events of the task as an engineer reads them over HTTP.
func (p *play) story() (lines []string) {
	p.t.Helper()
	type events struct {
		Events []struct {
			Type string
			Data json.RawMessage
		}
	}
	for _, e := range data[events](p.t, p.stage.get(p.t, "/api/debug/tasks/"+p.task+"/events?limit=1000")).Events {
		var d told
		if err := json.Unmarshal(e.Data, &d); err != nil {
			p.t.Fatalf("%s: %v", e.Type, err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(e.Type, "task."), ".v1")
		if l := d.line(name); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// told is what a line of a story needs of an event.
type told struct {
	Question, Text, Action, Code, Cause, Option, Verdict, Why, Rule, Strategy, RetryAction, Route, For string

	Succeeded, Undecided, TaskCompleted, Widened bool

	Value  string
	Chunks []string

	Recovery string
	Failed   any // whether a search did, or the index of what did in a chain

	Tier, Attempt, Hops, Results int
	Overall                      float64
	Chain                        []struct{ Action string }
	Plan                         struct {
		Steps []struct{ Description string }
	}
}

func (d told) line(event string) string {
	switch event {
	case "page_observed", "turn_ended", "outcome_predicted":
		return ""
	case "user_input_requested":
		return "asks: " + d.Question
	case "user_input_provided":
		return "is told: " + d.Text
	case "action_generated":
		return "does " + d.Action
	case "action_verified":
		return d.verdict()
	case "context_analyzed":
		return "context: " + d.Route
	case "information_checked":
		return fmt.Sprintf("information after %d: %s", d.Hops, d.Route)
	case "web_searched":
		return d.search()
	case "knowledge_found":
		return d.documents()
	case "correction_issued":
		return fmt.Sprintf("corrects %d %s %s", d.Attempt, d.Strategy, d.RetryAction)
	case "plan_made":
		var steps []string
		for _, s := range d.Plan.Steps {
			steps = append(steps, s.Description)
		}
		return "plans " + d.Cause + ": " + strings.Join(steps, ", ")
	case "plan_checked":
		return fmt.Sprintf("checks plan %d %s %s %g", d.Attempt, d.Option, d.Verdict, d.Overall)
	case "action_criticised":
		return strings.TrimSpace(fmt.Sprintf("objects %d to %s %s %s", d.Attempt, d.Action, d.Why, d.Rule))
	case "chain_partially_failed":
		return "chain stops, " + d.Recovery
	case "task_failed":
		return "failed " + d.Code
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(event, "task_"), "_", " ") + " " + d.Verdict)
}

func (d told) search() string {
	found := fmt.Sprintf("%d found", d.Results)
	if d.Failed == true {
		found = "failed"
	}
	if d.Widened {
		found += " anywhere"
	}
	return fmt.Sprintf("searches for %s: %s", d.For, found)
}

func (d told) documents() string {
	switch {
	case d.Failed == true:
		return "cannot ask documents"
	case d.Value != "":
		return "is told by documents of " + d.Value + ": " + strings.Join(d.Chunks, ", ")
	}
	return "is told by documents: " + strings.Join(d.Chunks, ", ")
}

func (d told) verdict() string {
	out := "verdict failed"
	switch {
	case d.Undecided:
		out = "verdict undecided"
	case d.Succeeded:
		out = "verdict succeeded"
	}
	out += fmt.Sprintf(", tier %d", d.Tier)
	if d.TaskCompleted {
		out += ", done"
	}
	return out
}

// calls counts the model calls of the task on finance's books, by what they were for.
func (p *play) calls() map[string]int64 {
	p.t.Helper()
	out := map[string]int64{}
	r := p.stage.atLeast(p.t, p.position, "/api/usage/summary?taskId="+p.task+"&groupBy=actionType")
	for _, g := range data[api.UsageData](p.t, r).Groups {
		out[g.Key] = g.Calls
	}
	return out
}

// object is an answer of some members of a JSON object.
func object(members ...string) line { return says("{" + strings.Join(members, ",") + "}") }

// acts is an action the model is sure of; later members count.
func acts(action string, more ...string) line {
	members := map[string]any{"thought": "I go on.", "action": action, "confidence": 0.9}
	for _, m := range more {
		if err := json.Unmarshal([]byte("{"+m+"}"), &members); err != nil {
			panic(err) // the scripts are in the code
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return says(string(text))
}

// plans is a plan with the scores its maker gives it.
func plans(score float64, issue string, steps ...string) line {
	list := make([]map[string]string, len(steps))
	for i, s := range steps {
		list[i] = map[string]string{"description": s, "toolType": "DOM"}
	}
	text, err := json.Marshal(map[string]any{
		"sources": []string{"PAGE"}, "steps": list, "confidence": 0.9, "scores": scores(score), "issues": issues(issue),
	})
	if err != nil {
		panic(err)
	}
	return says(string(text))
}

func scores(v float64) map[string]float64 {
	return map[string]float64{"completeness": v, "consistency": v, "groundedness": v, "routability": v}
}

func issues(text string) []string {
	if text == "" {
		return []string{}
	}
	return []string{text}
}

// finds is what an adversary makes of a plan.
func finds(score float64, issue string) line {
	text, err := json.Marshal(map[string]any{"scores": scores(score), "issues": issues(issue)})
	if err != nil {
		panic(err)
	}
	return says(string(text))
}

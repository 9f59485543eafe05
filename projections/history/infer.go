package history

import (
	"reflect"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

// Rules by which edges are inferred.
const (
	RuleJudges   = "a verdict judges the newest action of its step"
	RuleCorrects = "a correction follows the failed verdict on its step"
	RulePlanned  = "an action is decided with the plan made before it"
	RuleChecked  = "a plan is adopted after its check in the same turn"
	RulePredicts = "a prediction is of the newest action of its step"
	RuleReleases = "a hand-back ends the pause before it"
	RuleTells    = "a note is told by the turn after its hand-back"
	RuleReplies  = "a reply answers the question before it"
	RuleShows    = "a page shows what the answer before it did"
	RuleEnds     = "a task ends on the verdict of the same turn"
	RuleObjects  = "an action is decided after an objection in the same turn"
	RuleStopped  = "a chain that stopped is the newest action of its step"
	RuleSearched = "what is known is checked after the search in the same turn"
	RuleKnown    = "a model decides by what documents were found to say last"
	RuleCallGave = "a model's decision comes from the last answered call for it in the same turn"
)

// Purposes of calls that the specification does not name.
const (
	planCheck usage.Purpose = "PLAN_VERIFICATION"
	critique  usage.Purpose = "CRITIC"
)

// inference goes over the events of a task in order and remembers what may be the cause
// of a later one, by the ids of events.
type inference struct {
	edges []InferredEdge
	// action and failed are the newest action and failed verdict of each step.
	action, failed                map[int]string
	plan, question, answer, pause string
	// known is the newest event by which documents say anything.
	known string
	// notes are hand-backs with a note that no turn has told yet.
	notes                           []string
	verdict, check, objection, find ofTurn
	calls                           map[turnPurpose]string
}

// ofTurn is an event that counts only in its turn.
type ofTurn struct {
	event string
	turn  int
}

func (o ofTurn) in(turn int) string {
	if o.turn != turn {
		return ""
	}
	return o.event
}

type turnPurpose struct {
	turn    int
	purpose usage.Purpose
}

// infer returns the edges that the rules see.
func infer(events []Event, ledger []ledgerEvent) []InferredEdge {
	i := &inference{action: map[int]string{}, failed: map[int]string{}, calls: answeredCalls(ledger)}
	for _, e := range events {
		i.event(e)
	}
	return i.edges
}

// answeredCalls are the last events with a usable answer, by turn and purpose.
func answeredCalls(ledger []ledgerEvent) map[turnPurpose]string {
	started := map[string]usage.LLMCallStarted{}
	answered := map[turnPurpose]string{}
	for _, e := range ledger {
		switch event := e.event.(type) {
		case usage.LLMCallStarted:
			started[e.call] = event
		case usage.LLMCallCompleted:
			if s, known := started[e.call]; known && event.Outcome == usage.OK {
				answered[turnPurpose{s.Turn, s.Purpose}] = e.ID
			}
		}
	}
	return answered
}

func (i *inference) edge(from, to, rule string) {
	if from != "" {
		i.edges = append(i.edges, InferredEdge{from, to, rule})
	}
}

// decidedBy draws the call a decision came from, if a model took it.
func (i *inference) decidedBy(e Event, by string, purposes ...usage.Purpose) {
	if !readsDocuments(by) {
		return
	}
	for _, p := range purposes {
		if call := i.calls[turnPurpose{e.Turn, p}]; call != "" {
			i.edge(call, e.ID, RuleCallGave)
			return
		}
	}
}

// knowing draws what a decision may rest on, if a model took it.
func (i *inference) knowing(e Event, by string) {
	if readsDocuments(by) {
		i.edge(i.known, e.ID, RuleKnown)
	}
}

func (i *inference) event(e Event) {
	switch d := e.Data.(type) {
	case task.PageObserved:
		i.edge(i.answer, e.ID, RuleShows)
	case task.TurnEnded:
		i.answer = e.ID
	case task.UserInputRequested:
		i.question = e.ID
	case task.TaskPaused:
		i.pause = e.ID
	case task.TaskHandedBack:
		i.edge(i.pause, e.ID, RuleReleases)
		if i.pause = ""; d.Note != "" {
			i.notes = append(i.notes, e.ID)
		}
	case task.UserInputProvided:
		if d.HandedBack && len(i.notes) > 0 {
			i.edge(i.notes[0], e.ID, RuleTells)
			i.notes = i.notes[1:]
		}
		i.edge(i.question, e.ID, RuleReplies)
		i.question = ""
	case task.PlanChecked:
		i.decidedBy(e, d.By, planCheck, usage.Planning)
		i.check = ofTurn{e.ID, e.Turn}
	case task.PlanMade:
		i.edge(i.check.in(e.Turn), e.ID, RuleChecked)
		i.knowing(e, d.By)
		i.decidedBy(e, d.By, usage.Planning, usage.Refinement)
		i.plan = e.ID
	case task.SubTaskCompleted, task.SubTaskFailed:
		i.plan = "" // the next part has none yet
	case task.KnowledgeFound:
		if i.known = e.ID; len(d.Chunks) == 0 {
			i.known = ""
		}
	case task.WebSearched:
		i.find = ofTurn{e.ID, e.Turn}
	case task.InformationChecked:
		i.edge(i.find.in(e.Turn), e.ID, RuleSearched)
		i.knowing(e, d.By)
		i.decidedBy(e, d.By, usage.ContextAnalysis)
	case task.ContextAnalyzed:
		i.knowing(e, d.By)
		i.decidedBy(e, d.By, usage.ContextAnalysis, usage.Planning)
	case task.ActionCriticised:
		i.decidedBy(e, d.By, critique)
		i.objection = ofTurn{e.ID, e.Turn}
	default:
		i.step(e)
	}
}

// step is an event of a step of the task, or its end.
func (i *inference) step(e Event) {
	switch d := e.Data.(type) {
	case task.ActionGenerated:
		i.edge(i.plan, e.ID, RulePlanned)
		i.edge(i.objection.in(e.Turn), e.ID, RuleObjects)
		i.knowing(e, d.By)
		i.decidedBy(e, d.By, usage.ActionGeneration, usage.DirectAction)
		i.action[d.StepIndex] = e.ID
		delete(i.failed, d.StepIndex)
	case task.OutcomePredicted:
		i.edge(i.action[d.StepIndex], e.ID, RulePredicts)
		i.decidedBy(e, d.By, usage.OutcomePrediction)
	case task.ChainPartiallyFailed:
		i.edge(i.action[d.StepIndex], e.ID, RuleStopped)
	case task.ActionVerified:
		i.edge(i.action[d.StepIndex], e.ID, RuleJudges)
		i.decidedBy(e, d.By, usage.Verification)
		i.verdict = ofTurn{e.ID, e.Turn}
		if d.Outcome() == reasoning.Failed {
			i.failed[d.StepIndex] = e.ID
		}
	case task.CorrectionIssued:
		i.edge(i.failed[d.StepIndex], e.ID, RuleCorrects)
		i.decidedBy(e, d.By, usage.SelfCorrection)
		i.action[d.StepIndex] = e.ID
		delete(i.failed, d.StepIndex)
	case task.TaskCompleted, task.TaskFailed:
		i.edge(i.verdict.in(e.Turn), e.ID, RuleEnds)
	}
}

// turnIn is the turn an event names itself, 0 if it names none.
func turnIn(e task.Event) int {
	v := reflect.ValueOf(e)
	if v.Kind() != reflect.Struct {
		return 0
	}
	if f := v.FieldByName("Turn"); f.IsValid() && f.Kind() == reflect.Int {
		return int(f.Int())
	}
	return 0
}

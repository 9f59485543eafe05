package runner

import (
	"cmp"
	"context"
	"fmt"

	"github.com/stepledger/stepledger/internal/browser"
)

// answered tells what an answer says: the verdict on the last step, and the next.
func (r *run) answered(ctx context.Context, t browser.Turn) error {
	a := t.Answer
	r.started, r.result.TaskID, r.result.SessionID, r.result.URL = true, a.TaskID, a.SessionID, t.URL
	if spent := a.Usage; spent.PromptTokens+spent.CompletionTokens > 0 {
		r.result.Cost.InputTokens += spent.PromptTokens
		r.result.Cost.OutputTokens += spent.CompletionTokens
		_ = r.readCost(ctx) // the cost says itself that it is not known
	}
	r.verdict(a)
	actions := a.ToExecute()
	if len(actions) == 0 {
		return nil
	}
	if r.MaxSteps > 0 && r.steps >= r.MaxSteps {
		return fmt.Errorf("%w (%d)", errSteps, r.MaxSteps)
	}
	r.steps++
	r.judged, r.refused = false, nil
	r.emit(r.step(t, actions))
	return nil
}

func (r *run) step(t browser.Turn, actions []string) Step {
	a := t.Answer
	s := Step{TaskID: a.TaskID, Number: r.steps, StepIndex: a.StepIndex, URL: t.URL, Title: t.Title, Thought: a.Thought}
	for _, text := range actions {
		s.Actions = append(s.Actions, r.page.Printable(text))
	}
	if a.ActionDetails != nil {
		s.Element = a.ActionDetails.Element
	}
	if c := a.Correction; c != nil {
		s.Correction = &Correction{c.Strategy, c.Attempt, c.Reason}
	}
	return s
}

// verdict tells what the server makes of the last step. An answer that asks for more
// before it decides has none; one that goes on without has left it open.
func (r *run) verdict(a browser.Answer) {
	v := Verdict{TaskID: a.TaskID, Number: r.steps, Outcome: NotKnown, Refused: r.refused, Cost: r.result.Cost}
	switch said := a.Verification; {
	case said != nil:
		v.Outcome, v.Confidence, v.Reason = outcomeOf(said), said.Confidence, said.Reason
		v.Rule, v.Tier, v.Observations = said.Rule, said.Tier, said.Observations
	case r.steps == 0 || r.judged || a.Status == browser.StatusNeedsUserInput || a.Status == browser.StatusNeedsFullDOM:
		return
	default:
		v.Reason = "the server said nothing about it"
	}
	r.judged = true
	r.emit(v)
}

func outcomeOf(v *browser.Verification) string {
	switch {
	case v.Outcome == "undecided":
		return NotKnown
	case v.ActionSucceeded:
		return Worked
	}
	return DidNotWork
}

// executed keeps what the page did not allow, for the verdict, and where it led.
func (r *run) executed(t browser.Turn) {
	r.result.URL = cmp.Or(t.Report.URL, r.result.URL)
	if e := t.Report.Error; e != nil {
		r.refused = &Refused{e.Code, e.Message}
	}
	if r.OnTurn != nil {
		r.OnTurn(t)
	}
}

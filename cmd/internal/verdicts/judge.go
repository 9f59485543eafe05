package verdicts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// Judged is a recorded case with the verdict on it.
type Judged struct {
	Recorded
	Hand         string // of the page
	Verdict      reasoning.Verdict
	Observations []page.Observation
	// Flow is what the agent does after it, without a model; "" where nobody looked
	// (Follow).
	Flow Flow
	// TokensSaved is what the turn says a model's verdict would have taken.
	TokensSaved int
}

// Judge puts a recorded case through two turns of the interact graph and gives
// the verdict of the second.
func Judge(ctx context.Context, r Recorded) (Judged, error) {
	a, err := action.Parse(r.Action)
	if err != nil {
		return Judged{}, fmt.Errorf("%s: %w", r.ID(), err)
	}
	s := &scripted{action: a, thought: r.Thought}
	turns := interact.New(interact.Deps{
		Log: memory.New(memory.Options{}), Keys: plain{}, Content: nowhere{}, Pages: dom.Reader{}, Reasoner: s, Skills: nothing{},
		Instances: alone{}, Clock: time.Now, IDs: domain.NewUUID, Limits: task.DefaultLimits,
	})
	first, answer, err := turn(ctx, turns, r.Before, "")
	if err != nil {
		return Judged{}, fmt.Errorf("%s: before: %w", r.ID(), err)
	}
	if answer.Status != "executing" {
		return Judged{}, fmt.Errorf("%s: the action cannot be taken on this page: %s %s", r.ID(), answer.Status, answer.Thought)
	}
	_, answer, err = turn(ctx, turns, r.Request, first.TaskID)
	if err != nil {
		return Judged{}, fmt.Errorf("%s: after: %w", r.ID(), err)
	}
	if s.verified == nil || answer.Verification == nil {
		return Judged{}, fmt.Errorf("%s: the turn ended without a verdict: %s %s", r.ID(), answer.Status, answer.Thought)
	}
	return Judged{Recorded: r, Verdict: s.verdict, Observations: s.verified.Observations, TokensSaved: answer.Verification.TokensSaved}, nil
}

// recorder is the client the cases were recorded with.
var recorder = action.Declared([]string{"press", "hover"})

// turn runs one turn on the body of a request.
func turn(ctx context.Context, turns *interact.Handler, body []byte, taskID string) (interact.Result, interact.Answer, error) {
	var answer interact.Answer
	// A client's requests have keys of their own, even where their bodies are the same.
	r, err := api.ReadInteract(body, domain.NewUUID())
	if err != nil {
		return interact.Result{}, answer, err
	}
	r.Tenant, r.User, r.TaskID, r.Client = "verdicts", "verdicts", taskID, recorder
	res, err := turns.Interact(ctx, r)
	if err != nil {
		return res, answer, err
	}
	return res, answer, json.Unmarshal(res.Answer, &answer)
}

// scripted takes the recorded action, leaves the verdict to the rules, and then
// ends the task.
type scripted struct {
	action   action.Action
	thought  string
	verified *reasoning.VerifyQuestion
	verdict  reasoning.Verdict
}

func (s *scripted) Act(context.Context, reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	a := reasoning.ActAnswer{Action: s.action, Thought: s.thought, Confidence: 1, By: "recording"}
	if s.verified != nil {
		a.Action = action.Action{Name: action.Finish}
	}
	return a, nil
}

func (s *scripted) Verify(ctx context.Context, q reasoning.VerifyQuestion) (v reasoning.Verdict, err error) {
	s.verified = &q
	s.verdict, err = rules.Reasoner{}.Verify(ctx, q)
	return s.verdict, err
}

func (s *scripted) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return reasoning.Correction{Strategy: reasoning.GiveUp, Reason: "the recording ends here"}, nil
}

func (s *scripted) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	return reasoning.Verdict{Undecided: true, Reason: "the recording ends here"}, nil
}

// What two turns need besides. Nothing is kept or hidden: everything recorded is
// made up.
type (
	plain   struct{} // keys
	nowhere struct{} // content
	nothing struct{} // skills
	alone   struct{} // instances
)

func (plain) NewKey(context.Context, string, string) (domain.Sealer, error) { return plain{}, nil }
func (plain) Key(context.Context, string, string) (domain.Sealer, error)    { return plain{}, nil }
func (plain) Seal(text, _ []byte) ([]byte, error)                           { return text, nil }
func (plain) Open(sealed, _ []byte) ([]byte, error)                         { return sealed, nil }

func (nowhere) Put(context.Context, string, string, string, []byte) (string, error) {
	return "nowhere", nil
}

func (nowhere) Get(context.Context, string, string, string) ([]byte, error) {
	return nil, errors.New("nothing was kept")
}

func (nothing) Find(context.Context, string, string, string) ([]reasoning.Skill, error) {
	return nil, nil
}

func (alone) Own() string                                 { return "verdicts" }
func (alone) Alive(context.Context, string) (bool, error) { return true, nil }

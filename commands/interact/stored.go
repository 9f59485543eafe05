package interact

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// stored is the answer in its stored form, without secret values.
func (t *turn) stored() (json.RawMessage, error) {
	set := secret.New(t.secrets()...)
	if t.failure != nil {
		t.failure.Message = set.Cut(t.failure.Message)
		return json.Marshal(t.failure)
	}
	t.answer.removeSecrets(set)
	t.answer.TaskID, t.answer.SessionID = t.in.id, t.state.Session
	t.answer.DOMHash = t.now.DOMHash
	t.showPlan()
	t.answer.Usage = Usage{PromptTokens: t.tokens.Prompt, CompletionTokens: t.tokens.Completion}
	t.answer.ToolAction = toolAction(t.answer.ActionDetails)
	t.answer.Metrics = &Metrics{
		Turn: t.state.Turn.Number, StepCount: len(t.state.Steps), DurationMS: t.took().Milliseconds(),
		PromptTokens: t.tokens.Prompt, CompletionTokens: t.tokens.Completion, TotalTokens: t.state.Tokens + t.tokens.Prompt + t.tokens.Completion,
	}
	return json.Marshal(t.answer)
}

// took is the time since the request arrived, 0 if nobody noted when.
func (t *turn) took() time.Duration {
	if t.in.ReceivedAt.IsZero() {
		return 0
	}
	return max(0, t.Clock().Sub(t.in.ReceivedAt))
}

// removeSecrets removes secrets from the texts of the answer. Its action has none,
// and ids stay as they are.
func (a *Answer) removeSecrets(set *secret.Set) {
	for _, text := range []*string{&a.Thought, &a.UserQuestion, &a.NeedsFullDOMReason, &a.RequestedElement} {
		*text = set.Cut(*text)
	}
	a.MissingInformation = set.CutAll(a.MissingInformation)
	if a.ActionDetails != nil {
		a.ActionDetails.Element = set.Cut(a.ActionDetails.Element)
	}
	if v := a.Verification; v != nil {
		v.Reason, v.Observations = set.Cut(v.Reason), set.CutAll(v.Observations)
		for i := range v.Items {
			v.Items[i].Reason = set.Cut(v.Items[i].Reason)
		}
	}
	for i := range a.Actions {
		a.Actions[i].Description = set.Cut(a.Actions[i].Description)
	}
	if c := a.Correction; c != nil {
		c.Reason, c.FailedAction, c.RetryAction = set.Cut(c.Reason), set.Cut(c.FailedAction), set.Cut(c.RetryAction)
	}
	if a.ExpectedOutcome != nil {
		o := a.ExpectedOutcome.MapText(set.Cut)
		a.ExpectedOutcome = &o
	}
}

func (h *Handler) replay(in incoming, stored task.Stored) (Result, error) {
	return h.result(in, in.at, stored, true)
}

// result builds the response from a stored answer, the same way every time. For an
// answer that is an error it returns both.
func (h *Handler) result(in incoming, at version, stored task.Stored, replayed bool) (Result, error) {
	res := Result{TaskID: in.id, Revision: at.Revision, Position: at.Position, Log: at.Log, Replayed: replayed}
	if stored.Answer == nil {
		return res, translateErased(domain.ErrErased)
	}
	if stored.Status == statusError {
		return res, storedFailure(stored.Answer)
	}
	var err error
	res.Answer, err = reveal(stored)
	return res, err
}

// reveal puts the secret value into the answer for the executing client.
func reveal(stored task.Stored) (json.RawMessage, error) {
	text := orElse(stored.Secret, stored.Text)
	if text == "" {
		return stored.Answer, nil
	}
	var a Answer
	if err := json.Unmarshal(stored.Answer, &a); err != nil {
		return nil, fmt.Errorf("stored answer: %w", err)
	}
	act, err := action.Parse(a.Action)
	if err != nil {
		return nil, fmt.Errorf("stored answer: %w", err)
	}
	act.Text = text
	a.Action = act.String()
	if a.ActionDetails != nil {
		a.ActionDetails.Text = text
	}
	if a.ToolAction != nil {
		a.ToolAction.Parameters.Text = text
	}
	return json.Marshal(a)
}

// storedError is the stored form of an answer that is an error.
type storedError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

func storedFailure(answer json.RawMessage) error {
	var e storedError
	if err := json.Unmarshal(answer, &e); err != nil {
		return fmt.Errorf("stored answer: %w", err)
	}
	return &domain.Error{Kind: domain.Invalid, Code: e.Code, Msg: e.Message, Details: e.Details}
}

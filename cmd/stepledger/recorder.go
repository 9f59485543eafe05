package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/llm"
)

// recorder records the model client's calls on the ledger and stores prompts and
// answers. It implements llm.Recorder and reactions.Calls.
type recorder struct {
	ledger   commands.Ledger
	content  *content.Store
	instance string
	// billed is told of every bill.
	billed func(usage.Call)
}

// Started implements llm.Recorder.
func (r recorder) Started(ctx context.Context, c llm.CallStarted) error {
	return r.ledger.Start(ctx, usage.LLMCallStarted{
		Call: c.Call, Tenant: c.On.Tenant, User: c.On.User, Session: c.On.Session, Task: c.On.Task,
		Turn: c.On.Turn, Request: c.On.Request,
		Purpose: usage.Purpose(c.Purpose), Role: usage.Role(c.Role), Provider: c.Provider, Model: c.Model,
		ServiceTier: c.ServiceTier, Attempt: c.Attempt, PromptName: c.PromptName, PromptHash: c.PromptHash, PromptRef: c.PromptRef,
		EstimatedInputTokens: c.EstimatedInputTokens, EstimatedOutputTokens: c.EstimatedOutputTokens,
		Instance: r.instance, StartedAt: c.StartedAt,
	})
}

// Completed implements llm.Recorder.
func (r recorder) Completed(ctx context.Context, c llm.CallCompleted) error {
	report := usage.Report{
		Outcome: usage.Outcome(c.Outcome), RawUsage: c.RawUsage,
		UsageMissing:  !c.Unbilled && countsNothing(c.Usage),
		ResponseModel: c.ResponseModel, ResponseID: c.ResponseID, ServiceTier: c.ServiceTier,
		DurationMS: c.Duration.Milliseconds(), AnswerRef: c.AnswerRef, CompletedAt: c.CompletedAt,
	}
	if u := c.Usage; u != nil {
		report.Meters, report.ProviderTotal, report.ThinkingDerived, report.UsageUnclear = meters(*u), u.Total, u.Derived, u.Unclear
	}
	return r.tell(r.ledger.Complete(ctx, c.On.Tenant, c.On.Task, c.Call, report))
}

// countsNothing reports usage without any tokens, which is no reason to bill nothing.
func countsNothing(u *llm.Usage) bool { return u == nil || u.Input()+u.Outputs() == 0 }

// tell passes on what became of a bill.
func (r recorder) tell(c usage.Call, err error) error {
	if err == nil {
		r.billed(c)
	}
	return err
}

// KeepPrompt implements llm.Recorder.
func (r recorder) KeepPrompt(ctx context.Context, on llm.On, body []byte) (string, error) {
	return r.content.Put(ctx, on.Tenant, on.Task, content.KindPrompt, body)
}

// KeepAnswer implements llm.Recorder.
func (r recorder) KeepAnswer(ctx context.Context, on llm.On, key string, body []byte) (string, error) {
	ref := answerRef(key)
	return ref, r.content.PutAs(ctx, on.Tenant, on.Task, content.KindAnswer, ref, body)
}

// KeptAnswer implements llm.Recorder.
func (r recorder) KeptAnswer(ctx context.Context, on llm.On, key string) ([]byte, string, bool, error) {
	ref := answerRef(key)
	body, err := r.content.Get(ctx, on.Tenant, on.Task, ref)
	if content.IsNotFound(err) || errors.Is(err, domain.ErrErased) {
		return nil, "", false, nil
	}
	return body, ref, err == nil, err
}

func answerRef(key string) string { return "answer-" + key }

// Close implements reactions.Calls.
func (r recorder) Close(ctx context.Context, tenant, task string, turn int, why string) error {
	open, err := r.ledger.Open(ctx, task)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(c usage.Call) bool { return c.Started.Turn > turn })
	return r.close(ctx, tenant, task, why, open)
}

// closeCall closes one call of a subject; one that has ended is left alone.
func (r recorder) closeCall(ctx context.Context, tenant, subject, call, why string) error {
	open, err := r.ledger.Open(ctx, subject)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(c usage.Call) bool { return c.Started.Call != call })
	return r.close(ctx, tenant, subject, why, open)
}

// close ends calls by the bills kept with their answers, or by estimate.
func (r recorder) close(ctx context.Context, tenant, subject, why string, open []usage.Call) error {
	if len(open) == 0 {
		return nil
	}
	bills, err := r.keptBills(ctx, tenant, subject)
	if err != nil {
		return err
	}
	for _, call := range open {
		id := call.Started.Call
		if bill, kept := bills[id]; kept {
			err = r.Completed(ctx, bill)
		} else {
			err = r.tell(r.ledger.Settle(ctx, tenant, subject, id, why))
		}
		if err != nil {
			return fmt.Errorf("close call %s: %w", id, err)
		}
	}
	return nil
}

// keptBills are the bills kept with a subject's answers, by call.
func (r recorder) keptBills(ctx context.Context, tenant, subject string) (map[string]llm.CallCompleted, error) {
	refs, err := r.content.Refs(ctx, tenant, subject, content.KindAnswer)
	if err != nil {
		return nil, err
	}
	bills := map[string]llm.CallCompleted{}
	for _, ref := range refs {
		body, err := r.content.Get(ctx, tenant, subject, ref)
		if errors.Is(err, domain.ErrErased) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if bill, ok := llm.CompletedOf(body); ok {
			bill.AnswerRef = ref
			bills[bill.Call] = bill
		}
	}
	return bills, nil
}

// Package observe wraps ports in logs and metrics, so that the code on either side
// has neither: failures that a use case recovers from are still visible to operators.
//
// It logs ids, kinds and errors; never questions, answers or page text.
package observe

import (
	"context"
	"log/slog"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Reasoner logs questions that failed.
type Reasoner struct {
	Next commands.Reasoner
	Log  *slog.Logger
}

// Act implements commands.Reasoner.
func (r Reasoner) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	answer, err := r.Next.Act(ctx, q)
	r.logWithoutAnswer(ctx, "next action", q.On, err)
	return answer, err
}

// Verify implements commands.Reasoner.
func (r Reasoner) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	if q.Before.Missing() {
		r.Log.WarnContext(ctx, "verification skipped: the page before the action is not known", "task", q.On.Task, "turn", q.On.Turn)
	}
	verdict, err := r.Next.Verify(ctx, q)
	r.logWithoutAnswer(ctx, "verdict", q.On, err)
	r.logUnsoundConfidence(ctx, q.On, verdict)
	return verdict, err
}

// Correct implements commands.Reasoner.
func (r Reasoner) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	correction, err := r.Next.Correct(ctx, q)
	r.logWithoutAnswer(ctx, "correction", q.On, err)
	return correction, err
}

// Confirm implements commands.Reasoner.
func (r Reasoner) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	verdict, err := r.Next.Confirm(ctx, q)
	r.logWithoutAnswer(ctx, "confirmation", q.On, err)
	r.logUnsoundConfidence(ctx, q.On, verdict)
	return verdict, err
}

// Planner logs questions that failed: the use case goes on without their answers.
type Planner struct {
	Next commands.Planner
	Log  *slog.Logger
}

// Plan implements commands.Planner.
func (p Planner) Plan(ctx context.Context, q reasoning.PlanQuestion) (reasoning.PlanAnswer, error) {
	answer, err := p.Next.Plan(ctx, q)
	Reasoner{Log: p.Log}.logWithoutAnswer(ctx, "plan", q.On, err)
	if err == nil && len(answer.Sources) > 0 {
		p.logConfidence(ctx, q.On, answer)
	}
	return answer, err
}

// veryUnsure is a confidence that is worth a warning (spec §4.18).
const veryUnsure = 0.3

// logConfidence logs how sure whoever planned is of where the information is.
func (p Planner) logConfidence(ctx context.Context, on reasoning.On, a reasoning.PlanAnswer) {
	level := slog.LevelDebug
	if a.Confidence < veryUnsure {
		level = slog.LevelWarn
	}
	p.Log.Log(ctx, level, "confidence in where the information is",
		"task", on.Task, "turn", on.Turn, "sources", a.Sources, "confidence", a.Confidence, "by", a.By)
}

// CheckPlan implements commands.Planner.
func (p Planner) CheckPlan(ctx context.Context, q reasoning.PlanCheckQuestion) (reasoning.PlanCheck, error) {
	answer, err := p.Next.CheckPlan(ctx, q)
	Reasoner{Log: p.Log}.logWithoutAnswer(ctx, "plan check", q.On, err)
	return answer, err
}

// Critique implements commands.Planner.
func (p Planner) Critique(ctx context.Context, q reasoning.CritiqueQuestion) (reasoning.Critique, error) {
	answer, err := p.Next.Critique(ctx, q)
	Reasoner{Log: p.Log}.logWithoutAnswer(ctx, "critique", q.On, err)
	return answer, err
}

// logUnsoundConfidence logs a confidence that is no probability; it counts as 0.5.
func (r Reasoner) logUnsoundConfidence(ctx context.Context, on reasoning.On, v reasoning.Verdict) {
	if _, sane := v.Sanitised(); !sane {
		r.Log.WarnContext(ctx, "verdict with a confidence that is no probability",
			"task", on.Task, "turn", on.Turn, "by", v.By, "confidence", v.Confidence)
	}
}

func (r Reasoner) logWithoutAnswer(ctx context.Context, question string, on reasoning.On, err error) {
	if err != nil {
		r.Log.WarnContext(ctx, "question without an answer",
			"question", question, "task", on.Task, "turn", on.Turn, "error", err)
	}
}

// Skills logs failed queries for skills.
type Skills struct {
	Next commands.Skills
	Log  *slog.Logger
}

// Find implements commands.Skills.
func (s Skills) Find(ctx context.Context, tenant, site, goal string) ([]reasoning.Skill, error) {
	found, err := s.Next.Find(ctx, tenant, site, goal)
	if err != nil {
		s.Log.WarnContext(ctx, "skills out of reach", "tenant", tenant, "error", err)
	}
	return found, err
}

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/projections/skills"
)

// printTurn shows one turn: what was seen of the action before, the verdict on
// it, and what is done next.
func (p program) printTurn(t browser.Turn) {
	a := t.Answer
	fmt.Fprintf(p.out, "\n   turn %d  %s  (%s)\n", t.Number, t.Title, t.Answering.Round(time.Millisecond))
	if v := a.Verification; v != nil {
		for _, o := range v.Observations {
			fmt.Fprintf(p.out, "     observed  %s\n", o)
		}
		fmt.Fprintf(p.out, "     verdict   %s, confidence %.2f, tier %d: %s\n", worked(v.ActionSucceeded), v.Confidence, v.Tier, v.Reason)
	}
	if c := a.Correction; c != nil {
		fmt.Fprintf(p.out, "     correct   %s, attempt %d: %s\n", c.Strategy, c.Attempt, c.Reason)
	}
	fmt.Fprintf(p.out, "     thought   %s\n", a.Thought)
	target := ""
	if a.ActionDetails != nil && a.ActionDetails.Element != "" {
		target = "  on " + a.ActionDetails.Element
	}
	fmt.Fprintf(p.out, "     action    %s%s\n", a.Action, target)
	fmt.Fprintf(p.out, "     tokens    %d in, %d out\n", a.Usage.PromptTokens, a.Usage.CompletionTokens)
	if e := t.Report.Error; e != nil {
		fmt.Fprintf(p.out, "     client    %s: %s\n", e.Code, e.Message)
	}
}

func worked(ok bool) string {
	if ok {
		return "it worked"
	}
	return "it did not work"
}

// printSkills shows what the tenant's agent has learnt on this machine's pages.
func (p program) printSkills(ctx context.Context, s *system, tenant, site string) error {
	found, err := skills.Queries{DB: s.db}.List(ctx, tenant, site)
	if err != nil {
		return err
	}
	for _, k := range found {
		fmt.Fprintf(p.out, "   learnt    %q: instead of %s %s, %s %s (shown %d×, worked %d×, failed %d×)\n", k.Goal, k.FailedAction, quoted(k.FailedTarget.Role, k.FailedTarget.Name),
			k.UseAction, quoted(k.UseTarget.Role, k.UseTarget.Name), k.Shown, k.Successes, k.Failures)
	}
	return nil
}

func quoted(role, name string) string { return fmt.Sprintf("%s %q", role, name) }

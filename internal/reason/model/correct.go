package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Correct asks what to do after a failed verdict: a strategy and an action that is
// possible on the page and was not tried in this step. A question to the user is
// GatherInformation with the question as Reason and no action.
func (r *Reasoner) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	task := renderTask(q.Query, q.Answers)
	before, tried := thisStep(q.Steps)
	view := prompt.View{Task: task + "\n" + q.Target.Name, Tokens: r.PageTokens, Before: q.Before.Skeleton}
	var got reasoning.Correction
	reply, err := r.ask(ctx, question{
		on:      q.On,
		purpose: purposeCorrect,
		role:    llm.Smart,
		prompt:  correctPrompt,
		fields: map[string]string{
			"Task":    task,
			"Failed":  renderFailure(q),
			"Changes": renderObservations(q.Observations),
			"Tried":   renderTried(q, tried),
			"History": renderSteps(before),
			"Hints":   renderSkills(q.Skills),
			"Page":    prompt.Page(q.Page, view).Text,
			"Note":    prompt.Clip(q.Note, reasoning.MaxNote),
			"Found":   renderLookUps(q.LookedUp, q.Page, view),
			"Enough":  noMoreLookUps(q.LookedUp),
			"Menu":    menuHint(q),
			"Can":     renderNames(q.Client),
		},
		check: func(answer string) (err error) {
			got, err = readCorrection(answer, q)
			return err
		},
	})
	if err != nil {
		return reasoning.Correction{Tokens: reply.tokens}, failure(err)
	}
	got.By, got.Tokens = reply.by, reply.tokens
	return got, nil
}

// thisStep splits the steps into the earlier ones and the attempts at the last one.
func thisStep(steps []reasoning.Step) (before, attempts []reasoning.Step) {
	i := len(steps)
	for i > 0 && steps[i-1].Index == steps[len(steps)-1].Index {
		i--
	}
	return steps[:i], steps[i:]
}

// renderFailure describes what failed and what may explain it.
func renderFailure(q reasoning.CorrectQuestion) string {
	var b strings.Builder
	fmt.Fprintf(&b, "action: %s\n", describeAction(masked(q.Failed, q.Target), page.Describe(q.Target)))
	fmt.Fprintf(&b, "verdict: it failed (confidence that it worked: %.2f). %s\n", q.Verdict.Confidence, prompt.Clip(q.Verdict.Reason, maxThought))
	if e := q.Witness.Error; e != nil {
		said := strings.TrimSuffix(cmp.Or(prompt.Clip(e.Code, maxCode), "error")+": "+prompt.Clip(e.Message, maxName), ": ")
		fmt.Fprintf(&b, "the browser could not do it: %s\n", said)
	}
	for _, c := range q.Unmet[:min(len(q.Unmet), maxUnmet)] {
		fmt.Fprintf(&b, "expected and not there (%s): %s\n", c.Name, prompt.Clip(c.About, maxName))
	}
	return strings.TrimRight(b.String(), "\n")
}

const (
	maxCode  = 40 // characters of a client's error code
	maxUnmet = 10
)

// renderTried lists the actions of this step in the action language.
func renderTried(q reasoning.CorrectQuestion, attempts []reasoning.Step) string {
	var b strings.Builder
	for _, a := range tried(q) {
		target := ""
		if i := slices.IndexFunc(attempts, func(s reasoning.Step) bool { return s.Action == a }); i >= 0 {
			target = attempts[i].Target
		}
		on, _ := q.Page.ByID(a.Target)
		if a == q.Failed {
			on = q.Target
		}
		fmt.Fprintf(&b, "- %s", prompt.Clip(masked(a, on).String(), maxName))
		if target != "" {
			fmt.Fprintf(&b, " on %s", prompt.Clip(target, maxName))
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// tried returns the actions of the step, including the failed one.
func tried(q reasoning.CorrectQuestion) []action.Action {
	if slices.Contains(q.Tried, q.Failed) {
		return q.Tried
	}
	return append(slices.Clip(q.Tried), q.Failed)
}

// menuHint selects the prompt's hint (spec §4.9.1): an opened list should be used
// rather than the next button of the same bar.
func menuHint(q reasoning.CorrectQuestion) string {
	open := hasOpened(q)
	switch {
	case q.Kind == page.KindDropdown && open:
		return "open"
	case q.Kind == page.KindDropdown:
		return "closed"
	case open:
		return "near"
	}
	return ""
}

// hasOpened reports whether the page shows items of a menu or list that the failed
// action opened: what is there all the time is no open list.
func hasOpened(q reasoning.CorrectQuestion) bool {
	isNew := page.NewKeys(q.Before.Skeleton, q.Page)
	items, opened := false, slices.ContainsFunc(q.Observations, page.Observation.OpensList)
	for _, e := range q.Page.Elements {
		items = items || isItem(e)
		opened = opened || isItem(e) && isNew[e.Key]
	}
	if items && !opened && q.Target.Key != "" {
		e, found, _ := page.FindAgain(q.Before.Skeleton, q.Target.Key, q.Page)
		opened = found && e.State.Expanded == "true"
	}
	return items && opened
}

// isItem reports the visible items of an open menu or list.
func isItem(e page.Element) bool {
	return !e.State.Hidden && slices.Contains([]string{"menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem"}, e.Role)
}

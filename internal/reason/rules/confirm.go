package rules

import (
	"context"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/act"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Names of the rules of a confirmation.
const (
	errorShownRule = "error on the page"
	resultSeenRule = "every part seen done"
)

// sure is how sure a confirmation is that every part of the task was seen done.
const sure = 0.95

// Confirm says whether the page shows that the task is done: not where it shows
// an error, yes where every part of the task is seen to be done. What was claimed
// in words is not read, so that a claim cannot prove itself; all else is
// Undecided. Its error is that of a context that ended before.
func (Reasoner) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	v := reasoning.Verdict{Tier: 1, By: reasoning.ByRules}
	if says := shownError(q.Page); says != "" {
		v.Rule, v.Confidence, v.Reason = errorShownRule, 0.1, "The page reports an error: "+text.Quoted(says)
		return v, nil
	}
	m := act.NewView(ctx, reasoning.ActQuestion{
		Query: q.Query, Answers: q.Answers, Page: q.Page, Steps: q.Steps, LastObservations: q.Observations,
	}).Next()
	if err := ctx.Err(); err != nil {
		return reasoning.Verdict{}, err
	}
	if m.Ends() && m.Quote != "" && !q.LastUndecided {
		v.Proof.Quote = m.Quote
		v.Rule, v.Confidence, v.Reason = resultSeenRule, sure, "The page shows it: "+m.Evidence+"."
		v, _ = v.Sanitised()
		v.TaskCompleted = true
		return v, nil
	}
	v.Undecided, v.Confidence, v.Reason = true, 0.5, "I cannot tell from the page whether the task is done."
	return v, nil
}

// shownError is what an error page, or an error on the page, says.
func shownError(p page.Page) string {
	if says := text.ErrorPage(p); says != "" {
		return says
	}
	for _, a := range p.Alerts {
		if a.Kind == page.AlertError {
			return a.Text
		}
	}
	return ""
}

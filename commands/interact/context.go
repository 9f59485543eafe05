package interact

import (
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// route decides where the information comes from that a task needs before it is begun
// (spec §4.7: context analysis, search, completeness check), and records it. It returns
// ready if what is known is enough. A plan that is looked at again needs no more than
// the first.
func (t *turn) route(a reasoning.PlanAnswer, q reasoning.PlanQuestion) (outcome, error) {
	if q.Cause.IsAnother() {
		return ready, nil
	}
	way := a.Route(t.hops, t.Search != nil)
	if err := t.recordRoute(a, way); err != nil {
		return "", err
	}
	switch way {
	case reasoning.AskFirst:
		left, err := t.ask(a.Question, a.Missing)
		if t.answer.UserQuestion != "" {
			t.answer.Context = t.questionContext(a.Evidence)
		}
		return left, err
	case reasoning.SearchWeb:
		t.wanted = wish{query: a.Search, why: reasoning.ForContext}
		return searches, nil
	case reasoning.VerifyBySearch:
		t.wanted = wish{query: a.Search, why: reasoning.ForCertain}
		return searches, nil
	}
	if a.Search != "" && t.Search == nil && !t.searchRefused {
		t.refuseSearch(a.Search)
	}
	return ready, nil
}

// recordRoute records the first answer as the analysis of the task's context, and those
// after a search as checks of what is known then.
func (t *turn) recordRoute(a reasoning.PlanAnswer, way reasoning.Route) error {
	evidence, missing, query := conceal(a.Evidence, t.secrets()), concealAll(a.Missing, t.secrets()), conceal(a.Search, t.secrets())
	if t.hops > 0 {
		return t.do(task.CheckInformation{Checked: task.InformationChecked{
			By: a.By, Hops: t.hops, CanProceed: way == reasoning.Proceed, Sources: a.Sources, Confidence: a.Confidence, Route: way,
			Reason: evidence, Missing: missing, Search: query,
		}})
	}
	return t.do(task.AnalyzeContext{Analyzed: task.ContextAnalyzed{
		By: a.By, Sources: a.Sources, Confidence: a.Confidence, Route: way, Evidence: evidence, Missing: missing, Search: query,
	}})
}

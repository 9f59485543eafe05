package task_test

import (
	"reflect"
	"slices"
	"testing"
)

// open are the text fields that may stand in clear: ids, references, hashes,
// names out of our own lists, and what our own code says.
var open = []string{
	"PageObserved.Tenant", "PageObserved.User", "PageObserved.Session", "PageObserved.Instance",
	"PageObserved.DOMMode", "PageObserved.Page", "PageObserved.Screenshot", "PageObserved.DOMHash",
	"PageObserved.MeaningHash", "PageObserved.ActiveElement", "PageObserved.Notes",
	"TurnEnded.Status", "TurnAbandoned.Why", "TaskStarted.Tenant", "TaskStarted.User", "TaskStarted.Session",
	"ActionGenerated.Kind", "ActionGenerated.By", "ActionGenerated.Skills",
	"ActionGenerated.Recovery", "OutcomePredicted.Kind", "OutcomePredicted.By",
	"ChainPartiallyFailed.Executed", "ChainPartiallyFailed.Recovery", "ChainPartiallyFailed.Code",
	"ActionVerified.Rule", "ActionVerified.Veto", "ActionVerified.By", "ActionVerified.Missing",
	"CorrectionIssued.Strategy", "CorrectionIssued.Kind", "CorrectionIssued.By", "CorrectionIssued.Skills", "CorrectionIssued.ErrorType",
	"PageObserved.Client", "PageObserved.WordsHash", "PlanMade.Cause", "PlanMade.By", "PlanMade.Sources", "PlanChecked.Option", "PlanChecked.Verdict", "PlanChecked.By",
	"ContextAnalyzed.By", "ContextAnalyzed.Sources", "ContextAnalyzed.Route", "WebSearched.For",
	"InformationChecked.By", "InformationChecked.Sources", "InformationChecked.Route",
	"KnowledgeFound.For", "KnowledgeFound.Chunks", "KnowledgeFound.Pieces",
	"SubTaskOutputChecked.Verdict", "SubTaskOutputChecked.By", "SynthesisChecked.Verdict", "SynthesisChecked.By",
	"ActionCriticised.Kind", "ActionCriticised.Why", "ActionCriticised.Rule", "ActionCriticised.By",
	"TaskFailed.Code", "TaskInterrupted.Why", "TaskInterrupted.By", "TaskPaused.By", "TaskPaused.Kind", "TaskHandedBack.By", "TaskErased.Erasure",
}

// Whoever adds a text to an event has to decide here whether it is personal.
func TestEvents_everyTextIsSealedOrKnownToBeOpen(t *testing.T) {
	t.Parallel()
	for _, e := range samples {
		typ := reflect.TypeOf(e)
		for i := range typ.NumField() {
			f := typ.Field(i)
			text := f.Type.Kind() == reflect.String || f.Type.Kind() == reflect.Slice
			_, sealed := f.Tag.Lookup("sealed")
			if name := typ.Name() + "." + f.Name; text && !sealed && !slices.Contains(open, name) {
				t.Errorf("%s stands in clear and is not on the list of what may", name)
			}
		}
	}
}

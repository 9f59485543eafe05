package task_test

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func yes() *bool { b := true; return &b }

func observedFor(turn int, request task.Request) task.PageObserved {
	return task.PageObserved{
		Tenant: "acme", User: "jo", Session: "s1", Turn: turn, Request: request,
		Instance: "i1", LeaseUntil: noon.Add(2 * time.Minute),
		DOMMode: "semantic_v3", Page: "ref1", DOMHash: "dom1", MeaningHash: "mean1", ReaderVersion: 1,
		ElementCount: 3, ActiveElement: "14",
		Query: "add a patient named Jas", URL: "https://clinic.example/", Title: "Patients",
		Witness: page.Witness{DOMMutated: yes(), RecentEvents: []string{"Added: 'Saved'"}},
	}
}

var (
	first  = task.Request{Key: "k1", Body: "b1"}
	second = task.Request{Key: "k2", Body: "b2"}

	newButton = task.Target{
		Target: reasoning.Target{Role: "button", Name: "New patient", Group: "Patients"}, ID: "14", Key: "button:New patient",
	}
	menuLink = task.Target{Target: reasoning.Target{Role: "link", Name: "Add patient"}, ID: "3", Key: "link:Add patient"}

	before = page.Before{
		URL: "https://clinic.example/", DOMHash: "dom1", MeaningHash: "mean1", ActiveElement: "14",
		Skeleton: page.Skeleton{
			Elements: []page.Descriptor{{Key: "button:New patient", ID: "14", Role: "button", Name: "New patient"}},
			Alerts:   []page.Alert{{Kind: page.AlertOther, Text: "Welcome"}},
		},
	}

	started   = task.TaskStarted{Tenant: "acme", User: "jo", Session: "s1", URL: "https://clinic.example/", Query: "add a patient named Jas"}
	generated = task.ActionGenerated{
		Turn: 1, StepIndex: 0, Kind: action.Click, Confidence: 0.9, By: "rules", Skills: []string{"sk1"},
		Thought: "I open the form.", Action: `click("14")`, Target: newButton, Expected: "a form", Before: before,
	}
	answered = task.TurnEnded{Turn: 1, Status: "action", Answer: json.RawMessage(`{"action":"click(\"14\")"}`)}
	refuted  = task.ActionVerified{
		Turn: 2, StepIndex: 0, Confidence: 0.2, Tier: 1, TokensSaved: 100, Rule: "nothing_changed", By: "rules",
		Reason: "nothing changed", Observations: []string{"URL did not change"},
	}
	confirmed = task.ActionVerified{
		Turn: 2, StepIndex: 0, Succeeded: true, Confidence: 0.9, Tier: 1, By: "rules", Reason: "a form opened",
	}
	unsure = task.ActionVerified{
		Turn: 2, StepIndex: 0, Undecided: true, Missing: reasoning.MissingAnswer, Confidence: 0.5, Tier: 1, By: "rules", Reason: "no answer yet",
	}
	issued = task.CorrectionIssued{
		Turn: 2, StepIndex: 0, Attempt: 1, Strategy: reasoning.AlternativeSelector, Kind: action.Click, By: "rules",
		Reason: "the button does nothing", Thought: "I try the menu.",
		FailedAction: `click("14")`, FailedTarget: newButton, RetryAction: `click("3")`, RetryTarget: menuLink, Before: before,
	}
)

// filling is a chain of three fields, and stopped says that the second of them failed.
var (
	filling = task.ActionGenerated{
		Turn: 1, StepIndex: 0, Kind: action.SetValue, Confidence: 0.9, By: "model", Recovery: "retry",
		Thought: "I fill in the form.", Action: `setValue("1", "Jas")`, Target: field("1", "Name"), Before: before,
		Chain: []task.ChainItem{
			{Action: `setValue("1", "Jas")`, Description: "Type the name Jas", Target: field("1", "Name"), Retried: true},
			{Action: `setValue("2", "Oslo")`, CanFail: true, Target: field("2", "City")},
			{Action: `click("3")`, Target: task.Target{Target: reasoning.Target{Role: "checkbox", Name: "Insured"}, ID: "3", Key: "checkbox:Insured"}},
		},
	}
	stopped = task.ChainPartiallyFailed{
		Turn: 2, StepIndex: 0, Total: 3, Executed: []int{0}, Failed: 1, Recovery: "regenerate", From: 1, Code: "ELEMENT_NOT_FOUND",
		FailedAction: `setValue("2", "Oslo")`, Error: "no answer of field City", Reason: "Jas moved",
	}
)

func field(id, name string) task.Target {
	return task.Target{Target: reasoning.Target{Role: "textbox", Name: name}, ID: id, Key: "textbox:" + name}
}

// samples is one of each event, as frozen in testdata/events.
var samples = map[string]task.Event{
	task.NamePageObserved:       observedFor(1, first),
	task.NameTurnEnded:          task.TurnEnded{Turn: 1, Status: "action", Answer: json.RawMessage(`{"action":"finish()"}`), Secret: "hunter2"},
	task.NameTurnAbandoned:      task.TurnAbandoned{Turn: 1, Why: "its process is gone"},
	task.NameTaskStarted:        started,
	task.NameUserInputRequested: task.UserInputRequested{Turn: 1, Question: "Which one?", Missing: []string{"name"}},
	task.NameUserInputProvided:  task.UserInputProvided{Turn: 2, Text: "the first"},
	task.NameActionGenerated:    generated,
	task.NameOutcomePredicted: task.OutcomePredicted{
		Turn: 1, StepIndex: 0, Kind: page.KindGeneric, By: "rules",
		Outcome: page.Outcome{
			Description: "a form opens", Changes: page.ExpectedChanges{Exists: "form"},
			NextGoal: &page.NextGoal{Description: "the field Name", Role: "textbox", Required: true},
		},
	},
	task.NameFinishBlocked: task.FinishBlocked{Turn: 3, Message: "Jas was added"},
	task.NamePlanMade: task.PlanMade{
		Turn: 1, Cause: "first", By: "a-model", Confidence: 0.8, Sources: []reasoning.Source{reasoning.FromMemory, reasoning.FromPage},
		Reason: "two things have to be done", Evidence: "the name is in the task",
		Plan: plan.Plan{
			Steps: []plan.Step{
				{Description: "Open the form for a new patient", Tool: plan.DOM, Status: plan.Active},
				{Description: "Enter Jas and save", Tool: plan.DOM, Status: plan.Pending},
			},
			Contingencies: []plan.Contingency{{
				Name: "cookies", Trigger: plan.Trigger{Text: "cookies"},
				Steps: []plan.Step{{Description: "Refuse cookies", Tool: plan.DOM, Status: plan.Pending}},
			}},
		},
	},
	task.NamePlanChecked: task.PlanChecked{
		Turn: 1, Attempt: 1, Option: "adversarial", Scores: plan.Scores{Completeness: 0.5, Consistency: 1, Groundedness: 0.5, Routability: 0.75},
		Overall: 0.65, Verdict: plan.Retry, By: "a-model", Issues: []string{"nothing is saved"},
	},
	task.NameContextAnalyzed: task.ContextAnalyzed{
		Turn: 1, By: "a-model", Sources: []reasoning.Source{reasoning.FromPage, reasoning.FromWeb}, Confidence: 0.75, Route: reasoning.SearchWeb,
		Evidence: "the form asks for Jas's ward", Missing: []string{"the ward of Jas"}, Search: "wards of clinic.example",
	},
	task.NameWebSearched: task.WebSearched{
		Turn: 1, Hop: 1, For: reasoning.ForContext, Domains: []string{"clinic.example"}, Widened: true, Results: 1,
		Search: reasoning.WebSearch{Query: "wards of clinic.example", Results: []reasoning.WebResult{{Title: "Wards", URL: "https://clinic.example/wards", Snippet: "Jas"}}},
	},
	task.NameInformationChecked: task.InformationChecked{
		Turn: 1, By: "a-model", Hops: 1, Sources: []reasoning.Source{reasoning.FromUser}, Confidence: 0.5, Route: reasoning.AskFirst,
		Reason: "nothing says where Jas is", Missing: []string{"the ward of Jas"}, Search: "ward of Jas",
	},
	task.NameKnowledgeFound: task.KnowledgeFound{
		Turn: 2, For: reasoning.ForMissing, Known: true, Chunks: []string{"7c1f.3"}, Pieces: "ref-k", Value: "the ward of Jas",
		Citations: []reasoning.Citation{{
			DocumentID: "d1", VersionID: "7c1f", ChunkID: "7c1f.3", Document: "Wards of clinic.example", Section: "Names › Jas", Page: 4,
			At: time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC), Public: true,
		}},
	},
	task.NameSubTaskStarted:   task.SubTaskStarted{Turn: 1, Index: 0, Goal: "Find Jas"},
	task.NameSubTaskCompleted: task.SubTaskCompleted{Turn: 2, Index: 0, Outputs: map[string]string{"name": "Jas"}},
	task.NameSubTaskFailed:    task.SubTaskFailed{Turn: 2, Index: 1, Why: "there is no Jas"},
	task.NameOutputChecked: task.SubTaskOutputChecked{
		Turn: 2, Index: 0, Attempt: 1, Overall: 0.6, Verdict: plan.Retry, By: "a-model", Issues: []string{"the number of Jas is missing"},
	},
	task.NameSynthesisChecked: task.SynthesisChecked{Turn: 3, Attempt: 1, Overall: 1, Verdict: plan.Pass, By: "rules", Issues: []string{"Jas stands nowhere"}},
	task.NameActionCriticised: task.ActionCriticised{
		Turn: 1, Kind: action.SetValue, Attempt: 1, Why: "high_risk", Rule: "date_for_name", By: "rules",
		Action: `setValue("14", "01/01/1990")`, Objection: "a date is no name",
	},
	task.NameChainFailed:      stopped,
	task.NameActionVerified:   refuted,
	task.NameCorrectionIssued: issued,
	task.NameTaskCompleted:    task.TaskCompleted{Turn: 3, Confidence: 0.95, Message: "Jas was added"},
	task.NameTaskFailed:       task.TaskFailed{Turn: 3, Code: "LLM_ERROR", Message: "no answer"},
	task.NameTaskInterrupted:  task.TaskInterrupted{Why: "idle for 30 minutes"},
	task.NameTaskResumed:      task.TaskResumed{Turn: 4},
	task.NameTaskPaused:       task.TaskPaused{By: "u2", Kind: task.TakenOver, At: noon, Note: "Jas is in it twice"},
	task.NameTaskHandedBack:   task.TaskHandedBack{By: "u2", At: noon.Add(time.Minute), Note: "Jas is done, the password is hunter2", Secrets: []string{"hunter2"}},
	task.NameTaskErased:       task.TaskErased{Erasure: "5c1b6f0e-0d1b-5f6e-9b1c-000000000001"},
}

// waiting is a task whose first action waits for its verdict.
func waiting() []task.Event {
	return []task.Event{observedFor(1, first), started, generated, answered}
}

// undecidedOnce is a task in its second turn, of whose first action nobody knows.
func undecidedOnce() []task.Event { return append(waiting(), observedFor(2, second), unsure) }

// refusedOnce is a task in its second turn, the first action having failed.
func refusedOnce() []task.Event { return append(waiting(), observedFor(2, second), refuted) }

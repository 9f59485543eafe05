package history_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// addEvent adds an event caused by something to a stream, and returns its id.
func addEvent(t *testing.T, e *projtest.Env, stream, correlation, causation string, event any) string {
	t.Helper()
	id := domain.NewUUID()
	key, err := e.Keys.Key(t.Context(), projtest.Tenant, correlation)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var data []byte
	switch event := event.(type) {
	case task.Event:
		name, data, err = task.Codec.Encode(event, id, key)
	case ledger.Event:
		name, data, err = ledger.Codec.Encode(event, id, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	meta := eventstore.Metadata{Tenant: projtest.Tenant, Correlation: correlation, Causation: causation, Schema: 1}
	if _, err := e.Store.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{{ID: id, Type: name, Data: data, Meta: meta.Encode()}}); err != nil {
		t.Fatal(err)
	}
	return id
}

// drawn is a task with a failed step, its correction, a plan and a question, and the
// names of its events.
func drawn(t *testing.T, e *projtest.Env) (id string, names map[string]string) {
	t.Helper()
	id = domain.NewUUID()
	names = map[string]string{"task:" + id: "task", "request:k1": "request 1", "request:k2": "request 2", "rows:tasks:" + id: "rows of tasks"}
	add := func(name, causation string, event any) string {
		stream := task.Stream(id)
		if _, of := event.(ledger.Event); of {
			stream = ledger.Stream(id)
		}
		added := addEvent(t, e, stream, id, causation, event)
		names[added] = name
		return added
	}
	add("page 1", "k1", task.PageObserved{Tenant: projtest.Tenant, Turn: 1, Request: task.Request{Key: "k1"}})
	start := add("call starts", "k1", ledger.LLMCallStarted{Call: "c", Task: id, Turn: 1, Purpose: ledger.ActionGeneration})
	add("call ends", start, ledger.LLMCallCompleted{Call: "c", Report: ledger.Report{Outcome: ledger.OK}})
	names["rows:usage:c"] = "row of usage"
	add("plan", "k1", task.PlanMade{Turn: 1, By: "rules"})
	add("action", "k1", task.ActionGenerated{Turn: 1, By: "m-1"})
	add("prediction", "k1", task.OutcomePredicted{Turn: 1, By: "rules"})
	add("answer 1", "k1", task.TurnEnded{Turn: 1})
	add("page 2", "k2", task.PageObserved{Tenant: projtest.Tenant, Turn: 2, Request: task.Request{Key: "k2"}})
	verdict := add("verdict", "k2", task.ActionVerified{Turn: 2, By: "rules"})
	add("correction", "k2", task.CorrectionIssued{Turn: 2, By: "rules", Strategy: reasoning.AlternativeSelector})
	add("end", verdict, task.TaskFailed{Turn: 2})
	names["elsewhere:archived"] = "another stream"
	add("interruption", "archived", task.TaskInterrupted{})
	return id, names
}

func TestReader_Graph(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	id, names := drawn(t, e)
	r := history.Reader{Log: e.Store, Keys: e.Keys, ReadModels: []history.ReadModel{
		{Name: "tasks", Filter: eventstore.Filter{Categories: []string{"task"}, Types: []string{task.NameActionGenerated}}},
		{Name: "usage", Filter: eventstore.Filter{Categories: []string{"usage"}}},
	}}
	g, err := r.Graph(t.Context(), projtest.Tenant, id, 0)
	if err != nil || g.Head != 9 {
		t.Fatal(g, err)
	}
	var recorded, inferred []string
	correlated := 0
	for _, edge := range g.Recorded {
		if names[edge.Event] == "" || edge.Event != edge.To {
			t.Errorf("edge %+v is recorded in no event", edge)
		}
		if edge.In == history.InCorrelation {
			correlated++
			continue
		}
		recorded = append(recorded, names[edge.From]+" > "+names[edge.To]+": "+edge.In)
	}
	for _, edge := range g.Inferred {
		inferred = append(inferred, names[edge.From]+" > "+names[edge.To]+": "+edge.Rule)
	}
	if correlated != 12 {
		t.Errorf("%d events are the task's, want 12", correlated)
	}
	if diff := cmp.Diff([]string{
		"request 1 > page 1: metadata.causation",
		"request 1 > plan: metadata.causation", "page 1 > plan: data.turn",
		"request 1 > action: metadata.causation", "page 1 > action: data.turn",
		"request 1 > prediction: metadata.causation", "page 1 > prediction: data.turn",
		"request 1 > answer 1: metadata.causation", "page 1 > answer 1: data.turn",
		"request 2 > page 2: metadata.causation",
		"request 2 > verdict: metadata.causation", "page 2 > verdict: data.turn",
		"request 2 > correction: metadata.causation", "page 2 > correction: data.turn",
		"verdict > end: metadata.causation", "page 2 > end: data.turn",
		"another stream > interruption: metadata.causation",
		"request 1 > call starts: metadata.causation", "page 1 > call starts: data.turn",
		"call starts > call ends: metadata.causation", "call starts > call ends: data.call",
	}, recorded); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"plan > action: " + history.RulePlanned,
		"call ends > action: " + history.RuleCallGave,
		"action > prediction: " + history.RulePredicts,
		"answer 1 > page 2: " + history.RuleShows,
		"action > verdict: " + history.RuleJudges,
		"verdict > correction: " + history.RuleCorrects,
		"verdict > end: " + history.RuleEnds,
		"action > rows of tasks: the read model takes events of this type",
		"call starts > row of usage: the read model takes events of this type",
		"call ends > row of usage: the read model takes events of this type",
	}, inferred); diff != "" {
		t.Errorf("inferred (-want +got):\n%s", diff)
	}
	ofTurn, err := r.Graph(t.Context(), projtest.Tenant, id, 2)
	if err != nil {
		t.Fatal(err)
	}
	var near []string
	for _, n := range ofTurn.Nodes {
		near = append(near, names[n.ID])
	}
	slices.Sort(near)
	if want := "action,another stream,answer 1,correction,end,interruption,page 2,request 2,task,verdict"; strings.Join(near, ",") != want {
		t.Errorf("turn 2 has %v, want %s", near, want)
	}
	if _, err := r.Graph(t.Context(), "globex", id, 0); !isNotFound(err) {
		t.Errorf("another tenant: %v; want not found", err)
	}
}

// Every edge is between nodes that are there, leads from the earlier to the later event,
// and names an event or a rule; nothing is there twice.
func TestReader_Graph_OfStories(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	e.Story(9, 400)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	for id := range tasksIn(t, e) {
		g, err := r.Graph(t.Context(), projtest.Tenant, id, 0)
		if err != nil {
			t.Fatal(err)
		}
		revision := map[string]int64{}
		for _, n := range g.Nodes {
			if _, twice := revision[n.ID]; twice {
				t.Errorf("node %s is there twice", n.ID)
			}
			if revision[n.ID] = -1; n.Revision != nil && n.Stream == task.Stream(id) {
				revision[n.ID] = *n.Revision
			}
		}
		seen := map[any]bool{}
		check := func(edge any, from, to, why string) {
			before, known := revision[from]
			after, known2 := revision[to]
			if !known || !known2 || why == "" || seen[edge] || before >= 0 && after >= 0 && before >= after {
				t.Errorf("edge %+v: from %d to %d", edge, before, after)
			}
			seen[edge] = true
		}
		for _, edge := range g.Recorded {
			check(edge, edge.From, edge.To, edge.In)
		}
		for _, edge := range g.Inferred {
			check(edge, edge.From, edge.To, edge.Rule)
		}
	}
}

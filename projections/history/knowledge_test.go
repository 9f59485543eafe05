package history_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

var (
	wards = reasoning.Citation{DocumentID: "d1", VersionID: "v1", ChunkID: "v1.3", Document: "Handbook", Section: "Wards", Page: 4, At: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)}
	fees  = reasoning.Citation{DocumentID: "d2", VersionID: "v9", ChunkID: "v9.1", Document: "Fees", Public: true}
)

// informed is a task that a model decides by what documents say, and what revisions that
// was found at.
func informed(e *projtest.Env) (id string, wardsAt, feesAt int64) {
	k := e.Task(e.Session(), url, "save")
	turn := func(n int, events ...task.Event) {
		k.Append(append([]task.Event{task.PageObserved{Tenant: projtest.Tenant, User: "u", Turn: n, Page: "ref", URL: url}}, events...)...)
	}
	act := func(n int, by string) task.Event {
		return task.ActionGenerated{Turn: n, StepIndex: n - 1, Kind: "click", Action: `click("1")`, By: by}
	}
	turn(1, task.KnowledgeFound{Turn: 1, For: reasoning.ForContext, Known: true, Chunks: []string{"v1.3"}, Pieces: "ref-1", Citations: []reasoning.Citation{wards}},
		task.ContextAnalyzed{Turn: 1, By: "m-1"}, task.PlanMade{Turn: 1, By: "m-1"}, act(1, "m-1"), task.TurnEnded{Turn: 1, Status: "action"})
	turn(2, act(2, "rules"), task.TurnEnded{Turn: 2, Status: "action"})
	turn(3, task.KnowledgeFound{Turn: 3, For: reasoning.ForMissing, Known: true, Value: "fee", Chunks: []string{"v9.1", "v1.3"}, Pieces: "ref-2", Citations: []reasoning.Citation{fees, wards}},
		act(3, "m-1"), task.TurnEnded{Turn: 3, Status: "action"})
	turn(4, task.KnowledgeFound{Turn: 4, For: reasoning.ForContext, Failed: true}, act(4, "m-1"), task.TurnEnded{Turn: 4, Status: "action"})
	k.Append(task.PageObserved{Tenant: projtest.Tenant, User: "u", Turn: 5, URL: url}, task.TurnEnded{Turn: 5, Status: "needs_full_dom"})
	return k.ID, 1, 10
}

// Given a task that was shown what documents say, when its turns are looked at, then each
// says what it was shown and since when, and each decision of a model what it may rest on.
func TestReader_Turns_Knowledge(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	id, wardsAt, feesAt := informed(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	got, err := r.Turns(t.Context(), projtest.Tenant, id, 0, 0)
	if err != nil || len(got.Turns) != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
	first := &history.Knowledge{Revision: wardsAt, Known: true, Citations: []reasoning.Citation{wards}, Pieces: "ref-1"}
	want := []*history.Knowledge{
		first, first,
		{Revision: feesAt, Known: true, Value: "fee", Citations: []reasoning.Citation{fees, wards}, Pieces: "ref-2"},
		{Revision: 14, Failed: true, Citations: []reasoning.Citation{}},
		nil, // no page, no site
	}
	rests := [][]reasoning.Citation{{wards}, nil, {fees, wards}, nil, nil}
	for i, turn := range got.Turns {
		if diff := cmp.Diff(want[i], turn.Knowledge); diff != "" {
			t.Errorf("turn %d: %s", i+1, diff)
		}
		if len(turn.Actions) == 0 {
			continue
		}
		if diff := cmp.Diff(rests[i], turn.Actions[0].Documents); diff != "" {
			t.Errorf("the action of turn %d: %s", i+1, diff)
		}
	}
	one, err := r.Turn(t.Context(), projtest.Tenant, id, 2)
	if diff := cmp.Diff(first, one.Knowledge); err != nil || diff != "" {
		t.Errorf("turn 2 alone: %v %s", err, diff)
	}
}

// What was shown is in the state at each revision, and a comparison says who set it.
func TestReader_State_Knowledge(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	id, wardsAt, feesAt := informed(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	d, err := r.Diff(t.Context(), projtest.Tenant, id, wardsAt, feesAt)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range d.Changes {
		if len(c.Path) > 10 && c.Path[:10] == "/knowledge" {
			paths = append(paths, c.Path)
			if c.By == nil || c.By.Revision != feesAt {
				t.Errorf("%s was set by %+v", c.Path, c.By)
			}
		}
	}
	if !slices.Contains(paths, "/knowledge/pieces") || len(paths) < 2 {
		t.Errorf("%q", paths)
	}
}

// What a model decided may rest on what documents were found to say last; what rules
// decided does not.
func TestReader_Graph_Knowledge(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	id, wardsAt, feesAt := informed(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	g, err := r.Graph(t.Context(), projtest.Tenant, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	revisions := map[string]int64{}
	for _, n := range g.Nodes {
		if n.Revision != nil {
			revisions[n.ID] = *n.Revision
		}
	}
	var got [][2]int64
	for _, edge := range g.Inferred {
		if edge.Rule == history.RuleKnown {
			got = append(got, [2]int64{revisions[edge.From], revisions[edge.To]})
		}
	}
	if diff := cmp.Diff([][2]int64{{wardsAt, 2}, {wardsAt, 3}, {wardsAt, 4}, {feesAt, 11}}, got); diff != "" {
		t.Error(diff)
	}
}

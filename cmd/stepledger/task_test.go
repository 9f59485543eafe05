package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/internal/dom/snapshot"
	"github.com/stepledger/stepledger/projections/history"
)

// looked are the ids of a tenant's two finished tasks and one model call.
type looked struct {
	tenant, task, other, call string
	source                    string // of what the tenant knows
	recorded                  string // when event 3 was
}

func (l looked) fill(target string) string {
	return strings.NewReplacer("{taskId}", l.task, "{other}", l.other, "{callId}", l.call, "{turn}", "2", "{at}", l.recorded, "{tenant}", l.tenant).Replace(target)
}

// views are the same questions over HTTP and on the command line.
var views = []struct{ target, args string }{
	{"/api/debug/tasks", "list --tenant {tenant}"},
	{"/api/debug/tasks?status=completed&text=patient&limit=1", "list --tenant {tenant} --status completed --text patient --limit 1"},
	{"/api/debug/tasks/{taskId}/turns?limit=200", "show {taskId}"},
	{"/api/debug/tasks/{taskId}/turns?from=2&limit=2", "show {taskId} --from 2 --limit 2"},
	{"/api/debug/tasks/{taskId}/turns/2", "show {taskId} --turn 2"},
	{"/api/debug/tasks/{taskId}/calls/{callId}", "call {taskId} {callId}"},
	{"/api/debug/tasks/{taskId}/state", "at {taskId}"},
	{"/api/debug/tasks/{taskId}/state?revision=3", "at {taskId} 3"},
	{"/api/debug/tasks/{taskId}/state?at={at}", "at {taskId} {at}"},
	{"/api/debug/tasks/{taskId}/diff?from=1&to=6", "diff {taskId} 1 6"},
	{"/api/debug/tasks/{taskId}/diff?to=6", "diff {taskId} start 6"},
	{"/api/debug/tasks/{taskId}/fields?revision=6", "fields {taskId} 6"},
	{"/api/debug/tasks/{taskId}/graph", "graph {taskId}"},
	{"/api/debug/tasks/{taskId}/graph?turn=2", "graph {taskId} --turn 2"},
	{"/api/debug/compare?a={taskId}&b={other}", "compare {taskId} {other}"},
}

// An engineer looks at everything there is of two tasks, over HTTP and on the command
// line, which say the same; and nothing is different after it.
func TestTask_Looking(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	first, second := newModelPursuit(), newModelPursuit()
	first.finish(t, s.client)
	second.finish(t, s.client)
	s.catchUp(t)
	l := looked{
		tenant: data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, task: first.task, other: second.task,
		call: data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+first.task)).Calls[0].CallID,
	}
	l.recorded = data[struct{ RecordedAt string }](t, s.get(t, "/api/debug/tasks/"+l.task+"/state?revision=3")).RecordedAt
	before := s.fingerprint(t)

	for _, v := range views {
		t.Run(v.args, func(t *testing.T) {
			over := data[any](t, s.get(t, l.fill(v.target)))
			args := append([]string{"task"}, strings.Fields(l.fill(v.args))...)
			var tool any
			if err := json.Unmarshal([]byte(s.tool(t, append(args, "--json")...)), &tool); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(over, tool); diff != "" {
				t.Errorf("(-HTTP +tool):\n%s", diff)
			}
			if table := s.tool(t, args...); strings.Count(table, "\n") < 2 {
				t.Errorf("the table is %q", table)
			}
		})
	}
	t.Run("events", func(t *testing.T) { lookAtEvents(t, s, l) })
	t.Run("page", func(t *testing.T) { lookAtPages(t, s, l) })
	t.Run("sums are the ledger's", func(t *testing.T) {
		type totals struct{ Totals history.CallTotals }
		type timeline struct {
			totals
			Turns []totals
		}
		turns := data[timeline](t, s.get(t, l.fill("/api/debug/tasks/{taskId}/turns?limit=200")))
		ledger := usageOf(t, s, first, "").Totals
		sum := 0
		for _, turn := range turns.Turns {
			sum += turn.Totals.Calls
		}
		if turns.Totals.CostUSD != ledger.CostUSD || int64(sum) != ledger.Calls || ledger.CostUSD != "0.01056" {
			t.Errorf("turns cost %+v, %d calls; the ledger says %+v", turns.Totals, sum, ledger)
		}
		listed := data[api.TasksData](t, s.get(t, "/api/debug/tasks")).Tasks
		if len(listed) != 2 || listed[1].TaskID != l.task || listed[1].Spent == nil || listed[1].Spent.CostUSD != ledger.CostUSD {
			t.Errorf("the list says %+v", listed)
		}
	})
	t.Run("prompt and answer", func(t *testing.T) {
		c := data[history.CallTexts](t, s.get(t, l.fill("/api/debug/tasks/{taskId}/calls/{callId}")))
		if c.Prompt.State != history.TextKept || c.Answer.State != history.TextKept || !strings.Contains(string(c.Prompt.Content), "patient") {
			t.Errorf("call %+v", c)
		}
	})
	t.Run("every other question", func(t *testing.T) { askEverything(t, s, l) })

	if diff := cmp.Diff(before, s.fingerprint(t)); diff != "" {
		t.Errorf("looking changed something (-before +after):\n%s", diff)
	}
	t.Run("what is erased says so", func(t *testing.T) { lookAtErased(t, s, l) })
}

func lookAtEvents(t *testing.T, s *server, l looked) {
	t.Helper()
	const filter = "type=action_verified&type=action_generated&importance=normal&field=stepIndex%3D0"
	over := data[struct{ Events []json.RawMessage }](t, s.get(t, l.fill("/api/debug/tasks/{taskId}/events?"+filter)))
	tool := s.tool(t, "task", "events", l.task, "--type", "action_verified,action_generated", "--importance", "normal", "--field", "stepIndex=0", "--json")
	d := json.NewDecoder(strings.NewReader(tool))
	for i, want := range over.Events {
		var a, b any
		if err := d.Decode(&b); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &a); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("event %d (-HTTP +tool):\n%s", i, diff)
		}
	}
	if len(over.Events) != 2 || d.More() {
		t.Errorf("%d events over HTTP; from the tool\n%s", len(over.Events), tool)
	}
	if table := s.tool(t, "task", "events", l.task, "--text", "patient", "--limit", "1"); strings.Count(table, "\n") != 2 {
		t.Errorf("one event is\n%s", table)
	}
}

func lookAtPages(t *testing.T, s *server, l looked) {
	t.Helper()
	r := s.get(t, l.fill("/api/debug/tasks/{taskId}/turns/1/page"))
	if r.status != http.StatusOK || r.header.Get("Content-Security-Policy") != snapshot.Policy || r.header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "text/html") || !strings.Contains(string(r.body), `<button id="acted-on" data-acted-on="">New patient`) {
		t.Errorf("page %d %v %s", r.status, r.header, r.body)
	}
	if tool := s.tool(t, "task", "page", l.task, "--turn", "1"); tool != string(r.body) {
		t.Errorf("from the tool\n%s\nover HTTP\n%s", tool, r.body)
	}
}

// askEverything asks every route of the debugger there is.
func askEverything(t *testing.T, s *server, l looked) {
	t.Helper()
	for _, target := range s.questions(t, l) {
		if got := s.get(t, target); got.status != http.StatusOK {
			t.Errorf("%s: %d %s", target, got.status, got.body)
		}
	}
}

func lookAtErased(t *testing.T, s *server, l looked) {
	t.Helper()
	if err := s.content.Drop(t.Context(), l.tenant, l.task); err != nil {
		t.Fatal(err)
	}
	c := data[history.CallTexts](t, s.get(t, l.fill("/api/debug/tasks/{taskId}/calls/{callId}")))
	if c.Prompt.State != history.TextErased || c.Answer.State != history.TextErased || c.Call.CostUSD == nil {
		t.Errorf("call %+v", c)
	}
	if r := s.get(t, l.fill("/api/debug/tasks/{taskId}/turns/1/page")); r.status != http.StatusNotFound || !strings.Contains(string(r.body), "erased") {
		t.Errorf("page %d %s", r.status, r.body)
	}
	turns := s.get(t, l.fill("/api/debug/tasks/{taskId}/turns?limit=200"))
	if turns.status != http.StatusOK || strings.Contains(string(turns.body), "Jas") || !strings.Contains(string(turns.body), "[erased]") {
		t.Errorf("turns %d %s", turns.status, turns.body)
	}
}

// fingerprint is the head of the log and the content of every table that looking could
// change: of the log, of the read models and of the content store.
func (s *server) fingerprint(t *testing.T) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	head, err := s.events.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{"head": strconv.FormatInt(head, 10)}
	rows, err := s.db.Query(ctx, `select schemaname, tablename from pg_tables where schemaname like 'read\_%' or schemaname in ('log', 'content', 'billing')`)
	if err != nil {
		t.Fatal(err)
	}
	type table struct{ Schema, Name string }
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil || len(tables) < 10 {
		t.Fatal(len(tables), err)
	}
	for _, of := range tables {
		name := pgx.Identifier{of.Schema, of.Name}.Sanitize()
		var sum string
		if err := s.db.QueryRow(ctx, `select count(*) || ' ' || coalesce(md5(string_agg(r::text, '|' order by r::text)), '') from `+name+` r`).Scan(&sum); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sums[name] = sum
	}
	return sums
}

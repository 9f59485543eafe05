package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// checkedTask is a task of a tenant whose plan got a score and whose end is an event.
func (s *server) checkedTask(t *testing.T, tenant string, score float64, verdict, end string) {
	t.Helper()
	stream := task.Stream(domain.NewUUID())
	meta := eventstore.Metadata{Tenant: tenant, Schema: 1}.Encode()
	checked := fmt.Sprintf(`{"turn":1,"attempt":1,"option":"self","scores":{"completeness":%[1]v},"overall":%[1]v,"verdict":%[2]q,"by":"m-1"}`, score, verdict)
	_, err := s.events.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{
		{ID: domain.NewUUID(), Type: task.NamePlanChecked, Data: []byte(checked), Meta: meta},
		{ID: domain.NewUUID(), Type: task.NameActionGenerated, Data: []byte(`{"turn":1,"stepIndex":0,"kind":"click","confidence":0.95,"by":"m-1"}`), Meta: meta},
		{ID: domain.NewUUID(), Type: task.NameActionVerified, Data: []byte(`{"turn":2,"stepIndex":0,"succeeded":true,"confidence":0.9,"by":"rules"}`), Meta: meta},
		{ID: domain.NewUUID(), Type: end, Data: []byte(`{"turn":2}`), Meta: meta},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What became of checks and actions is the same over HTTP, from the tool and in its
// tables; a tenant sees its own, the operator and the metrics all of it.
func TestCalibration(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	for i := range 20 {
		score, end := 0.8, task.NameTaskFailed
		if i < 5 {
			end = task.NameTaskCompleted
		}
		s.checkedTask(t, tenant, score, "PASS", end)
	}
	s.checkedTask(t, tenant, 0.3, "FAIL", task.NameTaskFailed)
	eve := s.loginAs(t, newUser(t, s.identity, "eve@globex.example"))
	s.checkedTask(t, data[api.SessionData](t, eve.get(t, "/api/v1/auth/session")).TenantID, 0.75, "PASS", task.NameTaskCompleted)
	s.catchUp(t)

	got := data[api.CalibrationData](t, s.get(t, "/api/debug/calibration"))
	if len(got.Checkpoints) != 1 || len(got.Actions) != 1 {
		t.Fatalf("%+v", got)
	}
	if c := got.Checkpoints[0]; c.Checks != 21 || c.CatchRate.Count != 1 || c.CatchRate.Of != 16 || c.Correlation.Value != nil || len(c.Alerts) != 0 {
		t.Errorf("%+v", c)
	}
	if b := got.Actions[0].Bins[5]; b.Succeeded != 21 || b.Count != 21 {
		t.Errorf("actions %+v", b)
	}
	if c := data[api.CalibrationData](t, eve.get(t, "/api/debug/calibration")).Checkpoints; len(c) != 1 || c[0].Checks != 1 {
		t.Errorf("another tenant is shown %+v", c)
	}
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	if r := data[api.CalibrationData](t, s.get(t, "/api/debug/calibration?from="+later)); len(r.Checkpoints)+len(r.Actions) != 0 {
		t.Errorf("of the time to come: %+v", r)
	}
	if r := s.get(t, "/api/debug/calibration?atLeast=999999"); r.status != http.StatusServiceUnavailable {
		t.Errorf("a position that is not there: %d", r.status)
	}

	var tool api.CalibrationData
	if err := json.Unmarshal([]byte(s.tool(t, "calibration", "--json", "--tenant", tenant)), &tool); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, tool); diff != "" {
		t.Errorf("over HTTP and from the tool (-http +tool):\n%s", diff)
	}
	for range 4 {
		s.checkedTask(t, tenant, 0.9, "PASS", task.NameTaskFailed)
	}
	s.catchUp(t)
	table := strings.Join(strings.Fields(s.tool(t, "calibration")), " ")
	for _, want := range []string{
		"checkpoint plan 26 checks, mean score 0.79", "self PASS 25 0.81", "0.8-0.9 20 5 15 0.80 0.25", "not given: 26 ended tasks, 100 needed",
		"0.05 (1 of 20)", "ALERT (high) lowCatchRate: 0.05 of 20, threshold 0.60", "actions of m-1 confidence", "0.9-1.0 26 26 0 0.95 1.00", "ran whole - (0 of 0)",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	if err := s.toolError(t, "calibration", "--from", "yesterday"); err == nil {
		t.Error("what is no time is taken for one")
	}
	metrics := s.scrape(t)
	for _, want := range []string{
		`stepledger_checkpoint_checks{checkpoint="plan"} 26`, `stepledger_checkpoint_catch_rate{checkpoint="plan"} 0.05`,
		`stepledger_checkpoint_alert{alert="lowCatchRate",checkpoint="plan",severity="high"} 1`, `stepledger_chains 0`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	if strings.Contains(metrics, "stepledger_checkpoint_retry_success_rate") {
		t.Error("a rate without cases has a gauge")
	}
}

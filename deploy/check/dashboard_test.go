package check

import (
	"encoding/json"
	"strings"
	"testing"
)

// wanted are what the specification wants to be seen at once, by the hour, the day and the
// week, each by a metric of a panel below that row.
var wanted = map[string][]string{
	"Now":         {"stepledger_task_completion_rate", "stepledger_tasks_active", `status="5xx"`},
	"By the hour": {"stepledger_turn_seconds_bucket", "stepledger_model_tokens_total"},
	"By the day":  {"stepledger:skills_created:day", "stepledger:skills_used:day", "stepledger:replan_rate:day", "stepledger:complexity_accuracy:day"},
	"By the week": {"stepledger:cost_usd:week", "stepledger:task_completion_rate:week", "stepledger:skill_effectiveness:week"},
	"Operation":   {"stepledger_projection_lag_seconds", "stepledger_service_up"},
}

// The dashboard is JSON, its panels have ids of their own and do not overlap, and every query
// asks for what there is.
func TestDashboard(t *testing.T) {
	t.Parallel()
	var d map[string]any
	if err := json.Unmarshal(read(t, "deploy/grafana/stepledger.json"), &d); err != nil {
		t.Fatal(err)
	}
	all, ids, row, shown := known(t), map[float64]bool{}, "", map[string]string{}
	taken := map[[2]int]string{}
	for _, p := range list(d, "panels") {
		id, title := number(p, "id"), text(p, "title")
		if id == 0 || ids[id] {
			t.Errorf("%q has the id %v of another", title, id)
		}
		ids[id] = true
		grid := func(name string) int { return int(number(p, "gridPos", name)) }
		for x := grid("x"); x < grid("x")+grid("w"); x++ {
			for y := grid("y"); y < grid("y")+grid("h"); y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q lies over %q, or beyond the edge", title, other)
				}
				taken[[2]int{x, y}] = title
			}
		}
		if text(p, "type") == "row" {
			row = title
			continue
		}
		if uid := text(p, "datasource", "uid"); uid != "prometheus" {
			t.Errorf("%q asks %q", title, uid)
		}
		if len(list(p, "targets")) == 0 {
			t.Errorf("%q asks nothing", title)
		}
		for _, target := range list(p, "targets") {
			query := text(target, "expr")
			shown[row] += query + "\n"
			for _, fault := range unknown(t, query, all) {
				t.Errorf("%q: %s: %s", title, query, fault)
			}
		}
	}
	for row, names := range wanted {
		for _, name := range names {
			if !strings.Contains(shown[row], name) {
				t.Errorf("%q does not show %s", row, name)
			}
		}
	}
	if source := documents(t, "deploy/grafana/provisioning/datasources/prometheus.yaml")[0]; text(source, "datasources", 0, "uid") != "prometheus" {
		t.Error("the source of the panels is not provisioned")
	}
}

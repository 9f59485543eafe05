package check

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

// ruleTests is what of promtool's format for tests of rules is used here.
type ruleTests struct {
	Files []string       `yaml:"rule_files"`
	Every model.Duration `yaml:"evaluation_interval"`
	Tests []ruleTest     `yaml:"tests"`
}

type ruleTest struct {
	Name   string         `yaml:"name"`
	Every  model.Duration `yaml:"interval"`
	Series []struct {
		Series, Values string
	} `yaml:"input_series"`
	Alerts []struct {
		At     model.Duration `yaml:"eval_time"`
		Name   string         `yaml:"alertname"`
		Firing []struct {
			Labels map[string]string `yaml:"exp_labels"`
		} `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
	Queries []struct {
		At      model.Duration `yaml:"eval_time"`
		Query   string         `yaml:"expr"`
		Samples []struct {
			Labels string
			Value  float64
		} `yaml:"exp_samples"`
	} `yaml:"promql_expr_test"`
}

// The rules say what rules_test.yaml wants of them, and every alert is made to fire there.
func TestRules_Evaluate(t *testing.T) {
	t.Parallel()
	var all ruleTests
	d := yaml.NewDecoder(strings.NewReader(string(read(t, ruleFiles+"rules_test.yaml"))))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range all.Files {
		paths = append(paths, filepath.Join(root, ruleFiles, f))
	}
	fired := map[string]bool{}
	for _, test := range all.Tests {
		for _, a := range test.Alerts {
			fired[a.Name] = fired[a.Name] || len(a.Firing) > 0
		}
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			test.run(t, paths)
		})
	}
	for _, g := range groupsOf(t, "alerts.yaml").Groups {
		for _, r := range g.Rules {
			if !fired[r.Alert] {
				t.Errorf("no test makes %s fire", r.Alert)
			}
		}
	}
}

func (r ruleTest) run(t *testing.T, paths []string) {
	t.Helper()
	load := fmt.Sprintf("load %v\n", r.Every)
	for _, s := range r.Series {
		load += "  " + s.Series + " " + s.Values + "\n"
	}
	world, err := promqltest.NewLazyLoader(load, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	m := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(world.QueryEngine(), world.Storage()), Appendable: world.Storage(), Context: t.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: promslog.NewNopLogger(),
	})
	groups, errs := m.LoadGroups(time.Duration(r.Every), labels.EmptyLabels(), "", nil, false, paths...)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	names := make([]string, 0, len(groups))
	for name, g := range groups {
		names = append(names, name)
		for _, rule := range g.Rules() {
			if a, ok := rule.(*rules.AlertingRule); ok {
				a.SetRestored(true)
			}
		}
	}
	// views.yaml:totals has to be before those that use it.
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	var until time.Duration
	for _, a := range r.Alerts {
		until = max(until, time.Duration(a.At))
	}
	for _, q := range r.Queries {
		until = max(until, time.Duration(q.At))
	}
	for at := time.Duration(0); at <= until; at += time.Duration(r.Every) {
		now := time.Unix(0, 0).UTC().Add(at)
		world.WithSamplesTill(now, func(err error) {
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				groups[name].Eval(t.Context(), now)
				for _, rule := range groups[name].Rules() {
					if err := rule.LastError(); err != nil {
						t.Fatalf("%s at %v: %v", rule.Name(), at, err)
					}
				}
			}
			r.compareAlerts(t, groups, at)
			r.compareQueries(t, world, now, at)
		})
	}
}

func order(group string) string {
	if strings.Contains(group, ";totals") {
		return ""
	}
	return group
}

func (r ruleTest) compareAlerts(t *testing.T, groups map[string]*rules.Group, at time.Duration) {
	t.Helper()
	for _, want := range r.Alerts {
		if time.Duration(want.At) != at {
			continue
		}
		var wanted, got []string
		for _, f := range want.Firing {
			f.Labels["alertname"] = want.Name
			wanted = append(wanted, labels.FromMap(f.Labels).String())
		}
		for _, g := range groups {
			for _, rule := range g.AlertingRules() {
				for _, a := range rule.ActiveAlerts() {
					if rule.Name() == want.Name && a.State == rules.StateFiring {
						got = append(got, a.Labels.String())
					}
				}
			}
		}
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s at %v: %v fire, want %v", want.Name, at, got, wanted)
		}
	}
}

func (r ruleTest) compareQueries(t *testing.T, world *promqltest.LazyLoader, now time.Time, at time.Duration) {
	t.Helper()
	for _, want := range r.Queries {
		if time.Duration(want.At) != at {
			continue
		}
		got, err := rules.EngineQueryFunc(world.QueryEngine(), world.Storage())(t.Context(), want.Query, now)
		if err != nil || len(got) != len(want.Samples) {
			t.Errorf("%s at %v: %v, %v; want %v", want.Query, at, got, err, want.Samples)
			continue
		}
		for i, s := range want.Samples {
			if got[i].Metric.Get(model.MetricNameLabel) != s.Labels || math.Abs(got[i].F-s.Value) > 1e-6*math.Abs(s.Value) {
				t.Errorf("%s at %v: %v; want %v", want.Query, at, got, want.Samples)
			}
		}
	}
}

// What a server says with events put aside fires the alert: the file is what the test of the
// operator's path scrapes of one.
func TestRules_FireWithWhatAServerSays(t *testing.T) {
	t.Parallel()
	said := ruleTest{Name: "a server's own words", Every: model.Duration(time.Minute)}
	for line := range strings.Lines(string(read(t, "deploy/check/testdata/parked.prom"))) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		said.Series = append(said.Series, struct{ Series, Values string }{series, value + "+0x10"})
	}
	fires := `alert_rule_test:
- {eval_time: 9m, alertname: EventsParked, exp_alerts: [{exp_labels: {severity: ticket, projection: sessions}}, {exp_labels: {severity: ticket, projection: tasks}}]}`
	if err := yaml.Unmarshal([]byte(fires), &said); err != nil {
		t.Fatal(err)
	}
	said.run(t, []string{filepath.Join(root, ruleFiles, "alerts.yaml")})
}

package check

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/prometheus/common/model"
)

const ruleFiles = "deploy/prometheus/"

// metrics are those of deploy/metrics.txt, with the series a histogram has, and their labels.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	known := map[string][]string{"up": nil, "ALERTS": {"alertname", "alertstate"}}
	for line := range strings.Lines(string(read(t, "deploy/metrics.txt"))) {
		fields := append(strings.Fields(line), "")
		var labels []string
		if fields[2] != "" {
			labels = strings.Split(fields[2], ",")
		}
		// Prometheus gives every series these, and renames a label of ours that is one of them.
		for i, l := range labels {
			if l == "job" || l == "instance" {
				labels[i] = "exported_" + l
			}
		}
		if fields[1] != "histogram" {
			known[fields[0]] = labels
			continue
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			known[fields[0]+suffix] = append(slices.Clone(labels), "le")
		}
	}
	return known
}

func groupsOf(t *testing.T, file string) *rulefmt.RuleGroups {
	t.Helper()
	all, errs := rulefmt.Parse(read(t, ruleFiles+file), false)
	for _, err := range errs {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// known are the metrics there are and those that rules record.
func known(t *testing.T) map[string][]string {
	t.Helper()
	all := metrics(t)
	for _, file := range []string{"alerts.yaml", "views.yaml"} {
		for _, g := range groupsOf(t, file).Groups {
			for _, r := range g.Rules {
				if r.Record != "" {
					all[r.Record] = labelsOf(t, r.Expr)
				}
			}
		}
	}
	return all
}

// labelsOf are those that an aggregation leaves.
func labelsOf(t *testing.T, query string) []string {
	t.Helper()
	e, err := parser.ParseExpr(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	a, ok := e.(*parser.AggregateExpr)
	if !ok || a.Without {
		return nil
	}
	return a.Grouping
}

// unknown are the names in a query that no metric has: of metrics, and of labels.
func unknown(t *testing.T, query string, known map[string][]string) (faults []string) {
	t.Helper()
	e, err := parser.ParseExpr(query)
	if err != nil {
		return []string{err.Error()}
	}
	labels := []string{"job", "instance"}
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		v, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		of, isKnown := known[v.Name]
		if !isKnown {
			faults = append(faults, "there is no metric "+v.Name)
			return nil
		}
		labels = append(labels, of...)
		for _, m := range v.LabelMatchers {
			if m.Name != model.MetricNameLabel && !slices.Contains(of, m.Name) && m.Name != "job" {
				faults = append(faults, v.Name+" has no label "+m.Name)
			}
		}
		return nil
	})
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok && !a.Without {
			for _, l := range a.Grouping {
				if !slices.Contains(labels, l) {
					faults = append(faults, "nothing in it has a label "+l)
				}
			}
		}
		return nil
	})
	return faults
}

// Every rule asks for what there is.
func TestRules_Names(t *testing.T) {
	t.Parallel()
	all := known(t)
	for _, file := range []string{"alerts.yaml", "views.yaml"} {
		for _, g := range groupsOf(t, file).Groups {
			for _, r := range g.Rules {
				for _, fault := range unknown(t, r.Expr, all) {
					t.Errorf("%s: %s%s: %s", file, r.Alert, r.Record, fault)
				}
			}
		}
	}
	for _, bad := range []string{"max(stepledger_nonsense)", `stepledger_service_up{nonsense="x"}`, "sum by (nonsense) (stepledger_skills)", "max("} {
		if len(unknown(t, bad, all)) == 0 {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// thresholds are those of the specification's table of KPIs; skill hit rate has none.
var thresholds = map[string]string{
	"TaskCompletionLow": "< 0.75", "TurnLatencyHigh": "> 10", "SimpleTurnLatencyHigh": "> 4", "ComplexityAccuracyLow": "< 0.80",
	"ChainSuccessLow": "< 0.60", "RoundTripReductionLow": "< 0.30", "ReplanRateHigh": "> 0.40", "SkillEffectivenessLow": "< 0.40",
	"VerificationSuccessLow": "< 0.80", "CorrectionSuccessLow": "< 0.50",
}

var section = regexp.MustCompile(`(?m)^## (\w+)$`)

// Every alert has its page and links to it, and every page is of an alert; those of the KPIs
// have the specification's thresholds.
func TestAlerts_Runbook(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	text := string(read(t, "docs/runbook.md"))
	found := section.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		pages[text[m[2]:m[3]]] = text[m[1]:end]
	}
	seen := map[string]bool{}
	for _, g := range groupsOf(t, "alerts.yaml").Groups {
		for _, r := range g.Rules {
			seen[r.Alert] = true
			page := pages[r.Alert]
			for _, part := range []string{"- **Look**", "- **Do**", "- **Over**"} {
				if !strings.Contains(page, part) {
					t.Errorf("%s: the runbook has no %s for it", r.Alert, part)
				}
			}
			if want := "/docs/runbook.md#" + strings.ToLower(r.Alert); !strings.HasSuffix(r.Annotations["runbook_url"], want) {
				t.Errorf("%s links to %s", r.Alert, r.Annotations["runbook_url"])
			}
			if s := r.Labels["severity"]; s != "page" && s != "ticket" || r.Annotations["summary"] == "" {
				t.Errorf("%s: severity %q, summary %q", r.Alert, s, r.Annotations["summary"])
			}
			if !strings.HasSuffix(r.Expr, thresholds[r.Alert]) {
				t.Errorf("%s: %s has not the threshold %s", r.Alert, r.Expr, thresholds[r.Alert])
			}
		}
	}
	for name := range pages {
		if !seen[name] {
			t.Errorf("the runbook has a page for %s, which is no alert", name)
		}
	}
	for name := range thresholds {
		if !seen[name] {
			t.Errorf("the KPI of %s has no alert", name)
		}
	}
}

var runbookMetric = regexp.MustCompile(`\bstepledger_\w+`)

// What the runbook and the operations page name is there.
func TestRunbook_Metrics(t *testing.T) {
	t.Parallel()
	all := metrics(t)
	for _, page := range []string{"docs/runbook.md", "docs/operations.md"} {
		found := runbookMetric.FindAllString(string(read(t, page)), -1)
		if len(found) < 10 {
			t.Errorf("%s names only %q", page, found)
		}
		for _, name := range found {
			_, is := all[name]
			if _, isHistogram := all[name+"_count"]; !is && !isHistogram {
				t.Errorf("%s: there is no metric %s", page, name)
			}
		}
	}
}

var firstLook = regexp.MustCompile("(?s)First look.*?```\n(.*?)\n")

// Whoever opens the runbook is led to the doctor first, in a pod too.
func TestRunbook_FirstLook(t *testing.T) {
	t.Parallel()
	page := string(read(t, "docs/runbook.md"))
	if m := firstLook.FindStringSubmatch(page); m == nil || !strings.HasPrefix(m[1], "stepledger doctor") {
		t.Errorf("the first look begins with %q", m)
	}
	const inAPod = "kubectl --namespace=stepledger exec deploy/stepledger-api -- /usr/local/bin/stepledger doctor"
	for _, name := range []string{"docs/runbook.md", "deploy/README.md"} {
		if !strings.Contains(string(read(t, name)), inAPod) {
			t.Errorf("%s does not say how to run it in a pod", name)
		}
	}
}

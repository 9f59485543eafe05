package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// setting is a number of the ConfigMap.
func setting(t *testing.T, all []map[string]any, name string) int {
	t.Helper()
	n, err := strconv.Atoi(text(object(t, all, "ConfigMap", "stepledger"), "data", name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

var (
	upgrade = regexp.MustCompile(`(?s)\n## Upgrade\n(.*?)\n## `)
	notIn   = regexp.MustCompile(`--selector='role notin \(([a-z, ]+)\)'`)
)

// Pods do not migrate: the document has the job of the version before deleted, the new one
// applied without any pod that serves, and waited for, before those are exchanged.
func TestKubernetes_Upgrade(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	if got := text(object(t, all, "ConfigMap", "stepledger"), "data", "STEPLEDGER_MIGRATE"); got != "off" {
		t.Errorf("STEPLEDGER_MIGRATE is %q: every pod migrates", got)
	}
	m := upgrade.FindStringSubmatch(string(read(t, "deploy/README.md")))
	if m == nil {
		t.Fatal("nothing is said of upgrades")
	}
	var steps []string
	for line := range strings.Lines(m[1]) {
		if strings.HasPrefix(line, "kubectl ") {
			steps = append(steps, strings.TrimSpace(line))
		}
	}
	wanted := []string{"delete job stepledger-migrate", "apply -k deploy/kubernetes --selector", "wait --for=condition=complete", "apply -k deploy/kubernetes"}
	if len(steps) != len(wanted) {
		t.Fatalf("the steps are %q", steps)
	}
	for i, want := range wanted {
		if !strings.Contains(steps[i], want) {
			t.Errorf("step %d is %q, not %s", i+1, steps[i], want)
		}
	}
	left := notIn.FindStringSubmatch(steps[1])
	if left == nil {
		t.Fatalf("%q leaves nothing for later", steps[1])
	}
	for _, o := range all {
		isLeft := slices.Contains(strings.Split(left[1], ", "), text(o, "metadata", "labels", "role"))
		if serves := text(o, "kind") == "Deployment"; serves != isLeft {
			t.Errorf("%s %s: left for later is %v", text(o, "kind"), text(o, "metadata", "name"), isLeft)
		}
	}
}

// How many connections a Postgres has for everybody unless it is told otherwise, without
// those kept for superusers; of a process that goes through a pooler, how many do not; and
// the pool that docs/database.md takes.
const (
	usualConnections  = 97
	directConnections = 3
	poolSize          = 40
	leastConnections  = 20
)

// The database has room for four processes that connect to it, and for all there may ever be
// behind a pooler. What the autoscaler sets no manifest does.
func TestKubernetes_Connections(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	if each := setting(t, all, "STEPLEDGER_DATABASE_CONNECTIONS"); each < leastConnections || 4*each > usualConnections {
		t.Errorf("each of four processes takes %d connections", each)
	}
	most := map[string]float64{}
	for _, o := range all {
		if text(o, "kind") == "HorizontalPodAutoscaler" {
			most[text(o, "spec", "scaleTargetRef", "name")] = number(o, "spec", "maxReplicas")
		}
	}
	processes := 0.0
	for _, o := range all {
		if text(o, "kind") != "Deployment" {
			continue
		}
		name, replicas := text(o, "metadata", "name"), number(o, "spec", "replicas")
		if most[name] > 0 && replicas > 0 {
			t.Errorf("%s: an applied manifest undoes what the autoscaler set", name)
		}
		processes += max(most[name], replicas) + number(o, "spec", "strategy", "rollingUpdate", "maxSurge")
	}
	if processes < 4 || directConnections*processes+poolSize > usualConnections {
		t.Errorf("%v processes take %v connections beside the pooler's %d", processes, directConnections*processes, poolSize)
	}
}

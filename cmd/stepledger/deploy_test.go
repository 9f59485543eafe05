package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

// metricsFile lists what Prometheus may read here, a line each: name, kind, labels. The
// checks of deploy/ know by it which metrics there are.
const metricsFile = "../../deploy/metrics.txt"

var described = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

// kindOf guesses what a metric without a sample is: names say it.
func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case name == "stepledger_retention_seconds" || strings.HasSuffix(name, "_lag_seconds") || strings.HasSuffix(name, "_idle_seconds"):
		return "gauge"
	case strings.HasSuffix(name, "_seconds") && !strings.HasSuffix(name, "timestamp_seconds"):
		return "histogram"
	}
	return "gauge"
}

// listMetrics is the list by what a registry describes and has samples of.
func listMetrics(t *testing.T, r *prometheus.Registry) string {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, f := range families {
		kinds[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	descs := make(chan *prometheus.Desc)
	go func() { r.Describe(descs); close(descs) }()
	var lines []string
	for d := range descs {
		m := described.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("not to be read: %s", d)
		}
		if strings.HasPrefix(m[1], "go_") { // those of the runtime change with Go
			continue
		}
		labels := strings.Split(m[2], ",")
		slices.Sort(labels)
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", m[1], cmp.Or(kinds[m[1]], kindOf(m[1])), strings.Join(labels, ","))))
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n") + "\n"
}

// deployDocs are the documents and files that say what to type.
var deployDocs = []string{"../../deploy/README.md", "../../docs/runbook.md"}

var typed = regexp.MustCompile("(?m)(?:^|[ `(|])(?:bin/)?stepledger ([a-z][^`\\n|;&)]*)")

// Every command that an operator is told to type is one, with flags it has.
func TestDeploy_CommandsExist(t *testing.T) {
	t.Parallel()
	for _, name := range deployDocs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := typed.FindAllStringSubmatch(string(text), -1)
		if len(found) < 5 {
			t.Errorf("%s: only %d commands", name, len(found))
		}
		for _, m := range found {
			command, _, _ := strings.Cut(m[1], " #")
			if err := isCommand(strings.Fields(command)); err != nil {
				t.Errorf("%s: stepledger %s: %v", filepath.Base(name), m[1], err)
			}
		}
	}
	for _, bad := range []string{"nonsense", "projection nonsense", "projection list --nonsense", "task list", "task show"} {
		if isCommand(strings.Fields(bad)) == nil {
			t.Errorf("%q is taken for a command", bad)
		}
	}
}

var inManifest = regexp.MustCompile(`(?m)^ +(?:args|command): \[(.*)\]$`)

// What containers are started with the program understands.
func TestDeploy_ContainersStart(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests, %v", err)
	}
	var started []string
	for _, name := range append(files, "../../deploy/compose.yaml") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inManifest.FindAllStringSubmatch(string(text), -1) {
			line := strings.ReplaceAll(m[1], ", ", " ")
			started = append(started, line)
			if err := isCommand(strings.Fields(line)); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(name), line, err)
			}
		}
	}
	if !slices.Contains(started, "serve --demo") || len(started) < 5 {
		t.Errorf("containers are started with %q", started)
	}
}

// isCommand finds a command as the program does, and looks at its flags and arguments.
func isCommand(words []string) error {
	c, rest, err := newRoot(func(string) string { return "" }, nil, nil).Find(words)
	if err != nil {
		return err
	}
	if c.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("%s has no %s", c.CommandPath(), rest[0])
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		return err
	}
	return c.ValidateRequiredFlags()
}

func checkMetricsFile(t *testing.T, r *prometheus.Registry) {
	t.Helper()
	got := listMetrics(t, r)
	if *update {
		if err := os.WriteFile(metricsFile, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(metricsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("deploy/metrics.txt is not what the registry describes (-file +registry); write it anew with -update:\n%s", diff)
	}
}

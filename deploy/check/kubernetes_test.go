package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const kubernetes = "deploy/kubernetes/"

// object finds a manifest by kind and name.
func object(t *testing.T, all []map[string]any, kind, name string) map[string]any {
	t.Helper()
	for _, o := range all {
		if text(o, "kind") == kind && text(o, "metadata", "name") == name {
			return o
		}
	}
	t.Fatalf("no %s %s", kind, name)
	return nil
}

// manifests are all of them but the kustomization.
func manifests(t *testing.T) (all []map[string]any) {
	t.Helper()
	for _, f := range files(t, kubernetes+"*.yaml") {
		if filepath.Base(f) != "kustomization.yaml" {
			all = append(all, documents(t, f)...)
		}
	}
	return all
}

var groups = map[string]string{
	"v1": "io.k8s.api.core.v1", "apps/v1": "io.k8s.api.apps.v1", "batch/v1": "io.k8s.api.batch.v1", "policy/v1": "io.k8s.api.policy.v1",
	"autoscaling/v2": "io.k8s.api.autoscaling.v2", "networking.k8s.io/v1": "io.k8s.api.networking.v1",
}

func definition(o map[string]any) string {
	return groups[text(o, "apiVersion")] + "." + text(o, "kind")
}

// Every manifest keeps to the schema of its kind, in which unknown names are refused.
func TestKubernetes_Schema(t *testing.T) {
	t.Parallel()
	for _, o := range manifests(t) {
		if err := schema(t, "kubernetes-1.32.json", definition(o)).Validate(o); err != nil {
			t.Errorf("%s %s: %v", text(o, "kind"), text(o, "metadata", "name"), err)
		}
	}
	o := object(t, manifests(t), "Deployment", "stepledger-api")
	at(o, "spec", "template", "spec", "containers", 0).(map[string]any)["readinesProbe"] = map[string]any{}
	if schema(t, "kubernetes-1.32.json", definition(o)).Validate(o) == nil {
		t.Error("a misspelt name is accepted")
	}
}

// The kustomization lists every file but the example, and names no other.
func TestKubernetes_Kustomization(t *testing.T) {
	t.Parallel()
	var want []string
	for _, f := range files(t, kubernetes+"*.yaml") {
		if name := filepath.Base(f); name != "kustomization.yaml" && !strings.Contains(name, ".example.") {
			want = append(want, name)
		}
	}
	var got []string
	for _, r := range list(documents(t, kubernetes+"kustomization.yaml")[0], "resources") {
		got = append(got, r.(string))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("resources %v, files %v", got, want)
	}
}

// Pods are as the restricted standard wants them, stop later than their drain, and are found
// by who looks for them.
func TestKubernetes_Pods(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	drain := setting(t, all, "STEPLEDGER_DRAIN_SECONDS")
	roles := map[string]bool{}
	for _, o := range all {
		if kind := text(o, "kind"); kind != "Deployment" && kind != "Job" {
			continue
		}
		name, pod := text(o, "metadata", "name"), at(o, "spec", "template", "spec")
		for _, fault := range hardened(pod) {
			t.Errorf("%s: %s", name, fault)
		}
		labels := at(o, "spec", "template", "metadata", "labels")
		roles[text(labels, "role")] = true
		if text(o, "kind") != "Deployment" {
			continue
		}
		c := at(pod, "containers", 0)
		stop := number(c, "lifecycle", "preStop", "sleep", "seconds")
		if grace := number(pod, "terminationGracePeriodSeconds"); stop == 0 || grace < stop+float64(drain)+10 {
			t.Errorf("%s: killed after %v s, with %v s before the signal and a drain of %d s", name, grace, stop, drain)
		}
		for _, fault := range unheard(c) {
			t.Errorf("%s: %s", name, fault)
		}
		if fmt.Sprint(at(o, "spec", "selector", "matchLabels")) != fmt.Sprint(labels) {
			t.Errorf("%s does not select its own pods", name)
		}
		budget := object(t, all, "PodDisruptionBudget", name)
		if fmt.Sprint(at(budget, "spec", "selector", "matchLabels")) != fmt.Sprint(labels) {
			t.Errorf("the disruption budget of %s is for other pods", name)
		}
	}
	for _, role := range []string{"api", "projector", "reactions", "migrate"} {
		if !roles[role] {
			t.Errorf("nothing has the role %s", role)
		}
	}
	if service := text(object(t, all, "Service", "stepledger"), "spec", "selector", "role"); service != "api" {
		t.Errorf("the service sends to %q", service)
	}
}

// unheard says which probes of a container ask where nobody answers: without the role api a
// process has its health on the listener of its metrics alone.
func unheard(c any) (faults []string) {
	ports := map[string]float64{}
	for _, p := range list(c, "ports") {
		ports[text(p, "name")] = number(p, "containerPort")
	}
	want := "http"
	if !slices.ContainsFunc(list(c, "args"), func(arg any) bool { return strings.Contains(arg.(string), "api") }) {
		want = "metrics"
		if _, is := ports["http"]; is {
			faults = append(faults, "has the port http, which only the role api opens")
		}
	}
	if ports[want] == 0 {
		faults = append(faults, "has no port "+want)
	}
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		get := at(c, probe, "httpGet")
		if path, port := text(get, "path"), text(get, "port"); !strings.HasPrefix(path, "/api/health/") || port != want {
			faults = append(faults, fmt.Sprintf("%s asks %s of port %q, health is on %q", probe, path, port, want))
		}
	}
	return faults
}

// hardened says what a pod lacks.
func hardened(pod any) (faults []string) {
	c := at(pod, "containers", 0)
	for what, ok := range map[string]bool{
		"may run as root":          at(pod, "securityContext", "runAsNonRoot") == true,
		"has no seccomp profile":   text(pod, "securityContext", "seccompProfile", "type") == "RuntimeDefault",
		"has a token":              at(pod, "automountServiceAccountToken") == false,
		"may gain privileges":      at(c, "securityContext", "allowPrivilegeEscalation") == false,
		"may write to its root":    at(c, "securityContext", "readOnlyRootFilesystem") == true,
		"keeps capabilities":       text(c, "securityContext", "capabilities", "drop", 0) == "ALL",
		"requests no CPU":          at(c, "resources", "requests", "cpu") != nil,
		"has memory without bound": at(c, "resources", "limits", "memory") != nil,
	} {
		if !ok {
			faults = append(faults, what)
		}
	}
	return faults
}

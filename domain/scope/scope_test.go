package scope_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/scope"
)

const (
	task   = "11111111-1111-4111-8111-11111111111a"
	theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
)

func TestScope_Trace(t *testing.T) {
	t.Parallel()
	of := func(id string) string { return strings.ReplaceAll(id, "-", "") }
	for name, tt := range map[string]struct {
		traceparent, task, want string // want "" is one of the request's own
	}{
		"the caller's":           {"00-" + theirs + "-00f067aa0ba902b7-01", task, theirs},
		"the task's":             {"", task, of(task)},
		"the task's, in capital": {"", strings.ToUpper(task), of(task)},
		"of its own":             {"", "", ""},
		"a task that is no id":   {"", "the Miller case", ""},
		"a version to come":      {"01-" + theirs + "-00f067aa0ba902b7-01-more", "", theirs},
		"a field too many":       {"00-" + theirs + "-00f067aa0ba902b7-01-more", task, of(task)},
		"a forbidden version":    {"ff-" + theirs + "-00f067aa0ba902b7-01", task, of(task)},
		"capital letters":        {"00-" + strings.ToUpper(theirs) + "-00f067aa0ba902b7-01", task, of(task)},
		"no trace":               {"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", task, of(task)},
		"no parent":              {"00-" + theirs + "-0000000000000000-01", task, of(task)},
		"short":                  {"00-" + theirs[1:] + "-00f067aa0ba902b7-01", task, of(task)},
		"text":                   {"password=hunter2", task, of(task)},
	} {
		ctx, s := scope.Begin(t.Context(), "r-1", tt.traceparent)
		s.OnTask(tt.task)
		got := scope.Of(ctx).IDs().Trace
		if tt.want == "" && len(got) == len(theirs) && got != theirs {
			continue
		}
		if got != tt.want {
			t.Errorf("%s: trace %q, want %q", name, got, tt.want)
		}
	}
}

func TestScope_WhatBecomesKnown(t *testing.T) {
	t.Parallel()
	ctx, s := scope.Begin(t.Context(), "r-1", "00-"+theirs+"-00f067aa0ba902b7-01")
	if got := scope.Of(ctx).IDs(); got != (scope.IDs{Request: "r-1", Trace: theirs}) {
		t.Errorf("at first %+v", got)
	}
	s.Caller("acme", "jo")
	s.OnTask(task)
	if got := scope.Of(ctx).IDs(); got != (scope.IDs{"r-1", theirs, "acme", "jo", task}) {
		t.Errorf("then %+v", got)
	}
}

func TestScope_OfNoRequest(t *testing.T) {
	t.Parallel()
	none := scope.Of(t.Context())
	none.Caller("acme", "jo")
	none.OnTask(task)
	if got := none.IDs(); got != (scope.IDs{}) {
		t.Errorf("%+v", got)
	}
}

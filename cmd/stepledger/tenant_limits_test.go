package main

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
)

// What an operator sets holds from the next request.
func TestTenantLimits(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	limit := func() string {
		t.Helper()
		return s.get(t, "/api/session").header.Get("X-RateLimit-Limit")
	}
	before := limit()
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	out := s.tool(t, "tenant", "limits", tenant, "--class", "session", "--per-minute", "77")
	if got := limit(); got != "77" || before == "77" || !strings.Contains(out, "session        77 a minute  (its own)") {
		t.Errorf("limit %s after %s; printed:\n%s", got, before, out)
	}
	out = s.tool(t, "tenant", "limits", tenant, "--clear")
	if got := limit(); got != before || strings.Contains(out, "its own") {
		t.Errorf("cleared: limit %s, want %s; printed:\n%s", got, before, out)
	}
	s.tool(t, "tenant", "tier", tenant, "pro")
	if out := s.tool(t, "tenant", "limits", tenant); !strings.Contains(out, "tier pro") || limit() != "600" {
		t.Errorf("another tier: limit %s; printed:\n%s", limit(), out)
	}
	for want, args := range map[string][]string{
		"contradict":         {tenant, "--class", "usage", "--clear", "--per-minute", "3"},
		"of which --class":   {tenant, "--per-minute", "3"},
		"takes --per-minute": {tenant, "--class", "usage"},
		"none of interact":   {tenant, "--class", "login", "--per-minute", "3"},
		"not from 1":         {tenant, "--class", "usage", "--per-minute", "0"},
		"there is no tenant": {"nobody"},
	} {
		if err := s.toolError(t, append([]string{"tenant", "limits"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

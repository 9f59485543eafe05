package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestVerdictsShow looks into the committed set as a person would.
func TestVerdictsShow(t *testing.T) {
	t.Parallel()
	show := func(args ...string) (string, error) {
		var out, errOut strings.Builder
		cmd := newRoot(func(string) string { return "" }, &out, &errOut)
		cmd.SetArgs(append([]string{"verdicts", "show", "--set", "../../verdicts"}, args...))
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	t.Run("a case is printed with its verdict", func(t *testing.T) {
		t.Parallel()
		out, err := show("train/mailbox/archive")
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"train/mailbox/archive [", "goal: ", "action: click(", "then: "} {
			if !strings.Contains(out, part) {
				t.Errorf("the case lacks %q:\n%s", part, out)
			}
		}
	})
	t.Run("a page is printed as JSON, a case a line", func(t *testing.T) {
		t.Parallel()
		out, err := show("--json", "train/mailbox")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		for _, line := range lines {
			var r struct {
				Page    string
				Request struct{ DOM string }
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.Page != "mailbox" || r.Request.DOM == "" {
				t.Errorf("%v: %s", err, line)
			}
		}
		if len(lines) < 2 {
			t.Errorf("the page has %d lines", len(lines))
		}
	})
	t.Run("a case there is none of is an error", func(t *testing.T) {
		t.Parallel()
		if _, err := show("train/mailbox/burn"); err == nil || !strings.Contains(err.Error(), "train/mailbox/burn") {
			t.Errorf("the error is %v", err)
		}
	})
}

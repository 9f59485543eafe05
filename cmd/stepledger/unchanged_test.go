package main

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// A client whose page has not changed sends its hash. The answers are those to
// the page itself, after a restart too, when only the content store has it.
func TestInteract_TheHashOfAnUnchangedPage(t *testing.T) {
	t.Parallel()
	url, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	s := start(t, testConfig(url, state), hooks{})
	user := newUser(t, s.identity, "jo@acme.example")
	c := s.loginAs(t, user)
	list := clinic{screen: "list", dead: true, padding: `<input type="password" data-llm-id="99" value="hunter2">`}
	sum := sha256.Sum256([]byte(list.dom()))
	hash := hex.EncodeToString(sum[:])

	ask := func(fields map[string]any) interact.Answer {
		t.Helper()
		fields["url"] = list.url()
		r, err := c.interact(t.Context(), domain.NewUUID(), fields)
		if err != nil {
			t.Fatal(err)
		}
		return data[interact.Answer](t, r)
	}
	begin := func() string {
		t.Helper()
		a := ask(map[string]any{"query": clinicTask, "dom": list.dom()})
		if a.Status != "executing" || a.DOMHash != hash {
			t.Fatalf("%s with domHash %s, want executing with that of the page", a.Status, a.DOMHash)
		}
		return a.TaskID
	}
	told := func(name string, a interact.Answer) string {
		t.Helper()
		if a.Verification == nil || a.Verification.ActionSucceeded || a.DOMHash != hash {
			t.Fatalf("%s: status %s, verification %+v, want a click without an effect", name, a.Status, a.Verification)
		}
		return a.Status + " " + a.Action + " " + a.Verification.Reason
	}

	want := told("the page", ask(map[string]any{"taskId": begin(), "dom": list.dom()}))
	if got := told("its hash", ask(map[string]any{"taskId": begin(), "domHash": hash})); got != want {
		t.Errorf("answered %q, to the page %q", got, want)
	}
	restarted := begin()
	s.stop()
	s = start(t, testConfig(url, state), hooks{})
	c.base = s.base
	if a := ask(map[string]any{"taskId": restarted, "domHash": hash[1:] + "0"}); a.Status != "needs_full_dom" || a.Action != "" || a.NeedsFullDOMReason == "" {
		t.Errorf("an unknown hash is answered with %s %s", a.Status, a.Action)
	}
	if got := told("the page after an unknown hash", ask(map[string]any{"taskId": restarted, "dom": list.dom()})); got != want {
		t.Errorf("answered %q, to the page before %q", got, want)
	}
	other := begin()
	s.stop()
	s = start(t, testConfig(url, state), hooks{})
	c.base = s.base
	if got := told("its hash after a restart", ask(map[string]any{"taskId": other, "domHash": hash})); got != want {
		t.Errorf("answered %q after a restart, to the page %q", got, want)
	}
}

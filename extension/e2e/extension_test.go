package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// settings are those of the extension, as its options page keeps them; it waits as the
// contract says, in a fraction of the time.
func settings(server string) map[string]any {
	return map[string]any{
		"server": server, "extraction": "auto", "trusted": false, "showModels": false, "sendScreenshots": true,
		"timing": map[string]any{"minWait": 50, "domSettled": 60, "networkIdle": 60, "maxWait": 3000},
	}
}

// keep writes to the extension's storage.
func (c *chromium) keep(t *testing.T, all map[string]any) {
	t.Helper()
	c.evaluate(t, c.panel, fmt.Sprintf("chrome.storage.local.set(%s)", js(t, all)), nil)
}

// kept reads an entry of the extension's storage into what is not nil, and says whether
// there is one.
func (c *chromium) kept(t *testing.T, key string, into any) bool {
	t.Helper()
	var all map[string]json.RawMessage
	c.evaluate(t, c.panel, fmt.Sprintf("chrome.storage.local.get(%s)", js(t, key)), &all)
	if all[key] == nil {
		return false
	}
	if into != nil {
		if err := json.Unmarshal(all[key], into); err != nil {
			t.Fatalf("%s: %s: %v", key, all[key], err)
		}
	}
	return true
}

// logIn is what is there after a login.
func (c *chromium) logIn(t *testing.T, server, token string) {
	t.Helper()
	c.keep(t, map[string]any{
		"settings": settings(server),
		"login":    map[string]any{"accessToken": token, "email": "ada@acme.example", "expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
	})
}

// ask is a message of the panel; the worker starts for it if it has ended.
func (c *chromium) ask(t *testing.T, request map[string]any) {
	t.Helper()
	request["panel"] = 1
	// A message that meets the worker at its end has no answer, and is sent again.
	var said struct {
		Error *struct{ Code, Message string }
	}
	for try := 1; ; try++ {
		var answer json.RawMessage
		c.evaluate(t, c.panel, fmt.Sprintf("chrome.runtime.sendMessage(%s).catch((e) => ({ lost: String(e) }))", js(t, request)), &answer)
		var lost struct{ Lost string }
		_ = json.Unmarshal(answer, &lost)
		if lost.Lost == "" {
			_ = json.Unmarshal(answer, &said)
			break
		}
		if try == 20 {
			t.Fatalf("%v: %s", request["do"], lost.Lost)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if said.Error != nil {
		t.Fatalf("%v: %s: %s", request["do"], said.Error.Code, said.Error.Message)
	}
}

// run is what the extension keeps of a task.
type run struct {
	Query                                         string
	TaskID, SessionID, RunID, URL, Phase, Message string
	Missing                                       []string
	TabID, Turns                                  int
	Failure                                       *struct{ Code, Message string }
	Origins                                       []string
}

// task is one of the extension, in a tab of its own.
type task struct {
	*chromium
	tab   int    // where it is now
	query string // by which it is known: it may go on in another tab
	page  string // the session of the page it began on
}

// begin opens a page and starts a task on it.
func (c *chromium) begin(t *testing.T, address, query string) *task {
	t.Helper()
	k := c.openTab(t, address)
	k.query = query
	c.ask(t, map[string]any{"do": "start", "tabId": k.tab, "query": query})
	return k
}

// openTab opens a page, and asks the extension's interface for its tab.
func (c *chromium) openTab(t *testing.T, address string) *task {
	t.Helper()
	k := &task{chromium: c, page: c.open(t, address)}
	eventually(t, "the page "+address, func() bool {
		var loaded bool
		value, err := c.tryEvaluate(t.Context(), k.page, `document.readyState === "complete" && location.href !== "about:blank"`)
		return err == nil && json.Unmarshal(value, &loaded) == nil && loaded
	})
	var all []struct {
		ID  int
		URL string
	}
	c.evaluate(t, c.panel, "chrome.tabs.query({})", &all)
	for _, tab := range all {
		if strings.HasPrefix(tab.URL, address) {
			k.tab = tab.ID
		}
	}
	if k.tab == 0 {
		t.Fatalf("no tab shows %s", address)
	}
	return k
}

// record is the present one of the task.
func (k *task) record(t *testing.T) (r run, there bool) {
	t.Helper()
	var all map[string]json.RawMessage
	k.evaluate(t, k.panel, "chrome.storage.local.get(null)", &all)
	for key, value := range all {
		if !strings.HasPrefix(key, "task_") {
			continue
		}
		var one run
		if err := json.Unmarshal(value, &one); err != nil {
			t.Fatalf("%s: %s: %v", key, value, err)
		}
		if one.Query == k.query {
			k.tab = one.TabID
			return one, true
		}
	}
	return run{}, false
}

// ends are the phases in which the extension does nothing by itself.
var ends = map[string]bool{"done": true, "failed": true, "stopped": true, "question": true, "permission": true, "file": true, "held": true}

// until waits for one of the phases, or for an end.
func (k *task) until(t *testing.T, phases ...string) run {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		r, there := k.record(t)
		for _, p := range phases {
			if there && r.Phase == p {
				return r
			}
		}
		switch {
		case there && ends[r.Phase]:
			t.Fatalf("the task is in phase %s (%s %+v), not in %v\n%s", r.Phase, r.Message, r.Failure, phases, k.log(t, r))
		case time.Now().After(deadline):
			t.Fatalf("after %v the task is in phase %s (%s %+v), not in %v\n%s", patience, r.Phase, r.Message, r.Failure, phases, k.log(t, r))
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// log is what the panel shows.
func (k *task) log(t *testing.T, r run) string {
	t.Helper()
	var entries []struct{ Kind, Text, Outcome, Reason string }
	k.kept(t, "log_"+r.RunID, &entries)
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "  %s: %s %s %s\n", e.Kind, e.Text, e.Outcome, e.Reason)
	}
	return b.String()
}

// where asks the page on which the task is now.
func (k *task) where(t *testing.T, expression string) json.RawMessage {
	t.Helper()
	session := k.page
	var tab struct{ URL string }
	k.evaluate(t, k.panel, fmt.Sprintf("chrome.tabs.get(%d)", k.tab), &tab)
	for _, target := range k.targets(t) {
		if target.Type == "page" && target.URL == tab.URL {
			session = k.attach(t, target.TargetID)
		}
	}
	var value json.RawMessage
	k.evaluate(t, session, expression, &value)
	return value
}

// forget removes what the extension keeps of the task, and closes the tab.
func (k *task) forget(t *testing.T) {
	t.Helper()
	k.say(t, map[string]any{"do": "forget", "tabId": k.tab}, func(_ run, there bool) bool { return !there })
	k.shut(t)
}

// shut closes the tab.
func (k *task) shut(t *testing.T) {
	t.Helper()
	k.evaluate(t, k.panel, fmt.Sprintf("chrome.tabs.remove(%d).catch(() => {})", k.tab), nil)
}

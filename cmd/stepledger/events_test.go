package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections"
)

// heardOutput is what a command that still runs has printed.
type heardOutput struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (h *heardOutput) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.Write(p)
}

func (h *heardOutput) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// tails runs events tail and returns what it printed.
func (s *server) tails(t *testing.T, args ...string) []tailed {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(s.tool(t, append([]string{"events", "tail", "--json"}, args...)...)))
	var out []tailed
	for d.More() {
		var e tailed
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// An operator sees what is recorded while it is, of whom and what they chose, without a
// secret and without changing anything.
func TestEvents_Tail(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	p := newModelPursuit()
	p.finish(t, s.client)
	const secret = "hunter2zz9"
	live, ctx := &heardOutput{}, t.Context()
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	cmd := newRoot(func(name string) string {
		return map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error"}[name]
	}, live, live)
	cmd.SetArgs([]string{"events", "tail", "--category", "task"})
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	page := `<form><label>User <input id=1></label><label>Password <input id=2 type=password value="` + secret + `"></label><button id=3>Log in</button></form>`
	asked := `Log in as Jas with the password "` + secret + `"`
	var id string
	eventually(t, "the command prints what is recorded", func() bool { // it may have begun after the first
		id = s.look(t, asked, "", sight{page: page}).TaskID
		return strings.Contains(live.String(), task.Stream(id)+"@1")
	})
	stop()
	if err := <-ended; err != nil {
		t.Errorf("interrupted, it ends with %v", err)
	}
	s.catchUp(t)
	before := s.fingerprint(t)
	all := s.tails(t, "--from", "0", "--limit", "20")
	if len(all) != 20 || all[0].Position >= all[1].Position || !slices.ContainsFunc(all, func(e tailed) bool { return strings.HasPrefix(e.Stream, "usage-") }) {
		t.Errorf("the first twenty are %d: %+v", len(all), all)
	}
	own := s.tails(t, "--from", "0", "--task", id, "--limit", "3")
	shown, err := json.Marshal(own)
	if err != nil || len(own) != 3 || own[1].Type != task.NamePageObserved || own[1].Turn != 1 {
		t.Errorf("%+v %v", own, err)
	}
	if everything := string(shown) + live.String(); strings.Contains(everything, secret) || !strings.Contains(everything, "Jas") {
		t.Errorf("the secret is shown, or nothing is: %s", everything)
	}
	verdicts := s.tails(t, "--from", "0", "--tenant", all[0].Tenant, "--type", "action_verified", "--limit", "2")
	if len(verdicts) != 2 || verdicts[0].Type != task.NameActionVerified {
		t.Errorf("verdicts: %+v", verdicts)
	}
	after := s.tails(t, "--from", strconv.FormatInt(all[18].Position, 10), "--limit", "1")
	if len(after) != 1 || after[0].ID != all[19].ID {
		t.Errorf("after the nineteenth comes %+v, want %+v", after, all[19])
	}
	if out, err := s.toolWith(t, nil, "events", "tail", "--tenant", "nobody", "--from", "0"); err == nil {
		t.Errorf("of a tenant there is not: %s", out)
	}
	if now := s.fingerprint(t); !sameTables(t, before, now) {
		t.Error("looking changed something")
	}
}

// sameTables compares fingerprints and says which tables differ.
func sameTables(t *testing.T, before, after map[string]string) bool {
	t.Helper()
	same := true
	for name, sum := range after {
		if before[name] != sum {
			same = false
			t.Logf("%s: %s, before %s", name, sum, before[name])
		}
	}
	return same && len(before) == len(after)
}

// The list says how far every read model is, and one can be built anew under either name
// of the command.
func TestProjection_ListAndRebuild(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	newPursuit().finish(t, s.client)
	s.catchUp(t)
	var all []projections.ReadModel
	if err := json.Unmarshal([]byte(s.tool(t, "projection", "list", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
		if m.Position == 0 || m.Position != m.Head || m.LagEvents != 0 || m.LagSeconds != 0 || m.Parked != 0 || m.Rebuilding {
			t.Errorf("%+v, want one that has caught up", m)
		}
	}
	if !slices.Equal(names, readModelNames(nil)) {
		t.Errorf("listed are %v", names)
	}
	if table := s.tool(t, "projection", "list"); strings.Count(table, "\n") != len(all)+1 || !strings.HasPrefix(table, "NAME") {
		t.Errorf("the table is %s", table)
	}
	before := s.fingerprint(t)
	for _, args := range [][]string{{"projection", "rebuild", "tasks"}, {"rebuild", "tasks"}} {
		if out := s.tool(t, args...); out != "tasks is rebuilt\n" {
			t.Errorf("%v: %s", args, out)
		}
	}
	if now := s.fingerprint(t); len(now) != len(before) {
		t.Errorf("%d tables, before %d", len(now), len(before))
	}
	if out := s.tool(t, "projection", "park"); out != "" {
		t.Errorf("put aside is %s", out)
	}
	if out := s.tool(t, "projection", "park", "--retry", "tasks"); out != "tasks: 0 applied, 0 left\n" {
		t.Errorf("retried: %s", out)
	}
}

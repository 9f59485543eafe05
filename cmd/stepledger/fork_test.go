package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// toolWith runs a subcommand on a server's database with more settings.
func (s *server) toolWith(t *testing.T, more map[string]string, args ...string) (string, error) {
	t.Helper()
	env := s.toolEnv()
	for name, value := range more {
		env[name] = value
	}
	var out bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &out)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// heads are how many events the streams of a task have, its own and its ledger's.
func (s *server) heads(t *testing.T, id string) (heads [2]int64) {
	t.Helper()
	for i, stream := range []string{task.Stream(id), usage.Stream(id)} {
		slice, err := s.events.ReadStream(context.Background(), stream, eventstore.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		heads[i] = slice.Head
	}
	return heads
}

// An experiment is priced before it is made, has a stream of its own, and changes
// neither the task, nor a bill, nor a read model.
func TestTask_Fork(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	p := newModelPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	before, sums, asked := s.heads(t, p.task), usageOf(t, s, p, "").Totals, len(model.given())
	var began time.Time
	if err := s.db.QueryRow(t.Context(), `select now()`).Scan(&began); err != nil {
		t.Fatal(err)
	}
	tables := s.withoutForks(t, began)
	run := func(args ...string) (o replay.Outcome) {
		t.Helper()
		out, err := s.toolWith(t, model.env(), append([]string{"task", "fork", p.task, "--json"}, args...)...)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := json.Unmarshal([]byte(out), &o); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return o
	}
	if o := run("--turn", "1"); !o.Same || o.Calls != 0 {
		t.Errorf("nothing was changed: %+v", o)
	}
	answer := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(answer, []byte(`{"thought":"I stop.","action":"fail(\"no\")","confidence":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	given := run("--turn", "1", "--answer", answer)
	if given.Same || given.Action.Now != "fail GAVE_UP" || given.Calls != 0 {
		t.Errorf("another answer: %+v", given)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, []byte(`<h1>Gone</h1><p>There is nothing here.</p>`), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := run("--turn", "1", "--page", page); o.Same {
		t.Errorf("another page: %+v", o)
	}
	if o := run("--turn", "3", "--set", "STEPLEDGER_MAX_STEPS=1"); o.Status.Now != "error" {
		t.Errorf("another limit: %+v", o)
	}
	if now := len(model.given()); now != asked {
		t.Fatalf("the model was asked %d times without --live", now-asked)
	}
	out, err := s.toolWith(t, model.env(), "task", "fork", p.task, "--turn", "1", "--live")
	if err != nil || !strings.Contains(out, "would cost about 0.00") || len(model.given()) != asked {
		t.Errorf("%v: %s", err, out)
	}
	live := run("--turn", "1", "--live", "--yes")
	if live.Calls != 1 || live.Spent == nil || *live.Spent == 0 || live.Estimate == nil || len(model.given()) != asked+1 {
		t.Errorf("live: %+v", live)
	}
	if out, err := s.toolWith(t, nil, "task", "fork", p.task, "--turn", "1", "--set", "OPENAI_API_KEY=x"); err == nil {
		t.Errorf("a secret can be set: %s", out)
	}
	s.catchUp(t)
	if s.heads(t, p.task) != before || usageOf(t, s, p, "").Totals != sums {
		t.Error("the task or its bill has changed")
	}
	if diff := cmp.Diff(tables, s.withoutForks(t, began)); diff != "" {
		t.Errorf("beside the forks something is another now: a bill, a lesson or a read model (-before +after):\n%s", diff)
	}
	slice, err := s.events.ReadStream(t.Context(), fork.Stream(live.ForkID), eventstore.ReadOptions{})
	if err != nil || len(slice.Events) != 3 || slice.Events[1].Type != fork.NameModelCalled {
		t.Errorf("the fork's stream: %v %v", slice.Events, err)
	}
	for _, e := range slice.Events {
		if bytes.Contains(e.Data, []byte("Jas")) {
			t.Errorf("%s shows what is personal", e.Type)
		}
	}
}

// withoutForks is the fingerprint but for what is a fork's own: its events, and what was
// kept of its prompts since it began.
func (s *server) withoutForks(t *testing.T, began time.Time) map[string]string {
	t.Helper()
	sums := s.fingerprint(t)
	delete(sums, "head")
	for table, rows := range map[string]string{
		`"log"."events"`:    `log.events r where stream not like 'fork-%' and $1::timestamptz is not null`,
		`"content"."blobs"`: `content.blobs r where created_at <= $1`,
	} {
		if sums[table] == "" {
			t.Fatalf("there is no table %s", table)
		}
		var sum string
		if err := s.db.QueryRow(t.Context(), `select count(*) || ' ' || coalesce(md5(string_agg(r::text, '|' order by r::text)), '') from `+rows, began).Scan(&sum); err != nil {
			t.Fatal(err)
		}
		sums[table] = sum
	}
	return sums
}

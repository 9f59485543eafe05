package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/task"
)

func differences(r replay.Report) (out []string) {
	for _, turn := range r.Turns {
		switch d := turn.Difference; {
		case turn.Skipped == "it was abandoned":
		case turn.Skipped != "":
			out = append(out, turn.Skipped)
		case d != nil:
			out = append(out, d.Event+d.Field+": "+shortJSON(d.Was)+" now "+shortJSON(d.Now))
		case !turn.Same:
			out = append(out, turn.Status.Now)
		}
	}
	return out
}

// A task replays to the same events, by rules and by a model, and asks nobody.
func TestReplay_GivesTheSameEvents(t *testing.T) {
	t.Parallel()
	t.Run("by rules", func(t *testing.T) {
		t.Parallel()
		s := newServer(t, hooks{})
		p := newPursuit()
		p.finish(t, s.client)
		s.replays(t, t.Name(), p.task)
	})
	t.Run("by a model", func(t *testing.T) {
		t.Parallel()
		model := newFakeGemini(t)
		s := newModelServer(t, model, hooks{})
		p := newModelPursuit()
		p.finish(t, s.client)
		asked := len(model.given())
		s.replays(t, t.Name(), p.task)
		if now := len(model.given()); now != asked {
			t.Errorf("the model was asked %d times by the replay", now-asked)
		}
	})
}

// replays requires that a task replays to the same events, and asks nobody, from the log
// and from its export, and that the recorded corpus knows every edge of the graph it went
// along. With -record-tasks it is put into the corpus under the name.
func (s *server) replays(t *testing.T, name, id string) {
	t.Helper()
	if id == "" || t.Failed() {
		return
	}
	ctx, tenant := context.Background(), s.tenantFor(t, id)
	report, err := s.replay(ctx, tenant, id)
	if d := differences(report); err != nil || len(d) > 0 {
		t.Errorf("the replay differs: %q %v", d, err)
		return
	}
	x, err := s.export(ctx, tenant, id)
	if err != nil {
		t.Error(err)
		return
	}
	elsewhere, err := replay.Import(x)
	if err != nil {
		t.Error(err)
		return
	}
	report, err = replay.Run(ctx, elsewhere, recordedMinds(s.cfg, elsewhere))
	if d := differences(report); err != nil || len(d) > 0 {
		t.Errorf("the replay of the export differs: %q %v", d, err)
		return
	}
	if *recordInto != "" {
		recordTask(t, name, x)
		return
	}
	corpusKnows(t, report)
}

func (s *server) tenantFor(t *testing.T, id string) string {
	t.Helper()
	tenant, err := s.tenantOf(context.Background(), id)
	if err != nil {
		t.Error(err)
	}
	return tenant
}

// What a changed setting would have decided otherwise is found: by batch, which turns
// flip, and by bisect, where a condition first holds.
func TestTask_BatchAndBisect(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	same := s.tool(t, "task", "batch")
	if !strings.Contains(same, "1 tasks,") || !strings.Contains(same, " 0 decided otherwise") {
		t.Error(same)
	}
	env := map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error", "STEPLEDGER_MAX_STEPS": "1"}
	var out bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &out)
	cmd.SetArgs([]string{"task", "batch", p.task})
	if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, errFlips) || !strings.Contains(out.String(), "-> fail MAX_STEPS_EXCEEDED") {
		t.Errorf("%v\n%s", err, out.String())
	}
	found := s.tool(t, "task", "bisect", "/status = completed", p.task, "--json")
	var f replay.Found
	if err := json.Unmarshal([]byte(found), &f); err != nil || !f.Holds || f.Event != task.NameTaskCompleted || f.Revision != int64(f.Events-2) {
		t.Errorf("%v %s", err, found)
	}
	if never := s.tool(t, "task", "bisect", "/consecutiveFailures >= 3", p.task); !strings.Contains(never, "never") {
		t.Error(never)
	}
}

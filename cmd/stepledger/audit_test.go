package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// audit compares what clients saw with everything the installation keeps, after
// all their tasks have ended: no event lost, none doubled, nothing kept of which
// no client knows, every answer given again as it was, every page still there,
// and read models that say what the log says.
func audit(t *testing.T, rig *crashRig, done ...*pursuit) *server {
	t.Helper()
	s := rig.serve(t)
	s.reacted(t)
	for _, p := range done {
		auditTask(t, s, p)
		auditRepeats(t, s, p)
	}
	auditStreams(t, s, rig, done)
	auditReadModels(t, s)
	return s
}

func auditTask(t *testing.T, s *server, p *pursuit) {
	t.Helper()
	if !p.ended || p.page.screen != "saved" || p.page.name != "Jas" {
		t.Errorf("task %s: ended %v, the page is %q with the name %q", p.task, p.ended, p.page.screen, p.page.name)
		return
	}
	events := streamOf(t, s.system, p.task)
	auditTurns(t, events)
	auditAnswers(t, events, p)
	auditActions(t, events, p)
	auditVerdicts(t, events, true)
	auditPages(t, s, events, p)
	completed := slices.DeleteFunc(slices.Clone(events), func(e task.Event) bool {
		_, is := e.(task.TaskCompleted)
		return !is
	})
	if len(completed) != 1 {
		t.Errorf("task %s was completed %d times", p.task, len(completed))
	}
}

// auditTurns checks that turns are claimed one after the other and that each
// claim either ended or was given up.
func auditTurns(t *testing.T, events []task.Event) {
	t.Helper()
	claimed, open := 0, 0
	over := func(turn int, how string) {
		if turn != open {
			t.Errorf("turn %d %s while turn %d was open", turn, how, open)
		}
		open = 0
	}
	for _, e := range events {
		switch e := e.(type) {
		case task.PageObserved:
			if e.Turn != claimed+1 || open != 0 {
				t.Errorf("turn %d was claimed after turn %d, with turn %d open", e.Turn, claimed, open)
			}
			claimed, open = e.Turn, e.Turn
		case task.TurnEnded:
			over(e.Turn, "ended")
		case task.TurnAbandoned:
			over(e.Turn, "was abandoned")
		}
	}
	if open != 0 {
		t.Errorf("turn %d is still open", open)
	}
}

// auditAnswers checks that the answers on record are those the client got, in
// order and byte for byte.
func auditAnswers(t *testing.T, events []task.Event, p *pursuit) {
	t.Helper()
	var recorded, received []string
	for _, e := range events {
		if e, ok := e.(task.TurnEnded); ok {
			recorded = append(recorded, string(e.Answer))
		}
	}
	for _, x := range p.exchanges {
		var envelope struct{ Data json.RawMessage }
		if err := json.Unmarshal(x.reply, &envelope); err != nil {
			t.Fatal(err)
		}
		received = append(received, string(envelope.Data))
	}
	if diff := cmp.Diff(recorded, received); diff != "" {
		t.Errorf("answers (-recorded +received):\n%s", diff)
	}
}

// auditActions checks that what the client did is what was decided, each once
// and in order, and that steps are numbered without a hole.
func auditActions(t *testing.T, events []task.Event, p *pursuit) {
	t.Helper()
	var decided, done []string
	steps := 0
	for _, e := range events {
		switch e := e.(type) {
		case task.ActionGenerated:
			if e.StepIndex != steps {
				t.Errorf("step %d comes after %d steps", e.StepIndex, steps)
			}
			steps++
			decided = append(decided, fmt.Sprintf("%d executing %s", e.StepIndex, e.Action))
		case task.CorrectionIssued:
			if e.StepIndex < 0 || e.StepIndex >= steps { // looks may have come between
				t.Errorf("step %d is corrected after %d steps", e.StepIndex, steps)
			}
			decided = append(decided, fmt.Sprintf("%d correcting %s", e.StepIndex, e.RetryAction))
		}
	}
	for _, a := range p.answers {
		if a.Status == "executing" || a.Status == "correcting" {
			done = append(done, fmt.Sprintf("%d %s %s", a.StepIndex, a.Status, a.Action))
		}
	}
	if diff := cmp.Diff(decided, done); diff != "" {
		t.Errorf("actions (-decided +done):\n%s", diff)
	}
}

// auditVerdicts checks that every attempt was judged before the next, and none again
// once it was decided whether it worked. The last one of a task that goes on may have no
// verdict yet.
func auditVerdicts(t *testing.T, events []task.Event, ended bool) {
	t.Helper()
	pending := false
	open := map[int]bool{} // steps whose newest attempt is not decided
	for i, event := range events {
		step := -1
		switch e := event.(type) {
		case task.ActionGenerated:
			step = e.StepIndex
		case task.CorrectionIssued:
			step = e.StepIndex
		case task.ActionVerified:
			if !open[e.StepIndex] {
				t.Errorf("event %d: a verdict on no attempt", i)
			}
			pending, open[e.StepIndex] = false, e.Undecided
		}
		if step < 0 {
			continue
		}
		if pending {
			t.Errorf("event %d: another attempt while the one before has no verdict", i)
		}
		pending, open[step] = true, true
	}
	if pending && ended {
		t.Error("the last attempt has no verdict")
	}
}

// auditPages reads back every page that was observed: the one the client sent.
func auditPages(t *testing.T, s *server, events []task.Event, p *pursuit) {
	t.Helper()
	sent := map[string][]byte{}
	for _, x := range p.exchanges {
		sent[x.key] = x.request
	}
	for _, e := range events {
		e, ok := e.(task.PageObserved)
		if !ok {
			continue
		}
		body, err := s.content.Get(t.Context(), e.Tenant, p.task, e.Page)
		if err != nil {
			t.Errorf("turn %d: the page %s: %v", e.Turn, e.Page, err)
			continue
		}
		var kept, was page.Capture
		if err := json.Unmarshal(body, &kept); err != nil {
			t.Errorf("turn %d: %v", e.Turn, err)
		}
		if err := json.Unmarshal(sent[e.Request.Key], &was); err != nil {
			t.Errorf("turn %d of a request no client has: %v", e.Turn, err)
		}
		if diff := cmp.Diff(was, kept); diff != "" {
			t.Errorf("turn %d: page (-sent +kept):\n%s", e.Turn, diff)
		}
	}
}

// auditRepeats sends every request of a task again, to a process that answered
// none of them: the answers are the same bytes.
func auditRepeats(t *testing.T, s *server, p *pursuit) {
	t.Helper()
	for i, x := range p.exchanges {
		r, err := s.interact(t.Context(), x.key, x.request)
		if err != nil {
			t.Fatal(err)
		}
		if r.status != http.StatusOK || !bytes.Equal(r.body, x.reply) {
			t.Errorf("request %d sent again: status %d\n got: %s\nwant: %s", i, r.status, r.body, x.reply)
		}
	}
}

// auditStreams checks that the log holds the tasks' streams and no other: a
// request that was repeated after a crash began no second task or session.
func auditStreams(t *testing.T, s *server, rig *crashRig, done []*pursuit) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	for _, p := range done {
		want[task.Stream(p.task)], want[session.Stream(p.session)] = true, true
		if rig.model != nil {
			want[usage.Stream(p.task)] = true
		}
	}
	for after := int64(0); ; {
		log, err := s.events.ReadAll(t.Context(), after, 0, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log.Events {
			got[e.Stream] = true
			if e.Metadata().Tenant != rig.tenant {
				t.Errorf("position %d belongs to the tenant %q", e.Position, e.Metadata().Tenant)
			}
		}
		if log.Scanned == after {
			break
		}
		after = log.Scanned
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

// auditReadModels builds every read model anew: it says what the one did that
// followed the log through all the crashes.
func auditReadModels(t *testing.T, s *server) {
	t.Helper()
	s.catchUp(t)
	live := s.dump(t)
	for _, p := range readModels() {
		if err := s.runner.Rebuild(t.Context(), p.Name); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(live, s.dump(t)); diff != "" {
		t.Errorf("read models (-live +rebuilt):\n%s", diff)
	}
}

// dump is every row readers can see, by view.
func (s *server) dump(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, p := range readModels() {
		for _, view := range p.Views {
			name := pgx.Identifier{"read", view}.Sanitize()
			rows, err := s.db.Query(t.Context(), `select to_jsonb(v)::text as line from `+name+` v order by line`)
			if err != nil {
				t.Fatal(err)
			}
			if out[view], err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// answeredOn are the answers of a kind.
func answeredOn(p *pursuit, status string) []interact.Answer {
	return slices.DeleteFunc(slices.Clone(p.answers), func(a interact.Answer) bool { return a.Status != status })
}

package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

const url = "https://clinic.example/login"

func isNotFound(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && e.Kind == domain.NotFound && e.Code == "TASK_NOT_FOUND"
}

// written is a task in which a password is typed, and typed again.
func written(e *projtest.Env) *projtest.Task {
	secret := projtest.Target("p", "textbox", "Password")
	secret.Secret = true
	return e.Task(e.Session(), url, "log in").
		Turn(url).Act(projtest.Set("p", "hunter2"), secret).
		Append(task.TurnEnded{Turn: 1, Status: "action", Answer: json.RawMessage(`{"action":"setValue(\"p\", \"[secret]\")"}`), Secret: "hunter2"}).
		Turn(url).Verdict(false).
		Correct(reasoning.AlternativeSelector, projtest.Set("p2", "hunter2"), secret).End()
}

func TestReader_Events(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}

	all, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, ev := range all.Events {
		names = append(names, ev.Type)
		if ev.Revision != int64(i) || ev.Correlation != k.ID || ev.Actor != projtest.User || ev.RecordedAt.IsZero() ||
			ev.Tenant != projtest.Tenant || ev.Schema != 1 {
			t.Errorf("event %d: %+v", i, ev)
		}
	}
	want := []string{
		task.NamePageObserved, task.NameTaskStarted, task.NameActionGenerated, task.NameTurnEnded,
		task.NamePageObserved, task.NameActionVerified, task.NameCorrectionIssued, task.NameTurnEnded,
	}
	if diff := cmp.Diff(want, names); diff != "" || all.Head != 7 || all.More {
		t.Errorf("head %d, more %v, events (-want +got):\n%s", all.Head, all.More, diff)
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); strings.Contains(s, "hunter2") || strings.Count(s, "[secret]") != 4 || !strings.Contains(s, `"query":"log in"`) {
		t.Errorf("want the query in clear and the password masked four times: %s", s)
	}

	part, err := r.Events(t.Context(), projtest.Tenant, strings.ToUpper(k.ID), history.Filter{From: 6, Limit: 1})
	if err != nil || len(part.Events) != 1 || part.Events[0].Type != task.NameCorrectionIssued || !part.More || part.Head != 7 {
		t.Errorf("one from 6: got %+v, %v", part, err)
	}
	if beyond, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{From: 8}); err != nil || len(beyond.Events) != 0 || beyond.Head != 7 {
		t.Errorf("beyond the end: got %+v, %v", beyond, err)
	}
}

func TestReader_StateAt(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	tests := []struct {
		name     string
		revision int64
		at       int64
		steps    int
		attempts int
	}{
		{"before the first step", 1, 1, 0, 0},
		{"after the first step", 2, 2, 1, 1},
		{"after the correction", 6, 6, 1, 2},
		{"the newest", history.Latest, 7, 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := r.StateAt(t.Context(), projtest.Tenant, k.ID, tt.revision)
			if err != nil {
				t.Fatal(err)
			}
			var s task.State
			if err := json.Unmarshal(got.State, &s); err != nil {
				t.Fatal(err)
			}
			if got.Revision != tt.at || got.Head != 7 || s.Query != "log in" || len(s.Steps) != tt.steps {
				t.Fatalf("got revision %d of %d, %s", got.Revision, got.Head, got.State)
			}
			if tt.steps > 0 && len(s.Steps[0].Attempts) != tt.attempts {
				t.Errorf("got %d attempts, want %d", len(s.Steps[0].Attempts), tt.attempts)
			}
			if strings.Contains(string(got.State), "hunter2") {
				t.Errorf("the state holds the password: %s", got.State)
			}
		})
	}
	for _, revision := range []int64{8, 1 << 40, -2} {
		if got, err := r.StateAt(t.Context(), projtest.Tenant, k.ID, revision); !isNotFound(err) {
			t.Errorf("revision %d: got %+v, %v; want not found", revision, got, err)
		}
	}
}

// clocked is a log in which events are recorded a minute apart.
type clocked struct{ eventstore.Log }

var firstRecorded = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func (c clocked) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	s, err := c.Log.ReadStream(ctx, stream, o)
	for i := range s.Events {
		s.Events[i].RecordedAt = firstRecorded.Add(time.Duration(s.Events[i].Revision) * time.Minute)
	}
	return s, err
}

func TestReader_StateAtTime(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	r := history.Reader{Log: clocked{e.Store}, Keys: e.Keys}
	for name, tt := range map[string]struct {
		after time.Duration
		want  int64
	}{
		"at the first event":  {0, 0},
		"at an event":         {3 * time.Minute, 3},
		"between two events":  {4*time.Minute - 1, 3},
		"after the last":      {time.Hour, 7},
		"before all of them":  {-1, -1},
		"in another timezone": {2 * time.Minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			at := firstRecorded.Add(tt.after).In(time.FixedZone("somewhere", 3*3600))
			got, err := r.StateAtTime(t.Context(), projtest.Tenant, k.ID, at)
			if tt.want < 0 {
				if !isNotFound(err) {
					t.Errorf("got %+v, %v; want not found", got, err)
				}
				return
			}
			want, _ := r.StateAt(t.Context(), projtest.Tenant, k.ID, tt.want)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := r.StateAtTime(t.Context(), "globex", k.ID, time.Now()); !isNotFound(err) {
		t.Errorf("another tenant: %v; want not found", err)
	}
}

func TestReader_OthersTasksDoNotExist(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	for name, args := range map[string][2]string{
		"another tenant": {"globex", k.ID},
		"an unknown id":  {projtest.Tenant, domain.NewUUID()},
		"not an id":      {projtest.Tenant, "task"},
	} {
		if _, err := r.Events(t.Context(), args[0], args[1], history.Filter{}); !isNotFound(err) {
			t.Errorf("%s: events: %v; want not found", name, err)
		}
		if _, err := r.StateAt(t.Context(), args[0], args[1], 0); !isNotFound(err) {
			t.Errorf("%s: state: %v; want not found", name, err)
		}
	}
}

func TestReader_ErasedTextStillFolds(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e).Turn(url).Ask("which ward?").End().Turn(url).Reply("the first").Complete("logged in")
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	before, err := r.StateAt(t.Context(), projtest.Tenant, k.ID, history.Latest)
	if err != nil {
		t.Fatal(err)
	}
	e.Keys.Drop(k.ID)

	all, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{})
	if err != nil || int64(len(all.Events)) != before.Head+1 {
		t.Fatalf("got %d events, %v; want %d", len(all.Events), err, before.Head+1)
	}
	events, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	states := ""
	for revision := range before.Head + 1 {
		s, err := r.StateAt(t.Context(), projtest.Tenant, k.ID, revision)
		if err != nil {
			t.Fatalf("state at %d: %v", revision, err)
		}
		states = string(s.State)
	}
	for what, got := range map[string]string{"events": string(events), "state": states} {
		if !strings.Contains(got, domain.Erased) {
			t.Errorf("the %s do not show what is erased: %s", what, got)
		}
		for _, personal := range []string{"log in", "logged in", "hunter2", "which ward?", "the first", "clinic", "ann@example.com"} {
			if strings.Contains(got, personal) {
				t.Errorf("%q is still in the %s: %s", personal, what, got)
			}
		}
	}
	var s task.State
	if err := json.Unmarshal([]byte(states), &s); err != nil || len(s.Steps) != 1 || len(s.Steps[0].Attempts) != 2 {
		t.Errorf("what is not personal is gone too: %s, %v", states, err)
	}
}

func TestReader_LongHistories(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := e.Task(e.Session(), url, "q").Turn(url)
	events := make([]task.Event, 6000)
	for i := range events {
		events[i] = task.UserInputProvided{Turn: 1, Text: "more"}
	}
	k.Append(events...)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	got, err := r.StateAt(t.Context(), projtest.Tenant, k.ID, 5500)
	var s task.State
	if err != nil || json.Unmarshal(got.State, &s) != nil || len(s.Replies) != 5500 {
		t.Errorf("got %d replies, %v; want 5500", len(s.Replies), err)
	}
	part, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{Limit: 1 << 20})
	if err != nil || len(part.Events) != history.MaxLimit || !part.More {
		t.Errorf("got %d events, %v; want %d and more", len(part.Events), err, history.MaxLimit)
	}
}

// unreachable is a log that does not answer.
type unreachable struct{ eventstore.Log }

func (unreachable) ReadStream(context.Context, string, eventstore.ReadOptions) (eventstore.Slice, error) {
	return eventstore.Slice{}, &eventstore.UnavailableError{Op: "read", Cause: errors.New("no connection")}
}

func TestReader_SaysThatTheLogIsUnavailable(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	id, r := domain.NewUUID(), history.Reader{Log: unreachable{e.Store}, Keys: e.Keys}
	for name, read := range map[string]func() error{
		"events": func() error { _, err := r.Events(t.Context(), projtest.Tenant, id, history.Filter{}); return err },
		"state":  func() error { _, err := r.StateAt(t.Context(), projtest.Tenant, id, 0); return err },
		"diff":   func() error { _, err := r.Diff(t.Context(), projtest.Tenant, id, 0, 1); return err },
	} {
		var e *domain.Error
		if err := read(); !errors.As(err, &e) || e.Kind != domain.Unavailable || e.Code != "DATABASE_ERROR" || e.RetryAfter != time.Second {
			t.Errorf("%s: got %v; want DATABASE_ERROR, again in a second", name, err)
		}
	}
}

package sessions_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
)

const url = "https://clinic.example/patients?id=7"

var button = projtest.Target("14", "button", "Save")

// unpredictable fields are checked by their own tests.
var unpredictable = cmpopts.IgnoreFields(sessions.Message{}, "MessageID", "Timestamp", "TaskID", "Metadata", "DOMSummary")

func isNotFound(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && e.Kind == domain.NotFound && e.Code == "SESSION_NOT_FOUND"
}

func messages(t *testing.T, e *projtest.Env, session string, f sessions.MessageFilter) sessions.Messages {
	t.Helper()
	e.CatchUp(sessions.Projection)
	m, err := sessions.Queries{DB: e.Pool}.Messages(t.Context(), projtest.Tenant, projtest.User, session, f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func user(content string) sessions.Message {
	return sessions.Message{Role: sessions.RoleUser, Content: content}
}

func assistant(content, action, status string, p *sessions.ActionPayload) sessions.Message {
	return sessions.Message{
		Role: sessions.RoleAssistant, Content: content, ActionString: action, Status: status, ActionPayload: p,
	}
}

func click(id string) *sessions.ActionPayload {
	return &sessions.ActionPayload{Type: "click", ElementID: json.RawMessage(id)}
}

func failedWith(m sessions.Message, code, why string) sessions.Message {
	m.Error = &sessions.MessageError{Code: code, Message: why}
	return m
}

func TestQueries_Messages(t *testing.T) {
	t.Parallel()
	secret := projtest.Target("p", "textbox", "Password")
	secret.Secret = true
	tests := []struct {
		name  string
		given func(*projtest.Task)
		want  []sessions.Message
	}{
		{"an action is pending until its verdict", func(k *projtest.Task) {
			k.Turn(url).Act(projtest.Click("14"), button).End()
		}, []sessions.Message{user("add a patient"), assistant("step 0", `click("14")`, "pending", click("14"))}},

		{"verdicts reach the attempt they are about", func(k *projtest.Task) {
			k.Turn(url).Act(projtest.Click("14"), button).End().
				Turn(url).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("f1_5"), button).End().
				Turn(url).Verdict(true).Act(projtest.Set("3", "Jas"), button).End()
		}, []sessions.Message{
			user("add a patient"),
			failedWith(assistant("step 0", `click("14")`, "failure", click("14")), "VERIFICATION_FAILED", "nothing changed"),
			assistant("another way", `click("f1_5")`, "success", click(`"f1_5"`)),
			assistant("step 1", `setValue("3", "Jas")`, "pending",
				&sessions.ActionPayload{Type: "setValue", ElementID: json.RawMessage("3"), Text: "Jas"}),
		}},

		{"what was said before the task was visible comes first", func(k *projtest.Task) {
			k.Turn(url).Ask("which patient?").End().Turn(url).Reply("Jas").Act(projtest.Click("14"), button)
		}, []sessions.Message{
			user("add a patient"), assistant("which patient?", "", "", nil), user("Jas"),
			assistant("step 0", `click("14")`, "pending", click("14")),
		}},

		{"a turn run again by another process says nothing twice", func(k *projtest.Task) {
			k.Turn(url).Append(task.TurnAbandoned{Turn: 1, Why: "its process is gone"}).Turn(url).Act(projtest.Click("14"), button)
		}, []sessions.Message{user("add a patient"), assistant("step 0", `click("14")`, "pending", click("14"))}},

		{"a completed task closes with its message", func(k *projtest.Task) {
			k.Turn(url).Act(projtest.Click("14"), button).End().Turn(url).Verdict(true).Complete("patient added")
		}, []sessions.Message{
			user("add a patient"), assistant("step 0", `click("14")`, "success", click("14")),
			assistant("patient added", `finish("patient added")`, "success",
				&sessions.ActionPayload{Type: "finish", Text: "patient added"}),
		}},

		{"a failed task says why and leaves nothing pending", func(k *projtest.Task) {
			k.Turn(url).Act(projtest.Click("14"), button).End().Turn(url).Fail("MAX_STEPS_EXCEEDED", "too many steps")
		}, []sessions.Message{
			user("add a patient"), assistant("step 0", `click("14")`, "failure", click("14")),
			failedWith(assistant("too many steps", "", "failure", nil), "MAX_STEPS_EXCEEDED", "too many steps"),
		}},

		{"what is typed into a secret field is not shown", func(k *projtest.Task) {
			k.Turn(url).Act(projtest.Set("p", "hunter2"), secret)
		}, []sessions.Message{user("add a patient"), assistant("step 0", `setValue("p", "[secret]")`, "pending",
			&sessions.ActionPayload{Type: "setValue", ElementID: json.RawMessage(`"p"`), Text: "[secret]"})}},

		{"an action no longer in the language is not shown", func(k *projtest.Task) {
			k.Turn(url).Append(task.TaskStarted{Tenant: k.Tenant, User: k.User, Session: k.Session, URL: url, Query: k.Query},
				task.ActionGenerated{Turn: 1, Kind: "teleport", Thought: "away", Action: `teleport("14")`})
		}, []sessions.Message{user("add a patient"), assistant("away", "", "pending", &sessions.ActionPayload{Type: "teleport"})}},

		{"text that Postgres cannot hold", func(k *projtest.Task) {
			k.Query = "add\x00 a patient"
			k.Turn(url).Act(projtest.Click("14"), button).Turn(url).Append(task.ActionVerified{Reason: "no\x00thing"})
		}, []sessions.Message{user("add a patient"), failedWith(assistant("step 0", `click("14")`, "failure", click("14")), "VERIFICATION_FAILED", "nothing")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			k := e.Task(e.Session(), url, "add a patient")
			tt.given(k)
			got := messages(t, e, k.Session, sessions.MessageFilter{})
			for i := range tt.want {
				tt.want[i].SequenceNumber = i
			}
			if diff := cmp.Diff(tt.want, got.Messages, unpredictable); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if got.Total != len(tt.want) || got.SessionID != k.Session {
				t.Errorf("total %d of session %s, want %d of %s", got.Total, got.SessionID, len(tt.want), k.Session)
			}
		})
	}
}

func TestQueries_Messages_Filter(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	session := e.Session()
	e.Task(session, url, "first").Turn(url).Complete("done")
	e.Task(session, url, "second").Turn(url).Complete("done")
	all := messages(t, e, session, sessions.MessageFilter{}).Messages
	if len(all) != 4 {
		t.Fatalf("got %d messages, want 4", len(all))
	}
	got := messages(t, e, session, sessions.MessageFilter{Since: all[1].Timestamp, Limit: 1})
	if len(got.Messages) != 1 || got.Messages[0].SequenceNumber != 2 || got.Total != 4 {
		t.Errorf("since the second, one: got %+v; want number 2 of 4", got)
	}
	q := sessions.Queries{DB: e.Pool}
	for name, args := range map[string][3]string{
		"another tenant":  {"globex", projtest.User, session},
		"another user":    {projtest.Tenant, "bob", session},
		"no id":           {projtest.Tenant, projtest.User, "s-1"},
		"no visible task": {projtest.Tenant, projtest.User, e.Session()},
	} {
		if got, err := q.Messages(t.Context(), args[0], args[1], args[2], sessions.MessageFilter{}); !isNotFound(err) {
			t.Errorf("%s: got %+v, %v; want SESSION_NOT_FOUND", name, got, err)
		}
	}
	e.Archive(session)
	e.CatchUp(sessions.Projection)
	if _, err := q.Messages(t.Context(), projtest.Tenant, projtest.User, session, sessions.MessageFilter{}); !isNotFound(err) {
		t.Errorf("archived: %v; want SESSION_NOT_FOUND", err)
	}
	if got := messages(t, e, session, sessions.MessageFilter{IncludeArchived: true}); got.Total != 4 {
		t.Errorf("archived, asked for: got %d messages, want 4", got.Total)
	}
}

func TestQueries_Messages_Metadata(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := e.Task(e.Session(), url, "add a patient").Turn(url)
	at := time.Date(2026, 1, 27, 10, 0, 0, 0, time.UTC)
	started := usage.LLMCallStarted{Call: domain.NewUUID(), Task: k.ID, Turn: 1, StartedAt: at}
	retried := started
	retried.Call = domain.NewUUID()
	noTask := usage.LLMCallStarted{Call: domain.NewUUID(), Task: "ingestion-7", Turn: 1, StartedAt: at}
	meters := usage.Meters{InputUncached: 100, InputCached: 20, Output: 7, Thinking: 3}
	projtest.Append[usage.Event](e, usage.Codec, usage.Stream(k.ID), started,
		usage.LLMCallCompleted{Call: started.Call, Report: usage.Report{Meters: meters}}, retried,
		usage.LLMCallSettled{Call: retried.Call, Meters: usage.Meters{InputUncached: 50}},
		usage.UsageCorrected{Call: retried.Call, Meters: usage.Meters{InputUncached: -10, Output: 1}})
	projtest.Append[usage.Event](e, usage.Codec, usage.Stream("ingestion-7"), noTask,
		usage.LLMCallCompleted{Call: noTask.Call, Report: usage.Report{Meters: meters}})
	k.Append(task.TaskStarted{Tenant: k.Tenant, User: k.User, Session: k.Session, URL: url, Query: k.Query},
		task.ActionGenerated{Turn: 1, By: "a-model", Thought: "saving", Action: `click("14")`, Kind: "click"}).End()

	got := messages(t, e, k.Session, sessions.MessageFilter{}).Messages
	if len(got) != 2 || got[0].Metadata != nil || got[1].Metadata == nil {
		t.Fatalf("got %+v; want metadata with the second", got)
	}
	m := *got[1].Metadata
	if m.TokensUsed == nil || *m.TokensUsed != (sessions.TokensUsed{PromptTokens: 160, CompletionTokens: 11}) || m.LLMModel != "a-model" {
		t.Errorf("metadata %+v, tokens %+v; want 160 and 11 by a-model", m, m.TokensUsed)
	}
	if took := got[1].Timestamp.Sub(got[0].Timestamp).Milliseconds(); m.Latency < took {
		t.Errorf("latency %d ms; the action alone came after %d", m.Latency, took)
	}
}

func TestQueries_Messages_DOMSummary(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := e.Task(e.Session(), url, "add a patient").Turn(url).Act(projtest.Click("14"), button)
	long := e.Task(k.Session, "https://clinic.example/"+strings.Repeat("ä", 300), "more").Turn(url).Act(projtest.Click("14"), button)
	all := messages(t, e, long.Session, sessions.MessageFilter{}).Messages
	if got, want := all[1].DOMSummary, "clinic.example/patients: textbox Email, button Save"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len([]rune(all[3].DOMSummary)); n != 200 {
		t.Errorf("the long one has %d runes, want 200", n)
	}
}

func TestQueries_Messages_IDsAreStable(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := e.Task(e.Session(), url, "q").Turn(url).Act(projtest.Click("14"), button)
	m := messages(t, e, k.Session, sessions.MessageFilter{}).Messages[1]
	events, err := e.Store.ReadStream(t.Context(), task.Stream(k.ID), readAll)
	if err != nil {
		t.Fatal(err)
	}
	last := events.Events[len(events.Events)-1]
	if want := domain.DeriveUUID("message", last.ID); m.MessageID != want || m.TaskID != k.ID || !m.Timestamp.Equal(last.RecordedAt.Truncate(time.Microsecond)) {
		t.Errorf("got %+v; want id %s at %s", m, want, last.RecordedAt)
	}
}

func TestRebuild_AfterErasureHoldsNothingOfTheSubject(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	k := e.Task(e.Session(), url, "call Jas on 555-0199").Turn(url).Ask("which Jas?").Turn(url).Reply("Jas Miller").
		Act(projtest.Set("3", "Jas Miller"), projtest.Target("3", "textbox", "Jas")).Complete("called Jas")
	e.CatchUp(sessions.Projection)
	if !strings.Contains(e.Dump(sessions.Projection), "Jas") {
		t.Fatal("there is nothing to erase")
	}
	e.Keys.Drop(k.ID)
	if err := projections.NewRunner(e.Config(sessions.Projection)).Rebuild(t.Context(), "sessions"); err != nil {
		t.Fatal(err)
	}
	if dump := e.Dump(sessions.Projection); strings.Contains(dump, "Jas") || strings.Contains(dump, "clinic.example") {
		t.Errorf("text of the erased task is left:\n%s", dump)
	}
	m := messages(t, e, k.Session, sessions.MessageFilter{})
	if m.Total != 5 || m.Messages[0].Content != domain.Erased || m.Messages[3].ActionPayload.Type != "setValue" {
		t.Errorf("got %+v; want five messages with erased text", m)
	}
}

package history_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// Every event there is has a type of log entry.
func TestLogTypeOf_EveryEvent(t *testing.T) {
	t.Parallel()
	for _, name := range task.Codec.Names() {
		if got := history.LogTypeOf(name, nil); !slices.Contains(history.LogTypes, got) {
			t.Errorf("%s has the log type %q", name, got)
		}
	}
}

// Entries of several tasks are in one order, the newest first, and are those that were
// asked for.
func TestReader_Logs(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	now := time.Date(2026, 1, 27, 12, 0, 0, 0, time.UTC)
	e.Store = memory.New(memory.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	began := now
	one := e.Task(e.Session(), url, "Save it, hunter2zz").Turn(url).Act(projtest.Click("1"), projtest.Target("1", "button", "Save")).Typed("hunter2zz")
	two := e.Task(one.Session, url, "Find it").Turn(url).Append(task.TurnEnded{Turn: 1, Status: "error"})
	one.Turn(url).Fail("GAVE_UP", "no way")
	called := now.Add(time.Hour)
	for call, outcome := range map[string]ledger.Outcome{"good": ledger.OK, "bad": ledger.Timeout} {
		projtest.Append[ledger.Event](e, ledger.Codec, ledger.Stream(two.ID), ledger.LLMCallStarted{Call: call, Task: two.ID, Turn: 1, StartedAt: now},
			ledger.LLMCallCompleted{Call: call, Report: ledger.Report{Outcome: outcome, CompletedAt: called}, Charge: ledger.Charge{CostStatus: ledger.Unpriced}})
	}
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	both := []string{one.ID, two.ID}
	names := func(f history.LogFilter) (out []string, more bool) {
		t.Helper()
		if f.Limit == 0 {
			f.Limit = 100
		}
		entries, more, err := r.Logs(t.Context(), projtest.Tenant, both, f)
		if err != nil {
			t.Fatal(err)
		}
		for i, entry := range entries {
			if i > 0 && entry.At.After(entries[i-1].At) {
				t.Errorf("%v comes after %v", entry.At, entries[i-1].At)
			}
			if entry.Call != nil {
				out = append(out, string(entry.Type)+" call "+entry.Call.CallID)
			} else {
				out = append(out, string(entry.Type)+" "+entry.Event.Type)
			}
		}
		return out, more
	}
	all, more := names(history.LogFilter{})
	if len(all) < 9 || more || all[len(all)-1] != "request "+task.NamePageObserved {
		t.Errorf("all are %v", all)
	}
	for name, tt := range map[string]struct {
		f    history.LogFilter
		want []string
		more bool
	}{
		"errors":      {history.LogFilter{Type: history.ErrorLog}, []string{"error call bad", "error " + task.NameTaskFailed, "error " + task.NameTurnEnded}, false},
		"one of them": {history.LogFilter{Type: history.ErrorLog, Limit: 1}, []string{"error call bad"}, true},
		"calls":       {history.LogFilter{Type: history.ModelLog}, []string{"model call good"}, false},
		"of a time":   {history.LogFilter{From: began, To: began.Add(3 * time.Second)}, []string{"request " + task.NamePageObserved}, false},
		"later":       {history.LogFilter{From: called.Add(time.Second)}, nil, false},
		"actions":     {history.LogFilter{Type: history.ActionLog}, []string{"action " + task.NameActionGenerated}, false},
	} {
		got, more := names(tt.f)
		if diff := cmp.Diff(tt.want, got); diff != "" || more != tt.more {
			t.Errorf("%s: more %v (-want +got):\n%s", name, more, diff)
		}
	}
	if _, _, err := r.Logs(t.Context(), "globex", both, history.LogFilter{Limit: 1}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("another tenant is told %v", err)
	}
}

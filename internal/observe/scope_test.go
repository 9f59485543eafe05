package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/scope"
	"github.com/stepledger/stepledger/internal/observe"
)

const scopedTask = "11111111-1111-4111-8111-111111111111"

// logged is what one record becomes, without its time, and the text of it.
func logged(t *testing.T, write func(log *slog.Logger)) (map[string]any, string) {
	t.Helper()
	var out bytes.Buffer
	write(slog.New(observe.Scoped(slog.NewJSONHandler(&out, nil))))
	record := map[string]any{}
	if err := json.Unmarshal(out.Bytes(), &record); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	delete(record, "time")
	return record, out.String()
}

func inRequest(t *testing.T) context.Context {
	t.Helper()
	ctx, s := scope.Begin(t.Context(), "r-1", "")
	s.Caller("acme", "jo")
	s.OnTask(scopedTask)
	return ctx
}

// What is logged deep in a turn names the request without anybody passing it on.
func TestScoped(t *testing.T) {
	t.Parallel()
	got, _ := logged(t, func(log *slog.Logger) {
		r := observe.Reasoner{Next: port{err: errors.New("no model")}, Log: log}
		if _, err := r.Act(inRequest(t), reasoning.ActQuestion{On: reasoning.On{Task: scopedTask, Turn: 3}}); err == nil {
			t.Error("no error")
		}
	})
	want := map[string]any{
		"level": "WARN", "msg": "question without an answer", "question": "next action", "turn": 3.0, "error": "no model",
		"request": "r-1", "trace": scope.TraceOf(scopedTask), "tenant": "acme", "user": "jo", "task": scopedTask,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestScoped_NamesNothingTwice(t *testing.T) {
	t.Parallel()
	got, text := logged(t, func(log *slog.Logger) {
		log.With("tenant", "globex").InfoContext(inRequest(t), "another's", "task", "t-2")
	})
	if got["tenant"] != "globex" || got["task"] != "t-2" || strings.Count(text, `"tenant"`) != 1 || strings.Count(text, `"task"`) != 1 {
		t.Errorf("%s", text)
	}
}

func TestScoped_OutsideOfRequests(t *testing.T) {
	t.Parallel()
	got, _ := logged(t, func(log *slog.Logger) { log.InfoContext(t.Context(), "swept") })
	if diff := cmp.Diff(map[string]any{"level": "INFO", "msg": "swept"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

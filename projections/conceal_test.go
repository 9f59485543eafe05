package projections_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// leaky is a task whose texts repeat a value before and after it becomes known as
// secret.
func leaky(e *projtest.Env, value string, known func(*projtest.Task)) *projtest.Task {
	page := "https://shop.example/?q=" + strings.ReplaceAll(value, `"`, "%22")
	field, button := projtest.Target("p", "textbox", "Password"), projtest.Target("2", "button", "Use "+value)
	field.Secret = true
	k := e.Task(e.Session(), page, "log in with "+value)
	k.Turn(page).Ask("is it "+value+"?").End().
		Turn(page).Reply("yes, "+value).Act(projtest.Click("2"), button).End().
		Turn(page).Verdict(false).Append(task.FinishBlocked{Turn: 3, Message: value}).
		Correct(reasoning.AlternativeSelector, projtest.Set("p", value), field)
	known(k)
	k.Query = "" // from here on the turn itself cuts it out
	return k.Turn("https://shop.example/").Verdict(true).Complete("entered it")
}

func TestConceal_whatBecomesKnownIsCutOutOfAllRows(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]func(*projtest.Task, string){
		"when it is typed": func(k *projtest.Task, v string) { k.Typed(v) },
		"when it is seen in a field": func(k *projtest.Task, v string) {
			k.End().Append(task.PageObserved{Turn: 4, Tenant: k.Tenant, User: k.User, Session: k.Session, Secrets: []string{v}})
		},
		"when the user says what it is": func(k *projtest.Task, v string) {
			k.End().Append(task.UserInputProvided{Turn: 4, Secrets: []string{v}})
		},
		"when it is the newest of some": func(k *projtest.Task, v string) { k.Typed("other99").Typed(v) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			for _, value := range []string{"hunter2zz", `P"ss&w<rd9`, "4111 1111 1111 1111"} {
				k := leaky(e, value, func(k *projtest.Task) {
					e.CatchUp(all...) // what is there already has to be changed
					known(k, value)
				})
				e.CatchUp(all...)
				quoted, _ := json.Marshal(value)
				inner := strings.Trim(string(quoted), `"`)
				for model, rows := range dumps(e) {
					if lower := strings.ToLower(rows); strings.Contains(lower, strings.ToLower(value)) || strings.Contains(lower, strings.ToLower(inner)) ||
						strings.Contains(lower, "hunter") || strings.Contains(lower, "p%22ss") {
						t.Errorf("%s of %q: %s", model, value, rows)
					}
				}
				if n := e.Count(`select count(*) from read.message where content like '%[secret]%'`); n == 0 {
					t.Error("nothing is masked: the test proves nothing")
				}
				shownInHistory(t, e, k, value)
			}
			incremental := dumps(e)
			r := projections.NewRunner(e.Config(all...))
			for _, p := range all {
				if err := r.Rebuild(t.Context(), p.Name); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(incremental, dumps(e)); diff != "" {
				t.Errorf("tables before and after the rebuild (-before +after):\n%s", diff)
			}
		})
	}
}

// shownInHistory looks at every event and every state, those before the value was
// known included.
func shownInHistory(t *testing.T, e *projtest.Env, k *projtest.Task, value string) {
	t.Helper()
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	events, err := r.Events(t.Context(), k.Tenant, k.ID, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	shown := []any{events}
	for revision := range events.Head + 1 {
		s, err := r.StateAt(t.Context(), k.Tenant, k.ID, revision)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, s)
	}
	b, err := json.Marshal(shown)
	quoted, _ := json.Marshal(value)
	if err != nil || strings.Contains(strings.ToLower(string(b)), strings.ToLower(strings.Trim(string(quoted), `"`))) {
		t.Errorf("%v: %s", err, b)
	}
}

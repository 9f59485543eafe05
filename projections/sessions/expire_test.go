package sessions_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
)

const day = 24 * time.Hour

func TestQueries_Expire(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(*projtest.Task)
		age  time.Duration
		gone bool
	}{
		{"completed 89 days ago", func(k *projtest.Task) { k.Complete("done") }, 89 * day, false},
		{"completed 91 days ago", func(k *projtest.Task) { k.Complete("done") }, 91 * day, true},
		{"failed 91 days ago", func(k *projtest.Task) { k.Fail("GAVE_UP", "no") }, 91 * day, true},
		{"interrupted 29 days ago", func(k *projtest.Task) { k.Act(projtest.Click("1"), button).Append(task.TaskInterrupted{}) }, 29 * day, false},
		{"interrupted 31 days ago", func(k *projtest.Task) { k.Act(projtest.Click("1"), button).Append(task.TaskInterrupted{}) }, 31 * day, true},
		{"without a visible task for 91 days", func(*projtest.Task) {}, 91 * day, true},
		{"active", func(k *projtest.Task) { k.Act(projtest.Click("1"), button) }, 400 * day, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			k := e.Task(e.Session(), url, "q").Turn(url)
			call := domain.NewUUID()
			projtest.Append[usage.Event](e, usage.Codec, usage.Stream(k.ID), usage.LLMCallStarted{Call: call, Task: k.ID, Turn: 1})
			tt.end(k)
			e.CatchUp(sessions.Projection)
			rows := func() int {
				return e.Count(`select (select count(*) from read.session) + (select count(*) from read.message) + (select count(*) from read.turn)`)
			}
			before := rows()
			if n, err := (sessions.Queries{DB: e.Pool}).Expired(t.Context(), time.Now().Add(tt.age)); err != nil || n > 0 != tt.gone {
				t.Errorf("%d may be forgotten, %v", n, err)
			}
			n, err := sessions.Queries{DB: e.Pool}.Expire(t.Context(), time.Now().Add(tt.age))
			switch after := rows(); {
			case err != nil:
				t.Fatal(err)
			case tt.gone && (n != 1 || after != 0 || before == 0):
				t.Errorf("%d forgotten, %d of %d rows left; want none", n, after, before)
			case !tt.gone && (n != 0 || after != before):
				t.Errorf("%d forgotten, %d of %d rows left; want all", n, after, before)
			}
		})
	}
}

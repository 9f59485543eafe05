package tasks_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/tasks"
)

const day = 24 * time.Hour

func TestQueries_Expire(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		end       func(*projtest.Task)
		age       time.Duration
		forgotten int64
	}{
		{"completed 89 days ago", func(k *projtest.Task) { k.Complete("done") }, 89 * day, 0},
		{"completed 91 days ago", func(k *projtest.Task) { k.Complete("done") }, 91 * day, 1},
		{"failed 91 days ago", func(k *projtest.Task) { k.Fail("GAVE_UP", "no") }, 91 * day, 1},
		{"interrupted 29 days ago", func(k *projtest.Task) { k.Append(task.TaskInterrupted{}) }, 29 * day, 0},
		{"interrupted 31 days ago", func(k *projtest.Task) { k.Append(task.TaskInterrupted{}) }, 31 * day, 1},
		{"never begun 31 days ago", func(*projtest.Task) {}, 31 * day, 1},
		{"active", func(k *projtest.Task) { k.Act(projtest.Click("1"), button) }, 400 * day, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			tt.end(e.Task(e.Session(), "https://a.example/", "q").Turn("https://a.example/"))
			e.CatchUp(tasks.Projection)
			q := tasks.Queries{DB: e.Pool, Now: func() time.Time { return time.Now().Add(tt.age) }}
			if n, err := q.Expired(t.Context()); err != nil || n != tt.forgotten {
				t.Errorf("%d may be forgotten, %v; want %d", n, err, tt.forgotten)
			}
			n, err := q.Expire(t.Context())
			if err != nil || n != tt.forgotten {
				t.Errorf("%d forgotten, %v; want %d", n, err, tt.forgotten)
			}
			if left := e.Count(`select count(*) from read.task`); int64(left) != 1-tt.forgotten {
				t.Errorf("%d tasks are left", left)
			}
		})
	}
}

func TestQueries_Expire_Many(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	session := e.Session()
	for range 250 {
		e.Task(session, "https://a.example/", "q").Turn("https://a.example/").Complete("done")
	}
	e.CatchUp(tasks.Projection)
	q := tasks.Queries{DB: e.Pool, Now: func() time.Time { return time.Now().Add(91 * day) }}
	if n, err := q.Expire(t.Context()); err != nil || n != 250 {
		t.Errorf("%d forgotten, %v; want all 250", n, err)
	}
}

func TestQueries_Expire_ArchivedSessions(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Archive(e.Session())
	e.CatchUp(tasks.Projection)
	for _, tt := range []struct {
		age  time.Duration
		want int64
	}{{89 * day, 0}, {91 * day, 1}, {91 * day, 0}} {
		q := tasks.Queries{DB: e.Pool, Now: func() time.Time { return time.Now().Add(tt.age) }}
		if n, err := q.Expire(t.Context()); err != nil || n != tt.want {
			t.Errorf("after %v: %d rows, %v; want %d", tt.age, n, err, tt.want)
		}
	}
}

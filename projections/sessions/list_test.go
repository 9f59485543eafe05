package sessions_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
)

var readAll eventstore.ReadOptions

func TestQueries_List(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	one := func(end func(*projtest.Task)) string {
		k := e.Task(e.Session(), url, "q").Turn(url).Act(projtest.Click("14"), button)
		end(k)
		return k.Session
	}
	e.Session() // has no task
	e.Task(e.Session(), url, "provisional").Turn(url).Ask("which?")
	active := one(func(*projtest.Task) {})
	completed := one(func(k *projtest.Task) { k.Complete("done") })
	failed := one(func(k *projtest.Task) { k.Fail("GAVE_UP", "no") })
	interrupted := one(func(k *projtest.Task) { k.Append(task.TaskInterrupted{}) })
	archived := one(func(k *projtest.Task) { k.Complete("done") })
	e.Archive(archived)
	again := one(func(k *projtest.Task) { k.Complete("done") })
	e.Task(again, url, "one more").Turn(url).Act(projtest.Click("1"), button)
	other := e.Task(e.Session(), url, "q")
	other.User = "bob"
	e.CatchUp(sessions.Projection)

	mine := sessions.Filter{Tenant: projtest.Tenant, User: projtest.User}
	with := func(change func(*sessions.Filter)) sessions.Filter {
		f := mine
		change(&f)
		return f
	}
	tests := []struct {
		name   string
		filter sessions.Filter
		want   []string
		total  int
	}{
		{"active ones by default, most recently touched first", mine, []string{again, active}, 2},
		{"completed", with(func(f *sessions.Filter) { f.Status = sessions.Completed }), []string{completed}, 1},
		{"failed", with(func(f *sessions.Filter) { f.Status = sessions.Failed }), []string{failed}, 1},
		{"interrupted", with(func(f *sessions.Filter) { f.Status = sessions.Interrupted }), []string{interrupted}, 1},
		{"archived", with(func(f *sessions.Filter) { f.Status = sessions.Archived }), []string{archived}, 1},
		{"all with the archived", with(func(f *sessions.Filter) { f.IncludeArchived = true }),
			[]string{again, archived, interrupted, failed, completed, active}, 6},
		{"a page", with(func(f *sessions.Filter) { f.IncludeArchived, f.Limit, f.Offset = true, 2, 1 }),
			[]string{archived, interrupted}, 6},
		{"past the end", with(func(f *sessions.Filter) { f.Offset = 5 }), nil, 2},
		{"another tenant", sessions.Filter{Tenant: "globex", User: projtest.User}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := sessions.Queries{DB: e.Pool}.List(t.Context(), tt.filter)
			if err != nil || len(p.Sessions) != len(tt.want) || p.Total != tt.total {
				t.Fatalf("got %+v, %v; want %d of %d", p, err, len(tt.want), tt.total)
			}
			for i, s := range p.Sessions {
				if s.SessionID != tt.want[i] {
					t.Errorf("%d: got %+v, want %s", i, s, tt.want[i])
				}
			}
			if more := p.Offset+len(p.Sessions) < p.Total; p.HasMore != more {
				t.Errorf("hasMore = %v, want %v", p.HasMore, more)
			}
		})
	}
}

func TestQueries_Latest(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	first := e.Task(e.Session(), "https://a.example/start", "one").Turn(url).Ask("which?").End()
	e.Task(e.Session(), url, "two").Turn(url).Act(projtest.Click("1"), button)
	first.Turn(url).Reply("this").Act(projtest.Click("14"), button).End()
	e.CatchUp(sessions.Projection)
	q := sessions.Queries{DB: e.Pool}

	got, err := q.Latest(t.Context(), projtest.Tenant, projtest.User, "")
	if err != nil || got.SessionID != first.Session || got.URL != first.URL || got.InitialQuery != "one" || got.MessageCount != 4 {
		t.Errorf("got %+v, %v; want the session of the first task, touched last, with 4 messages", got, err)
	}
	if got, err := q.Latest(t.Context(), projtest.Tenant, projtest.User, sessions.Failed); !isNotFound(err) {
		t.Errorf("a failed one: got %+v, %v; want SESSION_NOT_FOUND", got, err)
	}
}

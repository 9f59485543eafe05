package tasks_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

func TestQueries_Find(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	begin := func(url, query string) *projtest.Task { return e.Task(e.Session(), url, query).Turn(url) }
	milk := begin("https://Shop.example:8443/cart", "Buy milk, that's all").Act(projtest.Click("1"), button)
	bread := begin("https://shop.example/", "buy 2 bread rolls").Complete("done")
	gone := begin("https://blog.example/", "Read the blog of Jörg").Fail("GAVE_UP", "it is gone")
	begin("https://shop.example/", "buy what nobody sees").Ask("which?")
	stopped := begin("https://shop.example/", "mail ann@example.com").Act(projtest.Click("1"), button).Append(task.TaskInterrupted{})
	milk.Append(held)
	e.CatchUp(tasks.Projection, usage.Projection)
	all := []*projtest.Task{stopped, gone, bread, milk}
	before := time.Now().Add(-time.Hour)
	tests := []struct {
		name   string
		search tasks.Search
		want   []*projtest.Task
	}{
		{"everything a reader sees, newest first", tasks.Search{}, all},
		{"another tenant", tasks.Search{Tenant: "globex"}, nil},
		{"by status", tasks.Search{Status: tasks.Completed}, []*projtest.Task{bread}},
		{"by another status", tasks.Search{Status: tasks.Interrupted}, []*projtest.Task{stopped}},
		{"those somebody holds", tasks.Search{Status: tasks.Paused}, []*projtest.Task{milk}},
		{"by host, whatever its port and case", tasks.Search{Host: "SHOP.example"}, []*projtest.Task{stopped, bread, milk}},
		{"by code", tasks.Search{Code: "GAVE_UP"}, []*projtest.Task{gone}},
		{"by a word", tasks.Search{Text: "BUY"}, []*projtest.Task{bread, milk}},
		{"by beginnings of words", tasks.Search{Text: "bu rol"}, []*projtest.Task{bread}},
		{"by a word with an accent", tasks.Search{Text: "jörg"}, []*projtest.Task{gone}},
		{"by an address", tasks.Search{Text: "ann@example.com"}, []*projtest.Task{stopped}},
		{"by a number", tasks.Search{Text: "2"}, []*projtest.Task{bread}},
		{"words like operators are words", tasks.Search{Text: `that's | ! & <-> \ ':*`}, []*projtest.Task{milk}},
		{"nothing has both", tasks.Search{Text: "milk rolls"}, nil},
		{"two filters", tasks.Search{Host: "shop.example", Status: tasks.Executing}, []*projtest.Task{milk}},
		{"since", tasks.Search{From: before}, all},
		{"until", tasks.Search{To: before}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.search.Tenant == "" {
				tt.search.Tenant = projtest.Tenant
			}
			var got, want []string
			for _, k := range tt.want {
				want = append(want, k.ID)
			}
			tt.search.Limit = 10
			page, err := tasks.Queries{DB: e.Pool}.Find(t.Context(), tt.search)
			if err != nil || page.More {
				t.Fatal(page.More, err)
			}
			for _, f := range page.Tasks {
				got = append(got, f.TaskID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("tasks (-want +got):\n%s", diff)
			}
		})
	}
}

// Pages follow each other without a gap or a repeat, also where tasks started at the
// same moment.
func TestQueries_Find_ByPages(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	session := e.Session()
	want := map[string]bool{}
	for i := range 17 {
		want[e.Task(session, "https://a.example/", fmt.Sprint("q", i)).Turn("https://a.example/").Complete("done").ID] = true
	}
	e.CatchUp(tasks.Projection)
	if _, err := e.Pool.Exec(t.Context(), `update read.task set started_at = date_trunc('minute', started_at)`); err != nil {
		t.Fatal(err)
	}
	q := tasks.Queries{DB: e.Pool}
	for _, none := range []int{0, -1} {
		if _, err := q.Find(t.Context(), tasks.Search{Tenant: projtest.Tenant, Limit: none}); domain.KindOf(err) != domain.Invalid {
			t.Errorf("a page of %d tasks: %v", none, err)
		}
	}
	s := tasks.Search{Tenant: projtest.Tenant, Limit: 5}
	for more := true; more; {
		page, err := q.Find(t.Context(), s)
		if err != nil || len(page.Tasks) == 0 {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, f := range page.Tasks {
			if !want[f.TaskID] {
				t.Errorf("%s comes twice", f.TaskID)
			}
			delete(want, f.TaskID)
			s.After = &tasks.Mark{StartedAt: f.StartedAt, TaskID: f.TaskID}
		}
		more = page.More
	}
	if len(want) > 0 {
		t.Errorf("%d tasks are on no page", len(want))
	}
}

// What is spent on a task is what the read model of usage says of it.
func TestQueries_Find_Spent(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Story(2, 300)
	q := tasks.Queries{DB: e.Pool}
	s := tasks.Search{Tenant: projtest.Tenant, Limit: 100}
	e.CatchUp(tasks.Projection)
	page, err := q.Find(t.Context(), s)
	if err != nil || len(page.Tasks) < 5 {
		t.Fatal(len(page.Tasks), err)
	}
	for _, f := range page.Tasks {
		if f.Spent != nil {
			t.Errorf("without sums of usage %s cost %+v", f.TaskID, f.Spent)
		}
	}
	// The calls of a story are of January.
	if _, err := e.Pool.Exec(t.Context(), `update read.task set created_at = '2026-01-27'`); err != nil {
		t.Fatal(err)
	}
	e.CatchUp(usage.Projection)
	if page, err = q.Find(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	paid := 0
	for _, f := range page.Tasks {
		sum, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), usage.SummaryFilter{Selection: ledger.Selection{Tenant: projtest.Tenant, Task: f.TaskID}})
		if err != nil {
			t.Fatal(err)
		}
		want := tasks.Spent{
			Calls: sum.Calls, OpenCalls: sum.OpenCalls, UnpricedCalls: sum.UnpricedCalls,
			InputTokens: sum.Input(), OutputTokens: sum.Outputs(), Cost: sum.Cost,
		}
		if f.Spent == nil || *f.Spent != want {
			t.Errorf("%s: spent %+v, want %+v", f.TaskID, f.Spent, want)
		}
		paid += int(sum.Calls)
	}
	if paid == 0 || !slices.ContainsFunc(page.Tasks, func(f tasks.Found) bool { return f.Spent != nil && f.Spent.Cost != "0" }) {
		t.Error("nothing was paid")
	}
}

// While the tables of a version before are read, the list is not empty but not there.
func TestQueries_Find_WhileItIsBuilt(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Task(e.Session(), "https://a.example/", "q").Turn("https://a.example/").Complete("done")
	q := tasks.Queries{DB: e.Pool}
	find := func() error {
		_, err := q.Find(t.Context(), tasks.Search{Tenant: projtest.Tenant, Limit: 5})
		return err
	}
	building := func(err error) bool {
		var d *domain.Error
		return errors.As(err, &d) && d.Kind == domain.Unavailable
	}
	e.CatchUp(tasks.Projection)
	if err := find(); err != nil {
		t.Errorf("with its tables: %v", err)
	}
	if _, err := e.Pool.Exec(t.Context(), `update read.checkpoint set version = 5`); err != nil {
		t.Fatal(err)
	}
	held := tasks.Search{Tenant: projtest.Tenant, Limit: 5, Status: tasks.Paused}
	if _, err := q.Find(t.Context(), held); !building(err) || find() != nil {
		t.Errorf("with tables that do not know who holds a task: %v", err)
	}
	for _, sql := range []string{`update read.task set started_at = null`, `update read.checkpoint set version = 4`} {
		if _, err := e.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := find(); !building(err) {
		t.Errorf("with older tables: %v", err)
	}
}

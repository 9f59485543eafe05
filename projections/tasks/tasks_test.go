package tasks_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/tasks"
)

var held = task.TaskPaused{By: "u1", Kind: task.Paused}

var button = projtest.Target("14", "button", "Save")

func isNotFound(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && e.Kind == domain.NotFound && e.Code == "TASK_NOT_FOUND"
}

func TestQueries_ByID(t *testing.T) {
	t.Parallel()
	const url = "https://shop.example/cart"
	begin := func(e *projtest.Env) *projtest.Task { return e.Task(e.Session(), url, "buy milk").Turn(url) }
	tests := []struct {
		name  string
		given func(*projtest.Env) *projtest.Task
		want  tasks.View
	}{
		{"a started task waits for its first action to be executed", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).End()
		}, tasks.View{Status: tasks.Executing, Steps: 1}},
		{"a correction is the same step", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).End().Turn(url).Verdict(true).
				Act(projtest.Click("15"), button).End().Turn(url).Verdict(false).
				Correct(reasoning.AlternativeSelector, projtest.Click("16"), button).End()
		}, tasks.View{Status: tasks.Correcting, CurrentStepIndex: 1, Steps: 2, Corrections: 1}},
		{"a question to the user shows until it is answered", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Turn(url).Ask("which milk?")
		}, tasks.View{Status: tasks.Active, Steps: 1, Message: "which milk?"}},
		{"an answered question is gone", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Ask("which milk?").Turn(url).Reply("goat")
		}, tasks.View{Status: tasks.Active, Steps: 1}},
		{"a completed task has its message", func(e *projtest.Env) *projtest.Task {
			return begin(e).Complete("bought")
		}, tasks.View{Status: tasks.Completed, Message: "bought"}},
		{"a failed task has its code", func(e *projtest.Env) *projtest.Task {
			return begin(e).Fail("GAVE_UP", "sold out")
		}, tasks.View{Status: tasks.Failed, Message: "sold out", Code: "GAVE_UP"}},
		{"an interrupted task", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Append(task.TaskInterrupted{Why: "nobody asked"})
		}, tasks.View{Status: tasks.Interrupted, Steps: 1}},
		{"a resumed task is active", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Append(task.TaskInterrupted{}).Turn(url).Append(task.TaskResumed{Turn: 2})
		}, tasks.View{Status: tasks.Active, Steps: 1}},
		{"a task somebody holds keeps its status", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Append(held).Append(task.TaskPaused{By: "u2", Kind: task.TakenOver})
		}, tasks.View{Status: tasks.Executing, Steps: 1, PausedBy: "u2", PausedKind: "takeover"}},
		{"one that was handed back", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Append(held).Append(task.TaskHandedBack{By: "u1"})
		}, tasks.View{Status: tasks.Executing, Steps: 1}},
		{"one whose last turn ended it", func(e *projtest.Env) *projtest.Task {
			return begin(e).Act(projtest.Click("14"), button).Turn(url).Append(held).Complete("bought")
		}, tasks.View{Status: tasks.Completed, Steps: 1, Message: "bought"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			written := tt.given(e)
			e.CatchUp(tasks.Projection)
			got, err := tasks.Queries{DB: e.Pool}.ByID(t.Context(), projtest.Tenant, projtest.User, written.ID)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != tt.want.Status || got.CurrentStepIndex != tt.want.CurrentStepIndex || got.Steps != tt.want.Steps ||
				got.PausedBy != tt.want.PausedBy || got.PausedKind != tt.want.PausedKind || (got.PausedAt != nil) != (tt.want.PausedBy != "") ||
				got.Corrections != tt.want.Corrections || got.Message != tt.want.Message || got.Code != tt.want.Code {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if got.TaskID != written.ID || got.SessionID != written.Session || got.Query != "buy milk" || got.URL != url {
				t.Errorf("got %+v of task %s", got, written.ID)
			}
			if ended := got.EndedAt != nil; ended != (tt.want.Status == tasks.Completed || tt.want.Status == tasks.Failed) {
				t.Errorf("endedAt = %v", got.EndedAt)
			}
		})
	}
}

func TestQueries_ByID_Hidden(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	provisional := e.Task(e.Session(), "https://a.example/", "q").Turn("https://a.example/").Ask("which?").End()
	visible := e.Task(e.Session(), "https://a.example/", "q").Turn("https://a.example/").Complete("done")
	e.CatchUp(tasks.Projection)
	q := tasks.Queries{DB: e.Pool}
	for name, args := range map[string][3]string{
		"a provisional task, to another user":   {projtest.Tenant, "bob", provisional.ID},
		"a provisional task, to another tenant": {"globex", projtest.User, provisional.ID},
		"another tenant's task":                 {"globex", projtest.User, visible.ID},
		"another user's task":                   {projtest.Tenant, "bob", visible.ID},
		"an unknown id":                         {projtest.Tenant, projtest.User, domain.NewUUID()},
		"what is not an id":                     {projtest.Tenant, projtest.User, "42"},
	} {
		if got, err := q.ByID(t.Context(), args[0], args[1], args[2]); !isNotFound(err) {
			t.Errorf("%s: got %+v, %v; want TASK_NOT_FOUND", name, got, err)
		}
	}
	// Its id was given out with the question.
	if got, err := q.ByID(t.Context(), projtest.Tenant, projtest.User, provisional.ID); err != nil || got.Message != "which?" {
		t.Errorf("a provisional task: %+v, %v", got, err)
	}
	if got, err := q.List(t.Context(), tasks.Filter{Tenant: projtest.Tenant}); err != nil || len(got) != 1 {
		t.Errorf("listed: %+v, %v; want the visible one", got, err)
	}
	provisional.Turn("https://a.example/").Reply("that one").Act(projtest.Click("1"), button)
	e.CatchUp(tasks.Projection)
	got, err := q.ByID(t.Context(), projtest.Tenant, projtest.User, provisional.ID)
	if err != nil || got.Query != "q" || got.Status != tasks.Executing {
		t.Errorf("after TaskStarted: got %+v, %v", got, err)
	}
}

func TestQueries_Open(t *testing.T) {
	t.Parallel()
	const url = "https://shop.example/"
	e := projtest.New(t)
	session := e.Session()
	begin := func(session string) *projtest.Task { return e.Task(session, url, "buy milk").Turn(url) }
	acting := begin(session).Act(projtest.Click("1"), button).End()
	asking := begin(session).Ask("which?") // provisional: nobody has seen it
	begin(session).Complete("done")
	begin(session).Fail("GAVE_UP", "sold out")
	begin(session).Append(task.TaskInterrupted{})
	resumed := begin(session).Append(task.TaskInterrupted{}).Turn(url).Append(task.TaskResumed{Turn: 2})
	begin(e.Session())
	e.CatchUp(tasks.Projection)
	q := tasks.Queries{DB: e.Pool}
	got, err := q.Open(t.Context(), projtest.Tenant, session)
	slices.Sort(got)
	want := []string{acting.ID, asking.ID, resumed.ID}
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("open are %v, %v, want %v", got, err, want)
	}
	if got, err := q.Open(t.Context(), "globex", session); err != nil || len(got) != 0 {
		t.Errorf("another tenant has %v, %v", got, err)
	}
}

func TestQueries_Active(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	session := e.Session()
	act := func(url string) *projtest.Task {
		return e.Task(session, url, url).Turn(url).Act(projtest.Click("1"), button)
	}
	cart := act("https://shop.example/cart/")
	help := act("https://shop.example/help?topic=1").End().Turn("https://shop.example/chat")
	act("https://shop.example/done").Complete("done")
	act("https://gone.example/").Append(task.TaskInterrupted{})
	blog := act("https://blog.example:443/post")
	waiting := e.Task(e.Session(), "https://held.example/", "held").Turn("https://held.example/").Append(held)
	otherSession := e.Task(e.Session(), "https://far.example/", "far").Turn("https://far.example/").Act(projtest.Click("1"), button)
	e.CatchUp(tasks.Projection)

	tests := []struct {
		name, session, url string
		now                time.Time
		want               *projtest.Task
	}{
		{"the same URL", session, "https://shop.example/cart", time.Now(), cart},
		{"the fragment does not matter", session, "https://SHOP.example/cart#total", time.Now(), cart},
		{"where the task was seen last", session, "https://shop.example/chat", time.Now(), help},
		{"where the task began", session, "https://shop.example/help?topic=1", time.Now(), help},
		{"the same origin: the latest on it", session, "https://shop.example/other", time.Now(), help},
		{"a default port is no other origin", session, "https://blog.example/", time.Now(), blog},
		{"another origin", session, "https://news.example/", time.Now(), nil},
		{"another scheme is another origin", session, "http://shop.example/cart", time.Now(), nil},
		{"an interrupted task does not count", session, "https://gone.example/", time.Now(), nil},
		{"without a URL the latest", session, "", time.Now(), blog},
		{"what is no URL", session, "about:blank", time.Now(), nil},
		{"another session", otherSession.Session, "https://shop.example/cart", time.Now(), nil},
		{"untouched for 29 minutes", session, "", time.Now().Add(29 * time.Minute), blog},
		{"untouched for 31 minutes", session, "", time.Now().Add(31 * time.Minute), nil},
		{"held for 31 minutes", waiting.Session, "", time.Now().Add(31 * time.Minute), waiting},
		{"a session that is no id", "s-1", "", time.Now(), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := tasks.Queries{DB: e.Pool, Now: func() time.Time { return tt.now }}
			got, err := q.Active(t.Context(), projtest.Tenant, projtest.User, tt.session, tt.url)
			switch {
			case tt.want == nil && !isNotFound(err):
				t.Errorf("got %s, %v; want TASK_NOT_FOUND", got.URL, err)
			case tt.want != nil && (err != nil || got.TaskID != tt.want.ID):
				t.Errorf("got %s, %v; want the task on %s", got.URL, err, tt.want.URL)
			}
		})
	}
	if _, err := (tasks.Queries{DB: e.Pool}).Active(t.Context(), "globex", projtest.User, session, ""); !isNotFound(err) {
		t.Errorf("another tenant: %v; want TASK_NOT_FOUND", err)
	}
}

func TestQueries_Active_OfAnArchivedSession(t *testing.T) {
	t.Parallel()
	const url = "https://a.example/"
	begin := func(e *projtest.Env, session string) *projtest.Task {
		return e.Task(session, url, "q").Turn(url).Act(projtest.Click("1"), button)
	}
	for name, given := range map[string]func(*projtest.Env, string) *projtest.Task{
		"its task": func(e *projtest.Env, session string) *projtest.Task {
			k := begin(e, session)
			e.Archive(session)
			return k
		},
		"a task that moves once more": func(e *projtest.Env, session string) *projtest.Task {
			k := begin(e, session).End()
			e.Archive(session)
			return k.Turn(url)
		},
		"a task whose first event came after it": func(e *projtest.Env, session string) *projtest.Task {
			e.Archive(session)
			return begin(e, session)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			k, other := given(e, e.Session()), begin(e, e.Session())
			e.CatchUp(tasks.Projection)
			q := tasks.Queries{DB: e.Pool}
			if got, err := q.Active(t.Context(), k.Tenant, k.User, k.Session, url); !isNotFound(err) {
				t.Errorf("got %+v, %v; want TASK_NOT_FOUND", got, err)
			}
			if got, err := q.ByID(t.Context(), k.Tenant, k.User, k.ID); err != nil || got.TaskID != k.ID {
				t.Errorf("by its id: got %+v, %v; want it still", got, err)
			}
			if got, err := q.Active(t.Context(), k.Tenant, k.User, other.Session, url); err != nil || got.TaskID != other.ID {
				t.Errorf("in another session: got %+v, %v; want its task", got, err)
			}
		})
	}
}

func TestQueries_List(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	session := e.Session()
	first := e.Task(session, "https://a.example/", "one").Turn("https://a.example/").Complete("done")
	second := e.Task(session, "https://a.example/", "two").Turn("https://a.example/").Act(projtest.Click("1"), button)
	e.CatchUp(tasks.Projection)
	tests := []struct {
		name   string
		filter tasks.Filter
		want   []string
	}{
		{"the newest comes first", tasks.Filter{Tenant: projtest.Tenant}, []string{second.ID, first.ID}},
		{"by status", tasks.Filter{Tenant: projtest.Tenant, Status: tasks.Completed}, []string{first.ID}},
		{"by session", tasks.Filter{Tenant: projtest.Tenant, Session: session, Limit: 1}, []string{second.ID}},
		{"the next page", tasks.Filter{Tenant: projtest.Tenant, User: projtest.User, Limit: 1, Offset: 1}, []string{first.ID}},
		{"another tenant", tasks.Filter{Tenant: "globex"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			views, err := tasks.Queries{DB: e.Pool}.List(t.Context(), tt.filter)
			if err != nil || len(views) != len(tt.want) {
				t.Fatalf("got %+v, %v; want %v", views, err, tt.want)
			}
			for i, v := range views {
				if v.TaskID != tt.want[i] {
					t.Errorf("%d: got %s, want %s", i, v.TaskID, tt.want[i])
				}
			}
		})
	}
}

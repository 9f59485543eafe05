package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// ListedTask is a task in the list of all of the tenant.
type ListedTask struct {
	TaskID    string     `json:"taskId" format:"uuid"`
	SessionID string     `json:"sessionId" format:"uuid"`
	UserID    string     `json:"userId"`
	Query     string     `json:"query"`
	URL       string     `json:"url" doc:"Where it began."`
	Domain    string     `json:"domain"`
	Status    string     `json:"status" enum:"active,executing,correcting,completed,failed,interrupted"`
	Code      string     `json:"code,omitempty" doc:"Why it failed."`
	Message   string     `json:"message,omitempty" doc:"The last message to the user, or the open question."`
	Steps     int        `json:"steps"`
	Corrected int        `json:"corrections"`
	StartedAt time.Time  `json:"startedAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	Paused    *HeldBy    `json:"paused,omitempty" doc:"Who holds it; absent where nobody does."`
	Revision  int64      `json:"revision" doc:"That of its newest event."`
	Spent     *TaskSpent `json:"spent,omitempty" doc:"What its model calls used and cost; absent while the sums of usage are being built."`
}

// TaskSpent is what the model calls of a task used and cost.
type TaskSpent struct {
	Calls         int64  `json:"calls"`
	OpenCalls     int64  `json:"openCalls" doc:"Without a bill yet; not in costUSD."`
	UnpricedCalls int64  `json:"unpricedCalls" doc:"Without a known price; not in costUSD."`
	InputTokens   int64  `json:"inputTokens"`
	OutputTokens  int64  `json:"outputTokens"`
	CostUSD       string `json:"costUSD" example:"0.001234" doc:"An exact decimal."`
}

// TasksData is a page of tasks, those started last first.
type TasksData struct {
	Tasks []ListedTask `json:"tasks" nullable:"false"`
	Next  string       `json:"next,omitempty" doc:"Send it as after to get the next page; absent on the last."`
}

type tasksInput struct {
	Freshness
	Status string    `query:"status" enum:"active,executing,correcting,completed,failed,interrupted,paused" doc:"Paused: those somebody holds, whatever their status."`
	Domain string    `query:"domain" maxLength:"253" doc:"The host of the page it began on, without its port."`
	Code   string    `query:"code" maxLength:"100" doc:"Why it failed, as MAX_STEPS_EXCEEDED."`
	Text   string    `query:"text" maxLength:"500" doc:"Words of its query, all of them, each from its beginning on."`
	From   time.Time `query:"from" doc:"Started at or after it."`
	To     time.Time `query:"to" doc:"Started before it."`
	Limit  int       `query:"limit" default:"50" minimum:"1" maximum:"200"`
	After  string    `query:"after" maxLength:"4000" doc:"next of the page before."`
}

// taskList is of the caller's tenant, whoever's the tasks are.
func (s *Server) taskList(ctx context.Context, in *tasksInput) (*reply[TasksData], error) {
	if err := inOrder(in.From, in.To); err != nil {
		return nil, err
	}
	f := tasks.Search{
		Tenant: caller(ctx).TenantID, Status: in.Status, Host: in.Domain, Code: in.Code, Text: in.Text, From: in.From, To: in.To, Limit: in.Limit,
	}
	var err error
	if f.After, err = TasksAfter(in.After); err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, tasks.Projection); err != nil {
		return nil, err
	}
	page, err := s.Tasks.Find(ctx, f)
	if err != nil {
		return nil, err
	}
	return ok(NewTasksData(page)), nil
}

// TasksAfter reads the place in the list that next of a page names; nil for "".
func TasksAfter(next string) (*tasks.Mark, error) {
	after, err := readCursor[*tasks.Mark]("after", next)
	if err == nil && after != nil && !domain.ValidUUID(after.TaskID) {
		err = invalid("after", "this is no place in a list; send what the page before said")
	}
	return after, err
}

// NewTasksData is a page as it is sent; the command line prints the same.
func NewTasksData(page tasks.Page) TasksData {
	d := TasksData{Tasks: make([]ListedTask, 0, len(page.Tasks))}
	for _, t := range page.Tasks {
		d.Tasks = append(d.Tasks, listedTask(t))
	}
	if page.More {
		last := page.Tasks[len(page.Tasks)-1]
		d.Next = cursor(tasks.Mark{StartedAt: last.StartedAt.UTC(), TaskID: last.TaskID})
	}
	return d
}

func listedTask(t tasks.Found) ListedTask {
	l := ListedTask{
		TaskID: t.TaskID, SessionID: t.SessionID, UserID: t.User, Query: t.Query, URL: t.URL, Domain: t.Host,
		Status: t.Status, Code: t.Code, Message: t.Message, Steps: t.Steps, Corrected: t.Corrections,
		StartedAt: t.StartedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC(), EndedAt: inUTC(t.EndedAt), Paused: heldBy(t.View), Revision: t.Revision,
	}
	if s := t.Spent; s != nil {
		l.Spent = &TaskSpent{s.Calls, s.OpenCalls, s.UnpricedCalls, s.InputTokens, s.OutputTokens, s.Cost}
	}
	return l
}

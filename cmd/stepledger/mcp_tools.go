package main

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/tasks"
)

// taskArg is an argument of the tools about one task.
type taskArg struct {
	Task string `json:"task" jsonschema:"the id of the task"`
	whichPart
}

// maxTasks bounds a page of tasks, and how many are replayed at a go.
const maxTasks = 200

type listArgs struct {
	Tenant string `json:"tenant,omitempty" jsonschema:"whose tasks, by id or name; required unless the server tells of one tenant only"`
	Status string `json:"status,omitempty" jsonschema:"active, executing, correcting, completed, failed or interrupted"`
	Domain string `json:"domain,omitempty" jsonschema:"the host of the page they began on"`
	Code   string `json:"code,omitempty" jsonschema:"why they failed, as MAX_STEPS_EXCEEDED"`
	Text   string `json:"text,omitempty" jsonschema:"words of their query, each from its beginning on"`
	From   string `json:"from,omitempty" jsonschema:"started at or after this time or day, in UTC"`
	To     string `json:"to,omitempty" jsonschema:"started before it"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many; 50 if not given, 200 at most"`
	After  string `json:"after,omitempty" jsonschema:"next of the page before"`
	whichPart
}

func (d debugger) list(ctx context.Context, in listArgs) (any, error) {
	s, err := d.search(ctx, in)
	if err != nil {
		return nil, err
	}
	page, err := tasks.Queries{DB: d.db}.Find(ctx, s)
	return api.NewTasksData(page), err
}

func (d debugger) search(ctx context.Context, in listArgs) (s tasks.Search, err error) {
	s = tasks.Search{Status: in.Status, Host: in.Domain, Code: in.Code, Text: in.Text, Limit: atMost(in.Limit, 50, maxTasks)}
	if s.Tenant, err = d.tenantNamed(ctx, in.Tenant); err != nil {
		return s, err
	}
	if s.Tenant == "" {
		return s, invalidArg("tenant", errors.New("say whose tasks"))
	}
	if s.From, err = readTime("from", in.From); err != nil {
		return s, invalidArg("from", err)
	}
	if s.To, err = readTime("to", in.To); err != nil {
		return s, invalidArg("to", err)
	}
	s.After, err = api.TasksAfter(in.After)
	return s, err
}

// atMost is a number asked for, or the usual where none is, within a bound.
func atMost(asked, usual, most int) int {
	if asked <= 0 {
		return usual
	}
	return min(asked, most)
}

type showArgs struct {
	taskArg
	Turn  int `json:"turn,omitempty" jsonschema:"this turn only"`
	From  int `json:"from,omitempty" jsonschema:"the turn to begin at"`
	Limit int `json:"limit,omitempty" jsonschema:"how many turns; 20 if not given, 200 at most"`
}

func (d debugger) show(ctx context.Context, in showArgs) (any, error) {
	tenant, err := d.of(ctx, in.Task)
	switch {
	case err != nil:
		return nil, err
	case in.Turn > 0:
		return d.history().Turn(ctx, tenant, in.Task, in.Turn)
	}
	return d.history().Turns(ctx, tenant, in.Task, in.From, in.Limit)
}

type eventsArgs struct {
	taskArg
	From       int64    `json:"from,omitempty" jsonschema:"the revision to begin at"`
	Limit      int      `json:"limit,omitempty" jsonschema:"how many; 100 if not given, 1000 at most"`
	Types      []string `json:"types,omitempty" jsonschema:"of these types, as action_verified"`
	Text       string   `json:"text,omitempty" jsonschema:"with this in one of their texts, in any case"`
	Field      string   `json:"field,omitempty" jsonschema:"with a value in a field of their data, as target/name=Save or stepIndex=3"`
	Verdict    string   `json:"verdict,omitempty" jsonschema:"verdicts of this outcome: succeeded, failed or undecided"`
	Rule       string   `json:"rule,omitempty" jsonschema:"verdicts this rule gave, and objections it made"`
	MinCost    string   `json:"minCost,omitempty" jsonschema:"of turns whose model calls cost at least so many USD"`
	Importance string   `json:"importance,omitempty" jsonschema:"at least so important: low, normal or high"`
	Turn       int      `json:"turn,omitempty" jsonschema:"of this turn"`
}

func (d debugger) findEvents(ctx context.Context, in eventsArgs) (any, error) {
	f := history.Filter{
		From: in.From, Limit: in.Limit, Types: in.Types, Text: in.Text, Verdict: reasoning.Outcome(in.Verdict), Rule: in.Rule,
		Importance: history.Importance(in.Importance), Turn: in.Turn,
	}
	var err error
	if f.Field, f.Value, err = readField(in.Field); err != nil {
		return nil, invalidArg("field", err)
	}
	if f.MinCost, err = readCost(in.MinCost); err != nil {
		return nil, invalidArg("minCost", err)
	}
	tenant, err := d.of(ctx, in.Task)
	if err != nil {
		return nil, err
	}
	found, err := d.history().Events(ctx, tenant, in.Task, f)
	return api.EventsData{TaskID: found.TaskID, Events: append([]history.Event{}, found.Events...), Head: found.Head, More: found.More}, err
}

type compareArgs struct {
	A string `json:"a" jsonschema:"a task"`
	B string `json:"b" jsonschema:"the task to put beside it"`
	whichPart
}

type graphArgs struct {
	taskArg
	Turn int `json:"turn,omitempty" jsonschema:"only what this turn's events and model calls are connected with"`
}

// addLooks adds what tells of turns and events.
func (d debugger) addLooks(s *mcp.Server) {
	addTool(d, s, "task_list", "List a tenant's tasks with their status and what they cost, newest first.", d.list)
	addTool(d, s, "task_show", "Tell a task turn by turn: page, verdicts, actions, plan, model calls and what they cost, events; or one turn.", d.show)
	addTool(d, s, "task_events", "List the events of a task, oldest first, or those with a type, text, field, verdict, rule, cost or importance.", d.findEvents)
	addTool(d, s, "task_graph", "Tell what led to what in a task: edges that events record, and edges that are inferred, each with its reason.",
		func(ctx context.Context, in graphArgs) (any, error) {
			tenant, err := d.of(ctx, in.Task)
			if err != nil {
				return nil, err
			}
			return d.history().Graph(ctx, tenant, in.Task, in.Turn)
		})
	addTool(d, s, "task_compare", "Put two tasks of a tenant side by side, turn by turn, with what differs.",
		func(ctx context.Context, in compareArgs) (any, error) {
			tenant, err := d.of(ctx, in.A)
			if err != nil {
				return nil, err
			}
			return d.history().Compare(ctx, tenant, in.A, in.B)
		})
}

package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepledger/stepledger/projections/history"
)

type atArgs struct {
	taskArg
	At string `json:"at,omitempty" jsonschema:"a revision, or a time as 2026-11-01T12:00:00Z; the newest state if not given"`
}

type diffArgs struct {
	taskArg
	From *int64 `json:"from,omitempty" jsonschema:"the revision to compare from; before the first event if not given"`
	To   *int64 `json:"to,omitempty" jsonschema:"the revision to compare to; the newest if not given"`
}

type fieldsArgs struct {
	taskArg
	Revision *int64 `json:"revision,omitempty" jsonschema:"the event to stand at; the newest if not given"`
}

type callArgs struct {
	taskArg
	Call string `json:"call" jsonschema:"the callId of the model call"`
}

type pageArgs struct {
	taskArg
	Turn int `json:"turn" jsonschema:"the turn"`
}

func (d debugger) at(ctx context.Context, in atArgs) (any, error) {
	tenant, err := d.of(ctx, in.Task)
	if err != nil {
		return nil, err
	}
	m, err := readMoment(in.At)
	if err != nil {
		return nil, invalidArg("at", err)
	}
	return m.state(ctx, d.history(), tenant, in.Task)
}

func (d debugger) diff(ctx context.Context, in diffArgs) (any, error) {
	from, err := revisionOr("from", in.From, history.Beginning)
	if err != nil {
		return nil, err
	}
	to, err := revisionOr("to", in.To, history.Latest)
	if err != nil {
		return nil, err
	}
	tenant, err := d.of(ctx, in.Task)
	if err != nil {
		return nil, err
	}
	return d.history().Diff(ctx, tenant, in.Task, from, to)
}

func (d debugger) fields(ctx context.Context, in fieldsArgs) (any, error) {
	revision, err := revisionOr("revision", in.Revision, history.Latest)
	if err != nil {
		return nil, err
	}
	tenant, err := d.of(ctx, in.Task)
	if err != nil {
		return nil, err
	}
	return d.history().FieldsAt(ctx, tenant, in.Task, revision)
}

// revisionOr is a revision that is given, or the usual.
func revisionOr(name string, given *int64, usual int64) (int64, error) {
	switch {
	case given == nil:
		return usual, nil
	case *given < 0:
		return 0, invalidArg(name, fmt.Errorf("%d is no revision: events are numbered from 0", *given))
	}
	return *given, nil
}

func (d debugger) pageText(ctx context.Context, in pageArgs) (any, error) {
	tenant, err := d.of(ctx, in.Task)
	if err != nil {
		return nil, err
	}
	p, err := d.history().Page(ctx, tenant, in.Task, in.Turn)
	if err != nil {
		return nil, err
	}
	return textOf(p)
}

// addMoments adds what tells how things stood, and what was seen and said.
func (d debugger) addMoments(s *mcp.Server) {
	addTool(d, s, "task_at", "Tell a task's state as it was right after a revision or at a time.", d.at)
	addTool(d, s, "task_diff", "Compare a task's states after two revisions: each changed field with the event that set it.", d.diff)
	addTool(d, s, "task_fields", "List the fields of a task's state, each with the event that set it.", d.fields)
	addTool(d, s, "task_call", "Tell a model call of a task with its prompt and answer, as far as they are kept.", func(ctx context.Context, in callArgs) (any, error) {
		tenant, err := d.of(ctx, in.Task)
		if err != nil {
			return nil, err
		}
		return d.history().Call(ctx, tenant, in.Task, in.Call)
	})
	addTool(d, s, "task_page_text", "Tell the page a turn began on as text, as models are shown pages, with the id of the element of the turn's action.", d.pageText)
}

package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
)

// whichTasks are arguments that choose tasks: named ones, or the newest.
type whichTasks struct {
	Tasks  []string `json:"tasks,omitempty" jsonschema:"their ids, 200 at most; the newest if not given"`
	Last   int      `json:"last,omitempty" jsonschema:"how many of the newest; 20 if not given, 200 at most"`
	Tenant string   `json:"tenant,omitempty" jsonschema:"of this tenant only, by id or name"`
	whichPart
}

type bisectArgs struct {
	Condition string `json:"condition" jsonschema:"a condition on the state, such as /consecutiveFailures >= 2 and /status = active"`
	whichTasks
}

func (d debugger) chosen(ctx context.Context, in whichTasks) ([]replay.Ref, error) {
	if len(in.Tasks) > maxTasks {
		return nil, invalidArg("tasks", fmt.Errorf("at most %d at a go", maxTasks))
	}
	return d.refs(ctx, in.Tasks, in.Tenant, atMost(in.Last, 20, maxTasks))
}

func (d debugger) batch(ctx context.Context, in whichTasks) (any, error) {
	refs, err := d.chosen(ctx, in)
	if err != nil {
		return nil, err
	}
	return d.replayAll(ctx, refs)
}

func (d debugger) bisect(ctx context.Context, in bisectArgs) (any, error) {
	condition, err := replay.ParsePredicate(in.Condition)
	if err != nil {
		return nil, err
	}
	refs, err := d.chosen(ctx, in.whichTasks)
	if err != nil {
		return nil, err
	}
	all := []replay.Found{}
	for _, r := range refs {
		found, err := d.source().Bisect(ctx, r.Tenant, r.ID, condition)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

// addReplays adds what decides recorded turns anew. It asks no model.
func (d debugger) addReplays(s *mcp.Server) {
	addTool(d, s, "task_replay", "Decide a recorded task anew from its recorded pages and answers, by today's code; the first difference of each turn is named by event and field.",
		func(ctx context.Context, in taskArg) (any, error) {
			tenant, err := d.of(ctx, in.Task)
			if err != nil {
				return nil, err
			}
			return d.replay(ctx, tenant, in.Task)
		})
	addTool(d, s, "task_batch", "Replay many tasks by today's code, rules, prompts and settings: what is decided otherwise.", d.batch)
	addTool(d, s, "task_bisect", "Find the first revision of each task at which a condition on its state holds.", d.bisect)
}

type parkedArgs struct {
	Projection string `json:"projection,omitempty" jsonschema:"of this read model only, as tasks"`
	whichPart
}

type calibrationArgs struct {
	Tenant string `json:"tenant,omitempty" jsonschema:"of this tenant only, by id or name"`
	From   string `json:"from,omitempty" jsonschema:"checks and actions made at or after this time or day, in UTC"`
	To     string `json:"to,omitempty" jsonschema:"made before it"`
	whichPart
}

func (d debugger) calibration(ctx context.Context, in calibrationArgs) (any, error) {
	tenant, err := d.tenantNamed(ctx, in.Tenant)
	if err != nil {
		return nil, err
	}
	f := calibration.Filter{Tenant: tenant}
	if f.From, err = readTime("from", in.From); err != nil {
		return nil, invalidArg("from", err)
	}
	if f.To, err = readTime("to", in.To); err != nil {
		return nil, invalidArg("to", err)
	}
	return calibration.Queries{DB: d.db}.Report(ctx, f)
}

// addReports adds what tells of more than one task.
func (d debugger) addReports(s *mcp.Server) {
	addTool(d, s, "projection_parked", "List the events that read models have put aside, and why.", func(ctx context.Context, in parkedArgs) (any, error) {
		parked, err := d.runner.Parked(ctx, projections.ParkedFilter{Projection: in.Projection, Tenant: d.tenant})
		return append([]projections.Parked{}, parked...), err
	})
	addTool(d, s, "calibration", "Compare scores of plans and confidence of actions with what happened, and tell how chains went.", d.calibration)
}

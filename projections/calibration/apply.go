package calibration

import (
	_ "embed"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = projections.Projection{
	Name:    "calibration",
	Version: 1,
	Filter: eventstore.Filter{
		Categories: []string{"task"},
		Types: []string{
			task.NamePlanChecked, task.NameActionGenerated, task.NameChainFailed, task.NameActionVerified,
			task.NameTaskCompleted, task.NameTaskFailed,
		},
	},
	Tables:   tables,
	Views:    []string{"checkpoint_score", "action_confidence"},
	Apply:    apply,
	OnPoison: projections.Park,
}

// PlanCheckpoint is the checkpoint of plans before they are carried out.
const PlanCheckpoint = "plan"

// The check before this one, which this one is a retry of.
const retried = `
	update checkpoint_score set retry_verdict = @verdict
	where task_id = @task and checkpoint = @checkpoint and turn = @turn and attempt = @attempt::integer - 1 and verdict = 'RETRY'`

// The last check that passed stands, or the last of all if none did.
const othersReplaced = `
	update checkpoint_score set stands = stands and any_passed and not @passed, any_passed = any_passed or @passed
	where task_id = @task and checkpoint = @checkpoint`

const checked = `
	insert into checkpoint_score (task_id, revision, tenant, checkpoint, turn, attempt, option, scores, overall, verdict,
		checked_by, checked_at, stands, any_passed)
	select @task, @revision, @tenant, @checkpoint, @turn, @attempt, @option, @scores, @overall, @verdict,
		@by, @at, @passed or not earlier.passed, @passed or earlier.passed
	from (
		select exists (
			select from checkpoint_score where task_id = @task and checkpoint = @checkpoint and any_passed
		) as passed
	) as earlier`

const generated = `
	insert into action_confidence (task_id, step_index, tenant, kind, confidence, decided_by, actions, generated_at)
	values (@task, @step, @tenant, @kind, @confidence, @by, @actions, @at)
	on conflict (task_id, step_index) do nothing`

const chainStopped = `
	update action_confidence set recovery = @recovery where task_id = @task and step_index = @step`

// The first decided verdict is the action's; later ones are those of its corrections.
const verified = `
	update action_confidence set verdict = @verdict
	where task_id = @task and step_index = @step and verdict in ('open', 'undecided')`

const ended = `
	with actions as (update action_confidence set ended_at = @at where task_id = @task)
	update checkpoint_score set outcome = @outcome, ended_at = @at where task_id = @task`

// queueFunc queues a statement with the event's own arguments and some more.
type queueFunc func(sql string, more pgx.NamedArgs)

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	event, err := task.Codec.Glance(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	queue := func(sql string, more pgx.NamedArgs) {
		args := pgx.NamedArgs{
			"task": projections.Subject(r.Stream), "at": r.RecordedAt, "revision": r.Revision, "tenant": r.Metadata().Tenant,
		}
		maps.Copy(args, more)
		b.Queue(sql, args)
	}
	switch e := event.(type) {
	case task.PlanChecked:
		planChecked(queue, e)
	case task.ActionGenerated:
		queue(generated, pgx.NamedArgs{
			"step": e.StepIndex, "kind": string(e.Kind), "confidence": e.Confidence, "by": e.By, "actions": max(1, len(e.Chain)),
		})
	case task.ChainPartiallyFailed:
		queue(chainStopped, pgx.NamedArgs{"step": e.StepIndex, "recovery": e.Recovery})
	case task.ActionVerified:
		queue(verified, pgx.NamedArgs{"step": e.StepIndex, "verdict": verdictOf(e)})
	case task.TaskCompleted:
		queue(ended, pgx.NamedArgs{"outcome": "completed"})
	case task.TaskFailed:
		queue(ended, pgx.NamedArgs{"outcome": "failed"})
	}
	return nil
}

func planChecked(queue queueFunc, e task.PlanChecked) {
	check := func(sql string) {
		queue(sql, pgx.NamedArgs{
			"checkpoint": PlanCheckpoint, "turn": e.Turn, "attempt": e.Attempt, "option": e.Option,
			"scores": projections.JSON(&e.Scores), "overall": e.Overall, "verdict": string(e.Verdict), "by": e.By,
			"passed": e.Verdict == plan.Pass,
		})
	}
	if e.Attempt > 1 {
		check(retried)
	}
	check(othersReplaced)
	check(checked)
}

func verdictOf(e task.ActionVerified) string {
	switch {
	case e.Undecided:
		return "undecided"
	case e.By == reasoning.ByDefault: // nothing is known of the action
		return "unjudged"
	case e.Succeeded:
		return "succeeded"
	}
	return "failed"
}

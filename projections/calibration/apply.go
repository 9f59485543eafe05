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
			task.NamePlanChecked, task.NameOutputChecked, task.NameSynthesisChecked, task.NameActionGenerated, task.NameChainFailed, task.NameActionVerified,
			task.NameTaskCompleted, task.NameTaskFailed,
		},
	},
	Tables:   tables,
	Views:    []string{"checkpoint_score", "action_confidence"},
	Apply:    apply,
	OnPoison: projections.Park,
}

// The checkpoints: of plans before they are carried out, of what sub-tasks give, and of
// the last message of a task with sub-tasks.
const (
	PlanCheckpoint      = "plan"
	OutputCheckpoint    = "output"
	SynthesisCheckpoint = "synthesis"
)

// byRules is the option of a check that rules make.
const byRules = "rules"

// The check before this one, which this one is a retry of. A plan is made anew in the same
// turn; a part may act before it gives its output again.
const retried = `
	update checkpoint_score set retry_verdict = @verdict
	where task_id = @task and checkpoint = @checkpoint and part = @part and attempt = @attempt::integer - 1 and verdict = 'RETRY'
		and (turn = @turn or checkpoint = '` + OutputCheckpoint + `')`

// The last check that passed stands, or the last of all if none did.
const othersReplaced = `
	update checkpoint_score set stands = stands and any_passed and not @passed, any_passed = any_passed or @passed
	where task_id = @task and checkpoint = @checkpoint and part = @part`

const checked = `
	insert into checkpoint_score (task_id, revision, tenant, checkpoint, part, turn, attempt, option, scores, overall, verdict,
		checked_by, checked_at, stands, any_passed)
	select @task, @revision, @tenant, @checkpoint, @part, @turn, @attempt, @option, @scores, @overall, @verdict,
		@by, @at, @passed or not earlier.passed, @passed or earlier.passed
	from (
		select exists (
			select from checkpoint_score where task_id = @task and checkpoint = @checkpoint and part = @part and any_passed
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
		check{PlanCheckpoint, 0, e.Turn, e.Attempt, e.Option, projections.JSON(&e.Scores), e.Overall, e.Verdict, e.By}.queue(queue)
	case task.SubTaskOutputChecked:
		check{OutputCheckpoint, e.Index, e.Turn, e.Attempt, byRules, nil, e.Overall, e.Verdict, e.By}.queue(queue)
	case task.SynthesisChecked:
		check{SynthesisCheckpoint, 0, e.Turn, e.Attempt, byRules, nil, e.Overall, e.Verdict, e.By}.queue(queue)
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

// check is a check at any checkpoint. Scores is nil where there is only the overall one.
type check struct {
	checkpoint    string
	part          int
	turn, attempt int
	option        string
	scores        any
	overall       float64
	verdict       plan.CheckVerdict
	by            string
}

func (c check) queue(queue queueFunc) {
	args := pgx.NamedArgs{
		"checkpoint": c.checkpoint, "part": c.part, "turn": c.turn, "attempt": c.attempt, "option": c.option,
		"scores": c.scores, "overall": c.overall, "verdict": string(c.verdict), "by": c.by, "passed": c.verdict == plan.Pass,
	}
	if c.attempt > 1 {
		queue(retried, args)
	}
	queue(othersReplaced, args)
	queue(checked, args)
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

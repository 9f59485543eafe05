package kpi

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/complexity"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = projections.Projection{
	Name:    "kpi",
	Version: 2,
	Filter: eventstore.Filter{
		Categories: []string{"task"},
		Types: []string{
			task.NameTaskStarted, task.NameContextAnalyzed, task.NameInformationChecked, task.NamePlanMade, task.NameActionGenerated,
			task.NameActionVerified, task.NameCorrectionIssued, task.NameTaskCompleted, task.NameTaskFailed, task.NameTaskInterrupted,
			task.NameTaskErased,
		},
	},
	Tables:   tables,
	Views:    []string{"tally"},
	Forgets:  []string{task.NameTaskErased},
	Apply:    apply,
	OnPoison: projections.Park,
}

// hours are those a statement counts in.
const hours = `(values (date_trunc('hour', @at::timestamptz, 'UTC')), ('epoch'::timestamptz)) as h (hour)`

// added ends a statement that inserts tallies.
const added = `
	on conflict (hour, name, label) do update set count = tally.count + excluded.count, total = tally.total + excluded.total`

const tallied = `
	insert into tally (hour, name, label, count, total)
	select hour, @name, @label, 1, @value::float8 from ` + hours + added

// The statements on a task that goes on.
const (
	begun = `
	insert into course (task_id, simple, updated_at) values (@task, @simple, @at)
	on conflict (task_id) do update set simple = excluded.simple, updated_at = excluded.updated_at`

	planned = `
	insert into course (task_id, plans, replaced, updated_at) values (@task, 1, @replaced, @at)
	on conflict (task_id) do update set plans = course.plans + 1, replaced = course.replaced + excluded.replaced, updated_at = excluded.updated_at`

	acted = `
	insert into course (task_id, steps, skilled, updated_at) values (@task, @step::integer + 1, @skilled, @at)
	on conflict (task_id) do update set steps = excluded.steps, skilled = excluded.skilled, correcting = -1, updated_at = excluded.updated_at`

	corrected = `
	insert into course (task_id, correcting, skilled, updated_at) values (@task, @step, @skilled, @at)
	on conflict (task_id) do update set correcting = excluded.correcting, skilled = excluded.skilled, updated_at = excluded.updated_at`
)

// A verdict is the action's, and also that of the correction or the skills it came from,
// the first time.
const judged = `
	with was as (
		select correcting, skilled from course where task_id = @task
	), settled as (
		update course set updated_at = @at,
			correcting = case when correcting = @step then -1 else correcting end,
			skilled = case when skilled = @step then -1 else skilled end
		where task_id = @task
	), names as (
		select '` + Verdicts + `' as name
		union all select '` + Corrections + `' from was where correcting = @step
		union all select '` + Skills + `' from was where skilled = @step
	)
	insert into tally (hour, name, label, count, total)
	select hour, name, @outcome::text, 1, 0 from names cross join ` + hours + added

const located = `
	with was as (
		select sources from course where task_id = @task
	), now as (
		insert into course (task_id, sources, updated_at) values (@task, @sources, @at)
		on conflict (task_id) do update set sources = excluded.sources, updated_at = excluded.updated_at
	)
	insert into tally (hour, name, label, count, total)
	select hour, '` + Switches + `', '', 1, 0 from was cross join ` + hours + `
	where sources <> @sources` + added

const ended = `
	with gone as (
		delete from course where task_id = @task returning *
	), facts as (
		select '` + Tasks + `' as name, @outcome::text as label
		union all select '` + Plans + `', case when replaced > 0 then '` + Replaced + `' else '` + Kept + `' end from gone where plans > 0
		union all select '` + Simple + `', case when steps > @long or plans > 0 then '` + Misjudged + `' else '` + Right + `' end from gone where simple
	)
	insert into tally (hour, name, label, count, total)
	select hour, name, label, 1, 0 from facts cross join ` + hours + added

// queueFunc queues a statement with the event's own arguments and some more.
type queueFunc func(sql string, more pgx.NamedArgs)

func (queue queueFunc) tally(name, label string, value float64) {
	queue(tallied, pgx.NamedArgs{"name": name, "label": label, "value": value})
}

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	event, err := task.Codec.Glance(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	var queue queueFunc = func(sql string, more pgx.NamedArgs) {
		args := pgx.NamedArgs{"task": projections.Subject(r.Stream), "at": r.RecordedAt}
		maps.Copy(args, more)
		b.Queue(sql, args)
	}
	switch e := event.(type) {
	case task.TaskStarted:
		queue(begun, pgx.NamedArgs{"simple": looksSimple(e.Query)})
	case task.ContextAnalyzed:
		queue.located(e.Sources, e.Confidence, e.Route)
	case task.InformationChecked:
		queue.located(e.Sources, e.Confidence, e.Route)
	case task.PlanMade:
		replaced := 0
		if reasoning.PlanCause(e.Cause).IsAnother() {
			replaced = 1
		}
		queue(planned, pgx.NamedArgs{"replaced": replaced})
	case task.ActionGenerated:
		queue.acted(e)
	case task.ActionVerified:
		if !e.Undecided && e.By != reasoning.ByDefault {
			queue(judged, pgx.NamedArgs{"step": e.StepIndex, "outcome": outcome(e.Succeeded)})
		}
	case task.CorrectionIssued:
		if e.Strategy != reasoning.GiveUp {
			queue(corrected, pgx.NamedArgs{"step": e.StepIndex, "skilled": skilledStep(e.StepIndex, e.Skills)})
		}
	case task.TaskCompleted:
		queue(ended, pgx.NamedArgs{"outcome": Completed, "long": complexity.LongSteps})
	case task.TaskFailed:
		queue(ended, pgx.NamedArgs{"outcome": Failed, "long": complexity.LongSteps})
	case task.TaskInterrupted:
		queue.tally(Tasks, Interrupted, 0)
	case task.TaskErased:
		queue(`delete from course where task_id = @task`, nil)
	}
	return nil
}

// looksSimple goes by the words alone.
func looksSimple(query string) bool {
	return query != domain.Erased && complexity.Of(query, nil, page.Page{}).Class == complexity.Simple
}

func (queue queueFunc) acted(e task.ActionGenerated) {
	label := WithoutSkill
	if len(e.Skills) > 0 {
		label = WithSkill
	}
	queue.tally(Answers, label, float64(max(1, len(e.Chain))))
	queue(acted, pgx.NamedArgs{"step": e.StepIndex, "skilled": skilledStep(e.StepIndex, e.Skills)})
}

func skilledStep(step int, skills []string) int {
	if len(skills) == 0 {
		return -1
	}
	return step
}

func outcome(succeeded bool) string {
	if succeeded {
		return Succeeded
	}
	return Failed
}

// located counts an answer about where the information is.
func (queue queueFunc) located(sources []reasoning.Source, confidence float64, route reasoning.Route) {
	queue.tally(Routes, string(route), 0)
	var named []string
	for _, s := range sources {
		if slices.Contains(reasoning.Sources, s) && !slices.Contains(named, string(s)) {
			named = append(named, string(s))
		}
	}
	if len(named) == 0 {
		return
	}
	slices.Sort(named)
	for _, source := range named {
		queue.tally(Confidence, source, confidence)
		queue.tally(ConfidenceBins, source+"|"+binOf(confidence), 0)
		if confidence < reasoning.Uncertain {
			queue.tally(LowConfidence, source, 0)
		}
	}
	queue(located, pgx.NamedArgs{"sources": strings.Join(named, ",")})
}

// binOf is the label of the first edge that is not under a value.
func binOf(value float64) string {
	for _, edge := range BinEdges {
		if value <= edge {
			return strconv.FormatFloat(edge, 'g', -1, 64)
		}
	}
	return ""
}

package skills

import (
	_ "embed"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = projections.Projection{
	Name:    "skills",
	Version: 2,
	Filter: eventstore.Filter{
		Categories: []string{"task"},
		Types: []string{
			task.NameTaskStarted, task.NameActionGenerated, task.NameActionVerified,
			task.NameCorrectionIssued, task.NameTaskCompleted, task.NameTaskFailed,
		},
	},
	Tables:   tables,
	Views:    []string{"skill"},
	Apply:    apply,
	OnPoison: projections.Park,
}

const taskStarted = `
	insert into goal (task_id, tenant, goal, goal_key)
	values (@task, @tenant, @goal, @key)
	on conflict (task_id) do nothing`

const taskEnded = `
	with g as (delete from goal where task_id = @task), l as (delete from lesson where task_id = @task)
	delete from showing where task_id = @task`

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	decode := task.Codec.Glance
	if r.Type == task.NameCorrectionIssued {
		decode = task.Codec.Decode // its before state tells the site
	}
	event, err := decode(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	queue := func(sql string, more pgx.NamedArgs) {
		args := pgx.NamedArgs{"task": projections.Subject(r.Stream), "at": r.RecordedAt}
		maps.Copy(args, more)
		b.Queue(sql, args)
	}
	switch e := event.(type) {
	case task.TaskStarted:
		if e.Query != domain.Erased { // who is forgotten teaches nothing
			queue(taskStarted, pgx.NamedArgs{"tenant": e.Tenant, "goal": e.Query, "key": goalKey(e.Query)})
		}
	case task.ActionGenerated:
		shown(queue, e.StepIndex, e.Skills)
	case task.CorrectionIssued:
		shown(queue, e.StepIndex, e.Skills)
		corrected(queue, e)
	case task.ActionVerified:
		verified(queue, e)
	case task.TaskCompleted, task.TaskFailed:
		queue(taskEnded, nil)
	}
	return nil
}

// queueFunc queues a statement with the event's own arguments and some more.
type queueFunc func(sql string, more pgx.NamedArgs)

const skillsShown = `
	insert into showing (task_id, step_index, skill_id)
	select @task, @step, unnest(@skills::uuid[])
	on conflict do nothing`

func shown(queue queueFunc, step int, skills []string) {
	var known []string
	for _, id := range skills {
		if domain.ValidUUID(id) { // a model may make one up
			known = append(known, id)
		}
	}
	if len(known) > 0 {
		queue(skillsShown, pgx.NamedArgs{"step": step, "skills": known})
	}
}

const correctionIssued = `
	insert into lesson (task_id, step_index, site, failed_action, failed_role, failed_name, failed_group,
		use_action, use_role, use_name, use_group, strategy)
	values (@task, @step, @site, @failedAction, @failedRole, @failedName, @failedGroup,
		@useAction, @useRole, @useName, @useGroup, @strategy)
	on conflict (task_id, step_index) do update set
		site = excluded.site, failed_action = excluded.failed_action, failed_role = excluded.failed_role,
		failed_name = excluded.failed_name, failed_group = excluded.failed_group, use_action = excluded.use_action,
		use_role = excluded.use_role, use_name = excluded.use_name, use_group = excluded.use_group,
		strategy = excluded.strategy`

func corrected(queue queueFunc, e task.CorrectionIssued) {
	failed, err := action.Parse(e.FailedAction)
	retry, err2 := action.Parse(e.RetryAction)
	if err != nil || err2 != nil || !teaches(e, failed, retry) {
		return
	}
	was, use := describe(failed, e.FailedTarget), describe(retry, e.RetryTarget)
	queue(correctionIssued, pgx.NamedArgs{
		"step": e.StepIndex, "site": host(e.Before.URL), "strategy": string(e.Strategy),
		"failedAction": string(failed.Name), "failedRole": was.Role, "failedName": was.Name, "failedGroup": was.Group,
		"useAction": string(retry.Name), "useRole": use.Role, "useName": use.Name, "useGroup": use.Group,
	})
}

// teaches: waiting longer, or the same thing again, is no other way of doing it.
func teaches(e task.CorrectionIssued, failed, retry action.Action) bool {
	switch e.Strategy {
	case reasoning.RetryWithDelay, reasoning.GiveUp:
		return false
	}
	same := failed.Name == retry.Name && e.FailedTarget.Target == e.RetryTarget.Target
	return retry.Name != action.Wait && !retry.EndsTask() && !same && host(e.Before.URL) != ""
}

// describe is an action's element in words. Of secret fields nothing is kept;
// a key is its own name.
func describe(a action.Action, t task.Target) reasoning.Target {
	switch {
	case t.Secret:
		return reasoning.Target{}
	case a.Name == action.Press:
		return reasoning.Target{Role: "key", Name: a.Text}
	}
	return t.Target
}

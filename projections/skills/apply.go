package skills

import (
	"cmp"
	_ "embed"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = bounded(MaxPerTenant)

// bounded is the read model with at most so many skills a tenant.
func bounded(most int) projections.Projection {
	return projections.Projection{
		Name:    "skills",
		Version: 5,
		Filter: eventstore.Filter{
			Categories: []string{"task"},
			Types: []string{
				task.NamePageObserved, task.NameTurnEnded, task.NameTaskStarted, task.NameActionGenerated, task.NameActionVerified,
				task.NameCorrectionIssued, task.NameTaskCompleted, task.NameTaskFailed, task.NameTaskErased,
			},
		},
		Tables: tables,
		Views:  []string{"skill"},
		Apply: func(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
			return apply(b, r, s, most)
		},
		Forgets:  []string{task.NameTaskErased},
		OnPoison: projections.Park,
	}
}

// queueFunc queues a statement with the event's own arguments and some more.
type queueFunc func(sql string, more pgx.NamedArgs)

const taskStarted = `
	insert into goal (task_id, tenant, goal, goal_key, goal_words)
	values (@task, @tenant, @goal, @key, array_to_tsvector(@words::text[]))
	on conflict (task_id) do nothing`

const taskEnded = `
	with g as (delete from goal where task_id = @task), f as (delete from failed where task_id = @task),
		l as (delete from lesson where task_id = @task)
	delete from showing where task_id = @task`

// What an erased task taught is forgotten. What it did to the counts of other tasks'
// skills stays until the next rebuild, which counts without it.
const taughtNothing = `
	delete from skill where task_id = @task`

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer, most int) error {
	decode := task.Codec.Glance
	if r.Type == task.NameCorrectionIssued {
		decode = task.Codec.Decode // its before state tells the site
	}
	event, err := decode(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	secrets := task.SecretsOf(event)
	event = task.RedactForReaders(event, secret.New(secrets...))
	queue := func(sql string, more pgx.NamedArgs) {
		args := pgx.NamedArgs{"task": projections.Subject(r.Stream), "at": r.RecordedAt, "kept": KeptFor.Seconds()}
		maps.Copy(args, more)
		b.Queue(sql, args)
	}
	switch e := event.(type) {
	case task.TaskStarted:
		started(queue, e)
	case task.ActionGenerated:
		shown(queue, e.StepIndex, e.Skills, e.Action, e.Target)
	case task.CorrectionIssued:
		shown(queue, e.StepIndex, e.Skills, e.RetryAction, e.RetryTarget)
		corrected(queue, e)
	case task.ActionVerified:
		verified(queue, e, most)
	case task.TaskCompleted, task.TaskFailed:
		queue(taskEnded, nil)
	case task.TaskErased:
		queue(taskEnded, nil)
		queue(taughtNothing, nil)
	}
	if len(secrets) > 0 {
		conceal(b, secret.New(secrets...), projections.Subject(r.Stream))
	}
	return nil
}

func started(queue queueFunc, e task.TaskStarted) {
	if e.Query == domain.Erased { // who is forgotten teaches nothing
		return
	}
	queue(taskStarted, pgx.NamedArgs{
		"tenant": e.Tenant, "goal": cut(e.Query, maxGoal), "key": goalKey(e.Query), "words": goalWords(e.Query),
	})
}

// A skill that was forgotten meanwhile is shown no more, whether its row is
// still there or not.
const skillsShown = `
	with s as (
		update skill set shown = shown + 1
		from goal g
		where g.task_id = @task and g.tenant = skill.tenant and skill_id = any(@skills::uuid[]) and ` + usedLately + `
		returning skill_id,
			use_action = @action and use_role = @role and use_name = @name and @group in (use_group, '') as followed,
			failed_action = @action and failed_role = @role and failed_name = @name and @group in (failed_group, '') as ignored
	)
	insert into showing (task_id, step_index, skill_id, followed)
	select @task, @step, skill_id, followed from s where followed or ignored
	on conflict (task_id, step_index, skill_id) do update set followed = excluded.followed`

// usedLately selects skills used within the time they are kept. The time is the
// event's, so that a rebuild gives the same.
const usedLately = `last_used > @at::timestamptz - make_interval(secs => @kept::float8)`

func shown(queue queueFunc, step int, skills []string, text string, on task.Target) {
	var known []string
	for _, id := range skills {
		if domain.ValidUUID(id) {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		return
	}
	a, err := action.Parse(text)
	to, ok := nameable(a, on)
	if err != nil || !ok {
		to = reasoning.Target{Role: "?"} // which no skill has
	}
	queue(skillsShown, pgx.NamedArgs{
		"step": step, "skills": known, "action": string(a.Name), "role": to.Role, "name": to.Name, "group": to.Group,
	})
}

const actionFailed = `
	insert into failed (task_id, step_index, attempt, site, failed_action, failed_role, failed_name, failed_group, error_type)
	values (@task, @step, @attempt, @site, @action, @role, @name, @group, @error)
	on conflict (task_id, step_index, attempt) do nothing`

const correctionIssued = `
	insert into lesson (task_id, step_index, site, use_action, use_role, use_name, use_group, strategy)
	values (@task, @step, @site, @action, @role, @name, @group, @strategy)
	on conflict (task_id, step_index) do update set
		site = excluded.site, use_action = excluded.use_action, use_role = excluded.use_role,
		use_name = excluded.use_name, use_group = excluded.use_group, strategy = excluded.strategy`

func corrected(queue queueFunc, e task.CorrectionIssued) {
	site := host(e.Before.URL)
	if site == "" || reasoning.IsOutage(e.ErrorType) { // that the server was down says nothing of the control
		return
	}
	note := func(sql, text string, on task.Target, more pgx.NamedArgs) {
		a, err := action.Parse(text)
		to, ok := nameable(a, on)
		if err != nil || !ok {
			return
		}
		args := pgx.NamedArgs{
			"step": e.StepIndex, "site": site, "action": string(a.Name), "role": to.Role, "name": to.Name, "group": to.Group,
		}
		maps.Copy(args, more)
		queue(sql, args)
	}
	if e.Strategy == reasoning.RetryWithDelay { // what works after a wait may be what was waited for
		queue(failuresOver, pgx.NamedArgs{"step": e.StepIndex})
		return
	}
	note(actionFailed, e.FailedAction, e.FailedTarget, pgx.NamedArgs{
		"attempt": e.Attempt, "error": cmp.Or(e.ErrorType, reasoning.VerificationFailed),
	})
	if !e.Clears && e.Strategy != reasoning.GiveUp {
		note(correctionIssued, e.RetryAction, e.RetryTarget, pgx.NamedArgs{"strategy": string(e.Strategy)})
	}
}

// nameable returns an action's target in words. ok is false if there is nothing to
// teach: waits, elements without a name, and secret fields.
func nameable(a action.Action, on task.Target) (to reasoning.Target, ok bool) {
	to = reasoning.Described(a, on.Target)
	switch a.Name {
	case "", action.Wait, action.Scroll, action.Finish, action.Fail, action.VerifySuccess, action.GoogleSearch, action.Find, action.More:
		return to, false
	case action.Click, action.SetValue, action.Hover:
		return to, to.Name != "" && !on.Secret
	}
	return to, !on.Secret
}

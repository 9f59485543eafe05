package skills

import (
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// A skill's id is made of all that it says, so that the same lesson is the same
// skill, also after a rebuild. One that was shown for the step already counts
// as shown.
const lessonLearnt = `
	insert into skill (skill_id, tenant, site, goal, goal_key, failed_action, failed_role, failed_name, failed_group,
		use_action, use_role, use_name, use_group, strategy, last_used, created_at, task_id)
	select
		md5(jsonb_build_array(g.tenant, l.site, g.goal_key, l.failed_action, l.failed_role, l.failed_name,
			l.failed_group, l.use_action, l.use_role, l.use_name, l.use_group)::text)::uuid,
		g.tenant, l.site, g.goal, g.goal_key, l.failed_action, l.failed_role, l.failed_name, l.failed_group,
		l.use_action, l.use_role, l.use_name, l.use_group, l.strategy, @at, @at, @task
	from lesson l join goal g on g.task_id = l.task_id
	where l.task_id = @task and l.step_index = @step
	on conflict (skill_id) do update set successes = skill.successes + 1, last_used = excluded.last_used
	where not exists (
		select from showing s
		where s.task_id = @task and s.step_index = @step and s.skill_id = skill.skill_id)`

// Where a lesson was learnt, the tenant's library is kept within its bounds:
// what nobody used for long goes, and beyond the maximum what has helped least
// and longest ago; the lesson itself gets its chance. Time is the event's, so
// that a rebuild forgets the same.
const libraryBounded = `
	with t as (
		select g.tenant from goal g join lesson l on l.task_id = g.task_id
		where l.task_id = @task and l.step_index = @step
	), ranked as (
		select skill_id, last_used, row_number() over (
			order by last_used = @at desc, (successes + 1.0) / (successes + failures + 2.0)
				* power(0.5, extract(epoch from @at::timestamptz - last_used)::float8 / @half::float8) desc,
			skill_id) as place
		from skill where tenant = (select tenant from t)
	)
	delete from skill using ranked
	where skill.skill_id = ranked.skill_id
		and (ranked.place > @most or ranked.last_used <= @at::timestamptz - make_interval(secs => @kept::float8))`

const showingsResolved = `
	with s as (
		delete from showing where task_id = @task and step_index = @step returning skill_id
	)
	update skill set successes = successes + @won, failures = failures + 1 - @won, last_used = @at
	from s, goal g
	where skill.skill_id = s.skill_id and g.task_id = @task and g.tenant = skill.tenant`

const lessonOver = `
	delete from lesson where task_id = @task and step_index = @step`

const showingsOver = `
	delete from showing where task_id = @task and step_index = @step`

func verified(queue queueFunc, e task.ActionVerified) {
	step := pgx.NamedArgs{"step": e.StepIndex}
	if e.By == reasoning.ByDefault { // nothing is known of the action, so nothing is learnt
		queue(showingsOver, step)
		queue(lessonOver, step)
		return
	}
	won := 0
	if e.Succeeded {
		won = 1
		queue(lessonLearnt, step)
		queue(libraryBounded, pgx.NamedArgs{
			"step": e.StepIndex, "most": MaxPerTenant, "kept": KeptFor.Seconds(), "half": halfLife.Seconds(),
		})
	}
	queue(showingsResolved, pgx.NamedArgs{"step": e.StepIndex, "won": won})
	queue(lessonOver, step)
}

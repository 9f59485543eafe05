package skills

import (
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// Each action that failed in the step and the one that worked make a skill. One
// that says so already, for a goal like this, is it; else the id is made of all
// that the skill says, so that it is the same after a rebuild. One that was
// followed in this step has its success counted as that.
var lessonLearnt = `
	with l as (
		select distinct on (failed_action, failed_role, failed_name, failed_group)
			g.tenant, g.goal, g.goal_key, g.goal_words, l.*, f.attempt, f.failed_action, f.failed_role, f.failed_name,
			f.failed_group, f.error_type
		from lesson l join goal g using (task_id) join failed f using (task_id, step_index, site)
		where l.task_id = @task and l.step_index = @step
			and (use_action, use_role, use_name, use_group) <> (failed_action, failed_role, failed_name, failed_group)
		order by failed_action, failed_role, failed_name, failed_group, f.attempt desc
	), same as (
		select distinct on (attempt) attempt, skill_id
		from (
			select l.attempt, s.*, l.goal_key as other_key, ` + shared("s.goal_words", "tsvector_to_array(l.goal_words)") + ` as shared
			from l join skill s using (tenant, site, failed_action, failed_role, failed_name, failed_group,
				use_action, use_role, use_name, use_group)
		) as s, lateral (select ` + alike("goal_key", "other_key") + ` as alike) as a
		where ` + usedLately + ` and alike >= @alike::float8
		order by attempt, alike desc, skill_id
	)
	insert into skill (skill_id, tenant, site, goal, goal_key, goal_words, failed_action, failed_role, failed_name, failed_group,
		error_type, use_action, use_role, use_name, use_group, strategy, last_used, created_at, task_id)
	select
		coalesce(same.skill_id, md5(jsonb_build_array(tenant, site, goal_key, failed_action, failed_role, failed_name,
			failed_group, use_action, use_role, use_name, use_group)::text)::uuid),
		tenant, site, goal, goal_key, goal_words, failed_action, failed_role, failed_name, failed_group,
		error_type, use_action, use_role, use_name, use_group, strategy, @at, @at, @task
	from l left join same using (attempt)
	on conflict (skill_id) do update set
		error_type = excluded.error_type, strategy = excluded.strategy, last_used = excluded.last_used,
		successes = skill.successes + case when exists (
			select from showing s
			where s.task_id = @task and s.step_index = @step and s.skill_id = skill.skill_id and s.followed
		) then 0 else 1 end`

// A skill that was forgotten is none: what is learnt begins anew, whether the
// row is still there or not.
const forgottenGone = `
	delete from skill using goal g
	where g.task_id = @task and skill.tenant = g.tenant and not ` + usedLately + `
		and exists (select from lesson l where l.task_id = @task and l.step_index = @step)`

// Beyond the maximum what has helped least and longest ago leaves; the lesson
// itself gets its chance.
const libraryBounded = `
	delete from skill where skill_id in (
		select s.skill_id
		from goal g join lesson l using (task_id) join skill s using (tenant)
		where g.task_id = @task and l.step_index = @step
		order by s.last_used = @at desc, ` + usefulness + ` desc, s.skill_id
		offset @most
	)`

// What was followed has worked or failed. What was warned of and worked all the
// same makes the skill out of date, which is a failure of it; that it failed
// says nothing of the action the skill has instead.
const showingsResolved = `
	with s as (
		delete from showing where task_id = @task and step_index = @step returning skill_id, followed
	)
	update skill set
		successes = successes + case when followed and @won then 1 else 0 end,
		failures = failures + case when followed <> @won then 1 else 0 end,
		last_used = case when followed then @at else last_used end
	from s, goal g
	where skill.skill_id = s.skill_id and g.task_id = @task and g.tenant = skill.tenant and ` + usedLately

const showingsOver = `
	delete from showing where task_id = @task and step_index = @step`

const lessonOver = `
	delete from lesson where task_id = @task and step_index = @step`

const failuresOver = `
	delete from failed where task_id = @task and step_index = @step`

func verified(queue queueFunc, e task.ActionVerified, most int) {
	do := func(statements ...string) {
		for _, sql := range statements {
			queue(sql, pgx.NamedArgs{
				"step": e.StepIndex, "won": e.Succeeded, "most": most,
				"alike": MinSimilarity, "contained": MinContained, "half": halfLife.Seconds(),
			})
		}
	}
	switch {
	case e.Undecided: // another verdict may follow; what is never decided teaches nothing
	case e.By == reasoning.ByDefault: // nothing is known of the action, so nothing is learnt
		do(showingsOver, lessonOver, failuresOver)
	case e.Succeeded:
		do(forgottenGone, lessonLearnt, libraryBounded, showingsResolved, lessonOver, failuresOver)
	default:
		do(showingsResolved, lessonOver)
	}
}

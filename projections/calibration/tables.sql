-- A check of something the agent made before it is used: a plan, the output of a
-- sub-task, the last message of a task with sub-tasks.
create table checkpoint_score (
	task_id       uuid        not null,
	-- revision is that of the event in the task's stream.
	revision      bigint      not null,
	tenant        text        not null,
	checkpoint    text        not null,
	-- part is the index of the sub-task whose output it is; 0 for anything else.
	part          integer     not null,
	turn          integer     not null,
	attempt       integer     not null,
	option        text        not null,
	-- scores are null where there is only the overall one.
	scores        jsonb,
	overall       float8      not null,
	verdict       text        not null,
	checked_by    text        not null,
	checked_at    timestamptz not null,
	-- retry_verdict is the verdict on what was made anew after this one: PASS, RETRY,
	-- FAIL, or '' if nothing was.
	retry_verdict text        not null default '',
	-- stands: the task went by this check, not by another of the same checkpoint.
	stands        boolean     not null,
	-- any_passed: a check of the task at this checkpoint passed, before or after.
	any_passed    boolean     not null,
	-- outcome of the task: open, completed, failed.
	outcome       text        not null default 'open',
	ended_at      timestamptz,
	primary key (task_id, revision)
);

create index on checkpoint_score (tenant, checked_at);
create index on checkpoint_score (checked_at);
create index on checkpoint_score ((coalesce(ended_at, checked_at)));

-- An action, or a chain of actions, with how sure whoever decided it was.
create table action_confidence (
	task_id      uuid        not null,
	step_index   integer     not null,
	tenant       text        not null,
	kind         text        not null,
	confidence   float8      not null,
	decided_by   text        not null,
	-- actions is more than 1 for a chain.
	actions      integer     not null,
	generated_at timestamptz not null,
	-- verdict: open, undecided (another may follow), unjudged, succeeded, failed.
	verdict      text        not null default 'open',
	-- recovery is how a chain that stopped goes on; '' if it did not stop.
	recovery     text        not null default '',
	ended_at     timestamptz,
	primary key (task_id, step_index)
);

create index on action_confidence (tenant, generated_at);
create index on action_confidence (generated_at) where actions > 1;
create index on action_confidence ((coalesce(ended_at, generated_at)));

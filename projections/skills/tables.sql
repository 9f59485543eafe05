create table skill (
	skill_id      uuid        primary key,
	tenant        text        not null,
	site          text        not null,
	goal          text        not null,
	goal_key      text        not null,
	failed_action text        not null,
	failed_role   text        not null,
	failed_name   text        not null,
	failed_group  text        not null,
	use_action    text        not null,
	use_role      text        not null,
	use_name      text        not null,
	use_group     text        not null,
	strategy      text        not null,
	successes     integer     not null default 1,
	failures      integer     not null default 0,
	last_used     timestamptz not null,
	created_at    timestamptz not null,
	task_id       uuid        not null,
	error_type    text        not null default 'VERIFICATION_FAILED',
	goal_words    tsvector    not null default '',
	shown         integer     not null default 0
);

create index on skill (tenant, site, last_used);
create index on skill (last_used);

-- What a task is for.
create table goal (
	task_id    uuid     primary key,
	tenant     text     not null,
	goal       text     not null,
	goal_key   text     not null,
	goal_words tsvector not null
);

-- The actions that failed in a step which is not over yet.
create table failed (
	task_id       uuid    not null,
	step_index    integer not null,
	attempt       integer not null,
	site          text    not null,
	failed_action text    not null,
	failed_role   text    not null,
	failed_name   text    not null,
	failed_group  text    not null,
	error_type    text    not null,
	primary key (task_id, step_index, attempt)
);

-- The correction of a step that waits for its verdict.
create table lesson (
	task_id    uuid    not null,
	step_index integer not null,
	site       text    not null,
	use_action text    not null,
	use_role   text    not null,
	use_name   text    not null,
	use_group  text    not null,
	strategy   text    not null,
	primary key (task_id, step_index)
);

-- Skills shown for an action that waits for its verdict, as far as the action
-- tells something of them: it follows the skill, or is the one the skill warns of.
create table showing (
	task_id    uuid    not null,
	step_index integer not null,
	skill_id   uuid    not null,
	followed   boolean not null,
	primary key (task_id, step_index, skill_id)
);

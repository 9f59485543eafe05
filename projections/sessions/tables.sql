create table session (
	session_id    uuid        primary key,
	tenant        text        not null,
	user_id       text        not null,
	visible       boolean     not null default false,
	archived      boolean     not null default false,
	status        text        not null default 'active',
	url           text        not null default '',
	initial_query text        not null default '',
	-- next_sequence is the number of visible messages as well, with those erased.
	next_sequence integer     not null default 0,
	created_at    timestamptz not null,
	updated_at    timestamptz not null,
	-- whose query and address it shows; null until a task is visible.
	initial_task  uuid,
	-- visible messages that were erased; their numbers are not given again.
	erased        integer     not null default 0
);

create index on session (tenant, user_id, updated_at desc) where visible;

-- What a message needs to know of its task.
create table session_task (
	task_id    uuid    primary key,
	session_id uuid    not null,
	tenant     text    not null,
	user_id    text    not null,
	visible    boolean not null default false,
	status     text    not null default 'active'
);

create index on session_task (session_id);

create table message (
	message_id     uuid        primary key,
	session_id     uuid        not null,
	task_id        uuid        not null,
	turn           integer     not null,
	step_index     integer,
	role           text        not null,
	content        text        not null,
	action_payload jsonb,
	action_string  text        not null default '',
	status         text        not null default '',
	error          jsonb,
	dom_summary    text        not null default '',
	model          text,
	timestamp      timestamptz not null,
	position       bigint      not null,
	-- sequence is null while the task is not visible.
	sequence       integer
);

create unique index on message (session_id, sequence);
create index on message (task_id, position);

-- What a turn took: time, and the tokens of its model calls.
create table turn (
	task_id           uuid    not null,
	turn              integer not null,
	began_at          timestamptz,
	ended_at          timestamptz,
	calls             integer not null default 0,
	prompt_tokens     bigint  not null default 0,
	completion_tokens bigint  not null default 0,
	primary key (task_id, turn)
);

create table turn_call (
	call_id text    primary key,
	task_id uuid    not null,
	turn    integer not null
);

create index on turn_call (task_id);

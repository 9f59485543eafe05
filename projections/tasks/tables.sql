create table task (
	task_id            uuid        primary key,
	tenant             text        not null,
	user_id            text        not null,
	session_id         uuid        not null,
	visible            boolean     not null default false,
	status             text        not null default 'active',
	query              text        not null,
	url                text        not null,
	url_key            text        not null,
	url_origin         text        not null,
	page_url           text        not null,
	page_key           text        not null,
	page_origin        text        not null,
	current_step_index integer     not null default 0,
	steps              integer     not null default 0,
	corrections        integer     not null default 0,
	message            text        not null default '',
	code               text        not null default '',
	created_at         timestamptz not null,
	updated_at         timestamptz not null,
	ended_at           timestamptz,
	revision           bigint      not null,
	position           bigint      not null,
	-- since when readers see it; null before.
	started_at         timestamptz,
	-- of the page it began on, in lower case; '' for an address without one.
	host               text        not null default '',
	-- who holds it, how (pause, takeover) and since when; null while nobody does.
	paused_kind        text,
	paused_by          text,
	paused_at          timestamptz
);

create index on task (tenant, user_id, session_id, updated_at desc) where visible;
create index on task (tenant, updated_at desc) where visible;
create index on task (updated_at) where visible and status in ('active', 'executing', 'correcting');
create index on task (session_id) where status in ('active', 'executing', 'correcting');

-- For the list of all tasks of a tenant, newest first, whole or narrowed: a page of it
-- is read from an index, however many tasks there are. Completed is what most tasks
-- are: of them the first index finds a page as fast.
create index on task (tenant, started_at, task_id) where visible;
create index on task (tenant, host, started_at, task_id) where visible;
create index on task (tenant, status, started_at, task_id) where visible and status <> 'completed';
create index on task (tenant, code, started_at, task_id) where visible and code <> '';
create index on task (tenant, started_at, task_id) where visible and paused_at is not null;
create index on task using gin (to_tsvector('simple', left(query, 20000))) where visible;

-- Sessions whose tasks are not to be gone on with.
create table archived_session (
	session_id  uuid        primary key,
	archived_at timestamptz not null
);

create index on archived_session (archived_at);

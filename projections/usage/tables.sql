-- A row is a call with its bill, corrections included. It is in the partition of
-- the month (UTC) in which the call started, and final until it is corrected.
create table fact (
	call_id        text           not null,
	tenant         text           not null,
	user_id        text           not null,
	session_id     text           not null,
	task_id        text           not null,
	turn           integer        not null,
	request        text           not null,
	purpose        text           not null,
	role           text           not null,
	provider       text           not null,
	model          text           not null,
	attempt        integer        not null,
	subject        text           not null,
	instance       text           not null,
	prompt_name    text           not null,
	prompt_hash    text           not null,
	prompt_ref     text           not null,
	answer_ref     text           not null,
	state          text           not null,
	outcome        text           not null,
	duration_ms    bigint         not null,
	late           boolean        not null,
	usage_missing  boolean        not null,
	total_matches  boolean        not null,
	raw_usage      json,
	response_model text           not null,
	response_id    text           not null,
	input_uncached bigint         not null,
	input_cached   bigint         not null,
	input_tool     bigint         not null,
	input_audio    bigint         not null,
	output         bigint         not null,
	thinking       bigint         not null,
	-- cost is null while open, and where nobody knows the price.
	cost           numeric(24,12),
	cost_status    text           not null,
	price_version  text           not null,
	estimated_cost numeric(24,12),
	corrections    integer        not null,
	started_at     timestamptz    not null,
	ended_at       timestamptz,
	position       bigint         not null,
	-- by meter, as the event has them; null where none were applied.
	unit_prices    json,
	service_tier   text           not null,
	-- why the call was billed by estimate.
	settled_why    text           not null,
	-- of the event that was the first bill; 0 while open.
	billed_at_position bigint     not null,
	check (state <> 'open')
) partition by range (started_at);

create index on fact (tenant, started_at);
create index on fact (subject);
create index on fact (tenant, started_at) where cost_status = 'unpriced';

-- Calls without a bill, by the same columns. One leaves when it gets its bill.
create table open_call (like fact, primary key (call_id), check (state = 'open'));
create index on open_call (started_at);

create view call as
	select * from fact
	union all
	select * from open_call;

-- A row is one correction of a call: what its bill was before, and the difference;
-- of prices and status, what they are after it.
create table call_correction (
	call_id             text           not null,
	tenant              text           not null,
	started_at          timestamptz    not null,
	number              integer        not null, -- of the call's corrections, from 1
	position            bigint         not null,
	corrected_at        timestamptz    not null,
	why                 text           not null,
	late                boolean        not null, -- the provider's own numbers, come after the estimate
	input_uncached      bigint         not null,
	input_cached        bigint         not null,
	input_tool          bigint         not null,
	input_audio         bigint         not null,
	output              bigint         not null,
	thinking            bigint         not null,
	-- null where the cost is unknown after it; all of it where it was before.
	cost                numeric(24,12),
	cost_status         text           not null,
	price_version       text           not null,
	unit_prices         json,
	input_uncached_before bigint       not null,
	input_cached_before bigint         not null,
	input_tool_before   bigint         not null,
	input_audio_before  bigint         not null,
	output_before       bigint         not null,
	thinking_before     bigint         not null,
	cost_before         numeric(24,12),
	cost_status_before  text           not null,
	price_version_before text          not null,
	unit_prices_before  json,
	primary key (call_id, number)
);

create index on call_correction (tenant, started_at);

-- Sums of calls by the quarter of an hour in which they started: the days and
-- months of every time zone there is are made of whole quarters. call_rollup has
-- every dimension; the others are its sums for those who ask less: by task, by
-- model, and by none. call_rollup_day has whole days of UTC.
create table call_rollup (
	tenant           text        not null collate "C",
	quarter          timestamptz not null,
	task_id          text        not null collate "C",
	session_id       text        not null collate "C",
	user_id          text        not null collate "C",
	provider         text        not null collate "C",
	model            text        not null collate "C",
	purpose          text        not null collate "C",
	calls            bigint      not null,
	open_calls       bigint      not null,
	estimated_calls  bigint      not null,
	unpriced_calls   bigint      not null,
	mismatched_calls bigint      not null,
	input_uncached   bigint      not null,
	input_cached     bigint      not null,
	input_tool       bigint      not null,
	input_audio      bigint      not null,
	output           bigint      not null,
	thinking         bigint      not null,
	cost             numeric(24,12) not null -- of the priced calls
) partition by range (quarter);

create index on call_rollup (tenant, task_id, quarter);

create table call_rollup_task (
	tenant           text        not null collate "C",
	quarter          timestamptz not null,
	task_id          text        not null collate "C",
	session_id       text        not null collate "C",
	user_id          text        not null collate "C",
	calls            bigint      not null,
	open_calls       bigint      not null,
	estimated_calls  bigint      not null,
	unpriced_calls   bigint      not null,
	mismatched_calls bigint      not null,
	input_uncached   bigint      not null,
	input_cached     bigint      not null,
	input_tool       bigint      not null,
	input_audio      bigint      not null,
	output           bigint      not null,
	thinking         bigint      not null,
	cost             numeric(24,12) not null,
	primary key (tenant, task_id, user_id, session_id, quarter)
) partition by range (quarter);

create table call_rollup_model (
	tenant           text        not null collate "C",
	quarter          timestamptz not null,
	provider         text        not null collate "C",
	model            text        not null collate "C",
	purpose          text        not null collate "C",
	calls            bigint      not null,
	open_calls       bigint      not null,
	estimated_calls  bigint      not null,
	unpriced_calls   bigint      not null,
	mismatched_calls bigint      not null,
	input_uncached   bigint      not null,
	input_cached     bigint      not null,
	input_tool       bigint      not null,
	input_audio      bigint      not null,
	output           bigint      not null,
	thinking         bigint      not null,
	cost             numeric(24,12) not null,
	primary key (tenant, quarter, purpose, model, provider)
);

create table call_rollup_quarter (
	tenant           text        not null collate "C",
	quarter          timestamptz not null,
	calls            bigint      not null,
	open_calls       bigint      not null,
	estimated_calls  bigint      not null,
	unpriced_calls   bigint      not null,
	mismatched_calls bigint      not null,
	input_uncached   bigint      not null,
	input_cached     bigint      not null,
	input_tool       bigint      not null,
	input_audio      bigint      not null,
	output           bigint      not null,
	thinking         bigint      not null,
	cost             numeric(24,12) not null,
	primary key (tenant, quarter)
);

create table call_rollup_day (like call_rollup_quarter including indexes);

-- Other sums of a page come to the same rows again and again: room for them beside
-- the old ones spares the indexes.
alter table call_rollup_quarter set (fillfactor = 50);
alter table call_rollup_day set (fillfactor = 50);
alter table call_rollup_model set (fillfactor = 50);

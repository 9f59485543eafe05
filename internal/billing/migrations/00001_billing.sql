-- +goose Up
-- Prices and budgets. What was used and what it cost is in the log; this is what
-- has to be known, or decided, before a call is made.

-- +goose StatementBegin
create function billing.refuse_change() returns trigger language plpgsql as $$
begin
	raise exception 'rows of billing.% are added, never changed', tg_table_name;
end $$;
-- +goose StatementEnd

-- The price book. A row without an end holds until the next one of the same
-- provider, model and service tier begins; one that another replaces counts no
-- more. Rates are USD per token; null is not known, zero is free.
create table billing.price (
	seq          bigint         generated always as identity primary key,
	version      text           not null unique check (version <> ''),
	provider     text           not null check (provider <> ''),
	model        text           not null check (model <> ''),
	service_tier text           not null default '',
	aliases      text[]         not null default '{}',
	input        numeric(24,12) check (input >= 0),
	cached       numeric(24,12) check (cached >= 0),
	audio        numeric(24,12) check (audio >= 0),
	output       numeric(24,12) check (output >= 0),
	-- has_long: prompts above 200,000 tokens have rates of their own
	has_long     boolean        not null default false,
	long_input   numeric(24,12) check (long_input >= 0),
	long_cached  numeric(24,12) check (long_cached >= 0),
	long_audio   numeric(24,12) check (long_audio >= 0),
	long_output  numeric(24,12) check (long_output >= 0),
	valid_from   timestamptz    not null,
	valid_to     timestamptz    check (valid_from < valid_to),
	retires      timestamptz,
	source       text           not null,
	replaces     text           unique references billing.price (version),
	added_at     timestamptz    not null default now()
);
create trigger price_is_append_only before update or delete on billing.price
	for each row execute function billing.refuse_change();

-- Where a tenant's months begin. A tenant without a row has UTC.
create table billing.tenant (
	tenant    text primary key,
	time_zone text not null default 'UTC'
);

-- What a tenant may spend in a month, from a month on; null is no limit. The row
-- with the greatest (from_month, id) up to a month holds for it.
create table billing.budget (
	id         bigint         generated always as identity primary key,
	tenant     text           not null,
	from_month date           not null check (extract(day from from_month) = 1),
	amount     numeric(24,12) check (amount >= 0),
	-- percentages at which somebody is told, once each
	warn_at    integer[]      not null default '{50,80,100}',
	set_at     timestamptz    not null default now()
);
create index budget_tenant on billing.budget (tenant, from_month, id);
create trigger budget_is_append_only before update or delete on billing.budget
	for each row execute function billing.refuse_change();

-- How a tenant's month stands: what is set aside for calls under way, and the
-- bills so far. One row is what makes a reservation atomic.
create table billing.month (
	tenant text           not null,
	month  date           not null,
	held   numeric(24,12) not null default 0,
	spent  numeric(24,12) not null default 0,
	primary key (tenant, month)
) with (fillfactor = 50);

-- What each call has in its month: the reservation while cost is null, then the
-- bill. unsure_since is set while the ledger may know more.
create table billing.booking (
	call         uuid           primary key,
	tenant       text           not null,
	month        date           not null,
	subject      text           not null,
	reserved     numeric(24,12) not null,
	cost         numeric(24,12),
	-- of the ledger the bill was read from; -1 before there is one
	revision     bigint         not null default -1,
	unsure_since timestamptz    default now()
);
create index booking_unsure on billing.booking (unsure_since) where unsure_since is not null;
create index booking_month on billing.booking (month);

-- The thresholds a month has passed, each once; a budget that was changed has
-- its own.
create table billing.warning (
	tenant  text           not null,
	month   date           not null,
	percent integer        not null,
	budget  numeric(24,12) not null,
	spent   numeric(24,12) not null,
	at      timestamptz    not null default now(),
	primary key (tenant, month, percent, budget)
);

-- +goose Down
drop table billing.warning;
drop table billing.booking;
drop table billing.month;
drop table billing.budget;
drop table billing.tenant;
drop table billing.price;
drop function billing.refuse_change();

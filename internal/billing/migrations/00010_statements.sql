-- +goose Up
-- Monthly statements. They are kept for good and never change: what is corrected
-- after one was issued stands on the next. They are copies, not sums of the read
-- model: building that anew changes none of them.

create table billing.statement (
	id           uuid           primary key default gen_random_uuid(),
	tenant       text           not null,
	month        date           not null check (extract(day from month) = 1),
	time_zone    text           not null,
	-- the month in that zone; one begins where the one before ended
	period_start timestamptz    not null,
	period_end   timestamptz    not null check (period_start < period_end),
	currency     text           not null default 'USD',
	issued_at    timestamptz    not null default now(),
	-- how much of which log it is of
	log_id       text           not null,
	position     bigint         not null,
	-- exact is the sum of the lines; amount is it, rounded; the lines' own amounts add
	-- up to it, by a line for what rounding makes of them
	exact        numeric(30,12) not null,
	amount       numeric(20,2)  not null,
	unique (tenant, month),
	unique (tenant, period_start)
);

create table billing.statement_line (
	statement      uuid           not null references billing.statement (id),
	line           integer        not null check (line > 0),
	kind           text           not null check (kind in ('usage', 'correction', 'rounding')),
	-- of the calls: on a correction an earlier month than the statement's
	month          date           not null,
	provider       text           not null,
	model          text           not null,
	calls          bigint         not null,
	-- of them, those billed by estimate, and those without a known price: they cost
	-- nothing yet
	estimated      bigint         not null,
	unpriced       bigint         not null,
	input_uncached bigint         not null,
	input_cached   bigint         not null,
	input_tool     bigint         not null,
	input_audio    bigint         not null,
	output         bigint         not null,
	thinking       bigint         not null,
	exact          numeric(30,12) not null,
	-- exact, rounded half away from zero to whole cents: the only rounding there is
	amount         numeric(20,2)  not null,
	primary key (statement, line)
);

create trigger statement_is_immutable before update or delete on billing.statement
	for each row execute function billing.refuse_change();
create trigger statement_is_kept before truncate on billing.statement
	for each statement execute function billing.refuse_change();
create trigger statement_line_is_immutable before update or delete on billing.statement_line
	for each row execute function billing.refuse_change();
create trigger statement_line_is_kept before truncate on billing.statement_line
	for each statement execute function billing.refuse_change();

-- A statement is complete when it is committed: no line comes later.
-- +goose StatementBegin
create function billing.refuse_late_line() returns trigger language plpgsql as $$
begin
	if not exists (select from billing.statement where id = new.statement and xmin = pg_current_xact_id()::xid) then
		raise exception 'statement % is issued: its lines are what they are', new.statement;
	end if;
	return new;
end $$;
-- +goose StatementEnd
create trigger statement_line_comes_with_its_statement before insert on billing.statement_line
	for each row execute function billing.refuse_late_line();

-- +goose Down
drop table billing.statement_line;
drop table billing.statement;
drop function billing.refuse_late_line();

-- +goose Up

-- What an earlier epoch of the log has in common with the present one.
create view billing.past as select was, log_id, position from read.past;

-- Whether a statement has what is at a position of a log: by the position, where the
-- statement is of this log or of a past of it; else (the events were moved to another
-- store) by what was known at a time.
create or replace function billing.stated(s billing.statement, log text, "position" bigint, at timestamptz) returns boolean
	language sql stable as
	'select case
		when s.log_id = log or exists (
			select from billing.past p where p.was = s.log_id and p.log_id = log and s."position" <= p."position")
		then "position" <= s."position" else at <= s.issued_at end';

-- +goose StatementBegin
do $$
begin
	if to_regrole('billing_reader') is not null then
		grant select on billing.past to billing_reader;
	end if;
end $$;
-- +goose StatementEnd

comment on view billing.past is 'What earlier epochs of the log have in common with the present one, after a restore or a failover.';
comment on column billing.past.was is 'The earlier epoch, as log_id of a statement.';
comment on column billing.past.log_id is 'The epoch it is a past of.';
comment on column billing.past.position is 'Up to which position.';

-- +goose Down
create or replace function billing.stated(s billing.statement, log text, "position" bigint, at timestamptz) returns boolean
	language sql immutable as
	'select case when s.log_id = log then "position" <= s."position" else at <= s.issued_at end';
drop view billing.past;

-- +goose Up
-- The views of the read model of usage are there before its tables, so that what is
-- migrated later can build on them. A view that exists gets the columns it lacks.
-- The projection points them at its tables when it starts.

-- +goose StatementBegin
create function read.promise(view text, variadic columns text[]) returns void language plpgsql as $$
declare
	old text := pg_get_viewdef(to_regclass('read.' || view));
	missing text;
begin
	select string_agg(format('null::%s as %I', substr(c, strpos(c, ' ') + 1), split_part(c, ' ', 1)), ', ' order by i)
	into missing
	from unnest(columns) with ordinality as wanted (c, i)
	where not exists (
		select from pg_attribute
		where attrelid = to_regclass('read.' || view) and attname = split_part(c, ' ', 1)
	);
	if old is null then
		execute format('create view read.%I as select %s where false', view, missing);
	elsif missing is not null then
		execute format('create or replace view read.%I as select old.*, %s from (%s) as old', view, missing, rtrim(old, '; '));
	end if;
end $$;
-- +goose StatementEnd

select read.promise('call',
	'call_id text', 'tenant text', 'user_id text', 'session_id text', 'task_id text', 'turn integer',
	'request text', 'purpose text', 'role text', 'provider text', 'model text', 'attempt integer',
	'subject text', 'instance text', 'prompt_name text', 'prompt_hash text', 'prompt_ref text',
	'answer_ref text', 'state text', 'outcome text', 'duration_ms bigint', 'late boolean',
	'usage_missing boolean', 'total_matches boolean', 'raw_usage json', 'response_model text',
	'response_id text', 'input_uncached bigint', 'input_cached bigint', 'input_tool bigint',
	'input_audio bigint', 'output bigint', 'thinking bigint', 'cost numeric(24,12)', 'cost_status text',
	'price_version text', 'estimated_cost numeric(24,12)', 'corrections integer', 'started_at timestamptz',
	'ended_at timestamptz', 'position bigint', 'unit_prices json', 'service_tier text', 'settled_why text',
	'billed_at_position bigint');

select read.promise('call_correction',
	'call_id text', 'tenant text', 'started_at timestamptz', 'number integer', 'position bigint',
	'corrected_at timestamptz', 'why text', 'late boolean', 'input_uncached bigint', 'input_cached bigint',
	'input_tool bigint', 'input_audio bigint', 'output bigint', 'thinking bigint', 'cost numeric(24,12)',
	'cost_status text', 'price_version text', 'unit_prices json', 'input_uncached_before bigint', 'input_cached_before bigint',
	'input_tool_before bigint', 'input_audio_before bigint', 'output_before bigint', 'thinking_before bigint',
	'cost_before numeric(24,12)', 'cost_status_before text', 'price_version_before text',
	'unit_prices_before json');

select read.promise('call_rollup',
	'tenant text collate "C"', 'quarter timestamptz', 'task_id text collate "C"', 'session_id text collate "C"',
	'user_id text collate "C"', 'provider text collate "C"', 'model text collate "C"',
	'purpose text collate "C"', 'calls bigint', 'open_calls bigint', 'estimated_calls bigint',
	'unpriced_calls bigint', 'mismatched_calls bigint', 'input_uncached bigint', 'input_cached bigint',
	'input_tool bigint', 'input_audio bigint', 'output bigint', 'thinking bigint', 'cost numeric(24,12)');

select read.promise('call_rollup_task',
	'tenant text collate "C"', 'quarter timestamptz', 'task_id text collate "C"', 'session_id text collate "C"',
	'user_id text collate "C"', 'calls bigint', 'open_calls bigint', 'estimated_calls bigint',
	'unpriced_calls bigint', 'mismatched_calls bigint', 'input_uncached bigint', 'input_cached bigint',
	'input_tool bigint', 'input_audio bigint', 'output bigint', 'thinking bigint', 'cost numeric(24,12)');

select read.promise('call_rollup_model',
	'tenant text collate "C"', 'quarter timestamptz', 'provider text collate "C"', 'model text collate "C"',
	'purpose text collate "C"', 'calls bigint', 'open_calls bigint', 'estimated_calls bigint',
	'unpriced_calls bigint', 'mismatched_calls bigint', 'input_uncached bigint', 'input_cached bigint',
	'input_tool bigint', 'input_audio bigint', 'output bigint', 'thinking bigint', 'cost numeric(24,12)');

select read.promise('call_rollup_quarter',
	'tenant text collate "C"', 'quarter timestamptz', 'calls bigint', 'open_calls bigint',
	'estimated_calls bigint', 'unpriced_calls bigint', 'mismatched_calls bigint', 'input_uncached bigint',
	'input_cached bigint', 'input_tool bigint', 'input_audio bigint', 'output bigint', 'thinking bigint',
	'cost numeric(24,12)');

select read.promise('call_rollup_day',
	'tenant text collate "C"', 'quarter timestamptz', 'calls bigint', 'open_calls bigint',
	'estimated_calls bigint', 'unpriced_calls bigint', 'mismatched_calls bigint', 'input_uncached bigint',
	'input_cached bigint', 'input_tool bigint', 'input_audio bigint', 'output bigint', 'thinking bigint',
	'cost numeric(24,12)');

drop function read.promise(text, text[]);

-- +goose Down
-- The views are the projection's, and stay.
select 1;

-- +goose Up
-- What finance may read, and what each of it is. Give the role to whoever builds
-- reports: grant billing_reader to report_tool. It reads all tenants, and nothing but
-- what is named here.

create view billing.column_comment as
	select c.relname::text as relation, a.attnum::integer as place, a.attname::text as "column",
		format_type(a.atttypid, a.atttypmod) as type, col_description(c.oid, a.attnum) as comment
	from pg_class c
		join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
	where c.relnamespace = 'billing'::regnamespace and obj_description(c.oid, 'pg_class') is not null;
comment on view billing.column_comment is 'What there is to read, and what it means.';
comment on column billing.column_comment.relation is 'View or table of the schema billing.';
comment on column billing.column_comment.place is 'Of the column, from 1.';
comment on column billing.column_comment."column" is 'Its name.';
comment on column billing.column_comment.type is 'Its type.';
comment on column billing.column_comment.comment is 'What it means.';

-- +goose StatementBegin
do $$
begin
	create role billing_reader nologin;
exception
	-- Roles are the whole server's: another database's migration may have made it.
	when duplicate_object or unique_violation then null;
	when insufficient_privilege then
		raise warning 'the role billing_reader is not made: ask whoever may (create role billing_reader nologin), and grant it usage on schema billing and select on its views';
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
do $$
declare
	relation text;
begin
	if to_regrole('billing_reader') is null then
		return;
	end if;
	grant usage on schema billing to billing_reader;
	foreach relation in array array[
		'usage_call', 'usage_correction', 'usage_daily', 'usage_monthly', 'statement', 'statement_line', 'focus', 'price', 'budget', 'month', 'column_comment'
	] loop
		execute format('grant select on billing.%I to billing_reader', relation);
	end loop;
end $$;
-- +goose StatementEnd

comment on view billing.usage_call is 'One row for each model call: whose, what for, what it used and cost. The cost is that of the newest correction.';
comment on column billing.usage_call.tenant_id is 'The tenant.';
comment on column billing.usage_call.time_zone is 'The tenant''s time zone, in which day and month are.';
comment on column billing.usage_call.month is 'First day of the month in which the call started.';
comment on column billing.usage_call.day is 'Day on which the call started.';
comment on column billing.usage_call.user_id is 'The user it was made for.';
comment on column billing.usage_call.session_id is 'The session, empty where there was none.';
comment on column billing.usage_call.task_id is 'The task, or the id of what else caused the calls.';
comment on column billing.usage_call.provider is 'Whose service was called: google, vertex, openai, anthropic.';
comment on column billing.usage_call.model is 'The model that was asked for.';
comment on column billing.usage_call.action_type is 'What it was for: PLANNING, VERIFICATION, ...';
comment on column billing.usage_call.tenant_name is 'The tenant''s name today.';
comment on column billing.usage_call.call_id is 'Ours; the same in every export, statement and event.';
comment on column billing.usage_call.request_id is 'The client request that led to it.';
comment on column billing.usage_call.started_at is 'When it was made; its price is of that moment.';
comment on column billing.usage_call.ended_at is 'When its end was known; null while open.';
comment on column billing.usage_call.duration_ms is 'How long the provider took.';
comment on column billing.usage_call.role is 'Which configured role was asked for: smart or fast.';
comment on column billing.usage_call.response_model is 'The model the provider says it ran.';
comment on column billing.usage_call.service_tier is 'The provider''s service tier; empty is the standard one.';
comment on column billing.usage_call.attempt is 'Of the attempts at the same question, from 1. Each is a call of its own.';
comment on column billing.usage_call.state is 'open: no bill yet; completed: billed by the provider''s numbers; settled: billed by estimate.';
comment on column billing.usage_call.outcome is 'How it ended: ok, truncated, schema_invalid, rate_limited, timeout, ...';
comment on column billing.usage_call.estimated is 'The bill is an estimate, and nothing better came.';
comment on column billing.usage_call.late is 'The provider''s numbers came after the estimate and took its place.';
comment on column billing.usage_call.settled_why is 'Why it was billed by estimate.';
comment on column billing.usage_call.usage_missing is 'The provider gave no account of what was used.';
comment on column billing.usage_call.total_matches is 'False where the tokens do not add up to the provider''s own total.';
comment on column billing.usage_call.input_uncached is 'Tokens read afresh: text and images.';
comment on column billing.usage_call.input_cached is 'Tokens that came from the provider''s prompt cache.';
comment on column billing.usage_call.input_tool is 'Tokens the provider''s own tools fed back.';
comment on column billing.usage_call.input_audio is 'Audio tokens read afresh.';
comment on column billing.usage_call.output is 'Tokens of visible answers.';
comment on column billing.usage_call.thinking is 'Tokens the model wrote for itself; billed as output.';
comment on column billing.usage_call.input_tokens is 'All tokens read: uncached, cached, tool and audio.';
comment on column billing.usage_call.output_tokens is 'All tokens written: output and thinking.';
comment on column billing.usage_call.total_tokens is 'All of them.';
comment on column billing.usage_call.cost_usd is 'What it cost, exactly; null where it has no bill or its price is not known.';
comment on column billing.usage_call.cost_status is 'priced, unpriced (the price is not known yet) or free (nothing was used).';
comment on column billing.usage_call.price_version is 'Which price it was billed by (billing.price.version).';
comment on column billing.usage_call.unit_prices is 'USD per token, by meter, as applied.';
comment on column billing.usage_call.expected_cost_usd is 'What it was expected to cost when it started.';
comment on column billing.usage_call.corrections is 'How often its bill was corrected (billing.usage_correction).';
comment on column billing.usage_call.ledger_position is 'Position in the log of the newest event about it.';

comment on view billing.usage_correction is 'One row for each change of a bill after the fact. Quantities and cost are differences.';
comment on column billing.usage_correction.tenant_id is 'The tenant.';
comment on column billing.usage_correction.call_id is 'The call (billing.usage_call).';
comment on column billing.usage_correction.number is 'Which of the call''s corrections, from 1.';
comment on column billing.usage_correction.started_at is 'When the call started: the month it counts in.';
comment on column billing.usage_correction.corrected_at is 'When it was corrected.';
comment on column billing.usage_correction.why is 'The reason given.';
comment on column billing.usage_correction.late is 'It was the provider''s own report, come after the estimate.';
comment on column billing.usage_correction.input_uncached is 'Tokens read afresh: text and images.';
comment on column billing.usage_correction.input_cached is 'Tokens that came from the provider''s prompt cache.';
comment on column billing.usage_correction.input_tool is 'Tokens the provider''s own tools fed back.';
comment on column billing.usage_correction.input_audio is 'Audio tokens read afresh.';
comment on column billing.usage_correction.output is 'Tokens of visible answers.';
comment on column billing.usage_correction.thinking is 'Tokens the model wrote for itself; billed as output.';
comment on column billing.usage_correction.cost_delta_usd is 'Added to the cost; where that was unknown, all of it; null where it is unknown now.';
comment on column billing.usage_correction.cost_status is 'After it.';
comment on column billing.usage_correction.price_version is 'After it.';
comment on column billing.usage_correction.cost_before_usd is 'The cost before it, null where unknown.';
comment on column billing.usage_correction.cost_status_before is 'Before it.';
comment on column billing.usage_correction.price_version_before is 'Before it.';
comment on column billing.usage_correction.ledger_position is 'Position in the log.';

comment on view billing.usage_daily is 'Sums by day and everything else: tenant, user, session, task, provider, model, action type. Add up what you need.';
comment on column billing.usage_daily.tenant_id is 'The tenant.';
comment on column billing.usage_daily.time_zone is 'The tenant''s time zone, in which day and month are.';
comment on column billing.usage_daily.month is 'First day of the month in which the calls started.';
comment on column billing.usage_daily.day is 'Day on which the calls started.';
comment on column billing.usage_daily.user_id is 'The user the calls were made for.';
comment on column billing.usage_daily.session_id is 'The session, empty where there was none.';
comment on column billing.usage_daily.task_id is 'The task, or the id of what else caused the calls.';
comment on column billing.usage_daily.provider is 'Whose service was called: google, vertex, openai, anthropic.';
comment on column billing.usage_daily.model is 'The model that was asked for, by the provider''s id.';
comment on column billing.usage_daily.action_type is 'What the calls were for: PLANNING, VERIFICATION, ...';
comment on column billing.usage_daily.calls is 'How many calls.';
comment on column billing.usage_daily.open_calls is 'Of them, those that were started and have no bill yet.';
comment on column billing.usage_daily.estimated_calls is 'Of them, those billed by estimate, because the provider''s numbers never came.';
comment on column billing.usage_daily.unpriced_calls is 'Of them, those of a model whose price nobody knows yet; they are not in cost_usd.';
comment on column billing.usage_daily.mismatched_calls is 'Of them, those whose tokens do not add up to the provider''s own total.';
comment on column billing.usage_daily.input_uncached is 'Tokens read afresh: text and images.';
comment on column billing.usage_daily.input_cached is 'Tokens that came from the provider''s prompt cache.';
comment on column billing.usage_daily.input_tool is 'Tokens the provider''s own tools fed back.';
comment on column billing.usage_daily.input_audio is 'Audio tokens read afresh.';
comment on column billing.usage_daily.output is 'Tokens of visible answers.';
comment on column billing.usage_daily.thinking is 'Tokens the model wrote for itself; billed as output.';
comment on column billing.usage_daily.cost_usd is 'What they cost, exactly.';

comment on view billing.usage_monthly is 'The same by month.';
comment on column billing.usage_monthly.tenant_id is 'The tenant.';
comment on column billing.usage_monthly.time_zone is 'The tenant''s time zone, in which day and month are.';
comment on column billing.usage_monthly.month is 'First day of the month in which the calls started.';
comment on column billing.usage_monthly.user_id is 'The user the calls were made for.';
comment on column billing.usage_monthly.session_id is 'The session, empty where there was none.';
comment on column billing.usage_monthly.task_id is 'The task, or the id of what else caused the calls.';
comment on column billing.usage_monthly.provider is 'Whose service was called: google, vertex, openai, anthropic.';
comment on column billing.usage_monthly.model is 'The model that was asked for, by the provider''s id.';
comment on column billing.usage_monthly.action_type is 'What the calls were for: PLANNING, VERIFICATION, ...';
comment on column billing.usage_monthly.calls is 'How many calls.';
comment on column billing.usage_monthly.open_calls is 'Of them, those that were started and have no bill yet.';
comment on column billing.usage_monthly.estimated_calls is 'Of them, those billed by estimate, because the provider''s numbers never came.';
comment on column billing.usage_monthly.unpriced_calls is 'Of them, those of a model whose price nobody knows yet; they are not in cost_usd.';
comment on column billing.usage_monthly.mismatched_calls is 'Of them, those whose tokens do not add up to the provider''s own total.';
comment on column billing.usage_monthly.input_uncached is 'Tokens read afresh: text and images.';
comment on column billing.usage_monthly.input_cached is 'Tokens that came from the provider''s prompt cache.';
comment on column billing.usage_monthly.input_tool is 'Tokens the provider''s own tools fed back.';
comment on column billing.usage_monthly.input_audio is 'Audio tokens read afresh.';
comment on column billing.usage_monthly.output is 'Tokens of visible answers.';
comment on column billing.usage_monthly.thinking is 'Tokens the model wrote for itself; billed as output.';
comment on column billing.usage_monthly.cost_usd is 'What they cost, exactly.';

comment on table billing.statement is 'Monthly statements, as issued. They never change; corrections stand on the next one.';
comment on column billing.statement.id is 'The statement; InvoiceId of the FOCUS rows.';
comment on column billing.statement.tenant is 'The tenant.';
comment on column billing.statement.month is 'First day of its month.';
comment on column billing.statement.time_zone is 'In which the month was.';
comment on column billing.statement.period_start is 'Beginning of the month; inclusive.';
comment on column billing.statement.period_end is 'End of the month; exclusive.';
comment on column billing.statement.currency is 'Of all amounts.';
comment on column billing.statement.issued_at is 'When.';
comment on column billing.statement.log_id is 'Of which log it is.';
comment on column billing.statement.position is 'Up to which position of it.';
comment on column billing.statement.exact is 'Sum of the lines, not rounded.';
comment on column billing.statement.amount is 'It, rounded half away from zero to cents: what is due.';

comment on table billing.statement_line is 'Lines of the statements: usage of the month by model, corrections of earlier months, and what rounding makes of the sum.';
comment on column billing.statement_line.statement is 'The statement.';
comment on column billing.statement_line.line is 'Its number, from 1.';
comment on column billing.statement_line.kind is 'usage, correction (of an earlier month) or rounding.';
comment on column billing.statement_line.month is 'First day of the month in which the calls started.';
comment on column billing.statement_line.provider is 'Whose service.';
comment on column billing.statement_line.model is 'The model that was asked for.';
comment on column billing.statement_line.calls is 'How many; on a correction, how many more.';
comment on column billing.statement_line.estimated is 'Of them billed by estimate.';
comment on column billing.statement_line.unpriced is 'Of them without a known price; they cost nothing until a later statement.';
comment on column billing.statement_line.input_uncached is 'Tokens read afresh: text and images.';
comment on column billing.statement_line.input_cached is 'Tokens that came from the provider''s prompt cache.';
comment on column billing.statement_line.input_tool is 'Tokens the provider''s own tools fed back.';
comment on column billing.statement_line.input_audio is 'Audio tokens read afresh.';
comment on column billing.statement_line.output is 'Tokens of visible answers.';
comment on column billing.statement_line.thinking is 'Tokens the model wrote for itself; billed as output.';
comment on column billing.statement_line.exact is 'Not rounded.';
comment on column billing.statement_line.amount is 'exact, rounded half away from zero to cents.';

comment on view billing.focus is 'The FinOps Open Cost and Usage Specification, 1.4: a row for each meter of each bill. BilledCost adds up to cost_usd of billing.usage_call.';
comment on column billing.focus."BillingAccountId" is 'The tenant.';
comment on column billing.focus."BillingAccountName" is 'Its name.';
comment on column billing.focus."BillingAccountType" is 'Tenant.';
comment on column billing.focus."SubAccountId" is 'The user.';
comment on column billing.focus."SubAccountName" is 'Their name.';
comment on column billing.focus."SubAccountType" is 'User.';
comment on column billing.focus."BillingPeriodStart" is 'Month of the statement the row is on, or will be on; inclusive.';
comment on column billing.focus."BillingPeriodEnd" is 'Its end; exclusive.';
comment on column billing.focus."ChargePeriodStart" is 'When the call started.';
comment on column billing.focus."ChargePeriodEnd" is 'When it ended; exclusive.';
comment on column billing.focus."ChargeCategory" is 'Usage; Adjustment for what of a cost is on no meter.';
comment on column billing.focus."ChargeClass" is 'Correction for what changes a month that was stated before; null otherwise.';
comment on column billing.focus."ChargeFrequency" is 'Usage-Based.';
comment on column billing.focus."ChargeDescription" is 'Model and meter.';
comment on column billing.focus."ConsumedQuantity" is 'Tokens; negative where a correction takes a bill back.';
comment on column billing.focus."ConsumedUnit" is 'Tokens.';
comment on column billing.focus."PricingQuantity" is 'Tokens.';
comment on column billing.focus."PricingUnit" is 'Tokens.';
comment on column billing.focus."PricingCategory" is 'Standard.';
comment on column billing.focus."PricingCurrency" is 'USD.';
comment on column billing.focus."ListUnitPrice" is 'USD per token; null where it is not known.';
comment on column billing.focus."ContractedUnitPrice" is 'The same: there are no discounts.';
comment on column billing.focus."ListCost" is 'Quantity times price; null where the price is not known.';
comment on column billing.focus."ContractedCost" is 'The same.';
comment on column billing.focus."EffectiveCost" is 'The same.';
comment on column billing.focus."BilledCost" is 'The same, exactly; rounded on statements only.';
comment on column billing.focus."BillingCurrency" is 'USD.';
comment on column billing.focus."ServiceProviderName" is 'Whose service.';
comment on column billing.focus."HostProviderName" is 'Who runs it.';
comment on column billing.focus."InvoiceIssuerName" is 'Who bills the tenant.';
comment on column billing.focus."InvoiceId" is 'The statement it is on; null before there is one.';
comment on column billing.focus."ServiceCategory" is 'AI and Machine Learning.';
comment on column billing.focus."ServiceSubcategory" is 'Generative AI.';
comment on column billing.focus."ServiceName" is 'Of the provider.';
comment on column billing.focus."SkuId" is 'The model.';
comment on column billing.focus."SkuMeter" is 'What was counted.';
comment on column billing.focus."SkuPriceId" is 'Which price (billing.price.version).';
comment on column billing.focus."SkuPriceDetails" is 'JSON: serviceTier, modality.';
comment on column billing.focus."ResourceId" is 'The call.';
comment on column billing.focus."ResourceType" is 'Model call.';
comment on column billing.focus."Tags" is 'JSON: user, session, task, actionType.';
comment on column billing.focus."x_TaskId" is 'The task.';
comment on column billing.focus."x_SessionId" is 'The session.';
comment on column billing.focus."x_Provider" is 'Our id of the provider.';
comment on column billing.focus."x_ActionType" is 'What the call was for.';
comment on column billing.focus."x_UsageSource" is 'provider, or estimated where its numbers never came.';
comment on column billing.focus."x_CostStatus" is 'priced, unpriced or free.';
comment on column billing.focus."x_Attempt" is 'Of the attempts at the same question.';

comment on table billing.price is 'The price book: added to, never changed.';
comment on column billing.price.seq is 'Order in which the rows were added.';
comment on column billing.price.version is 'Name of the row; bills refer to it.';
comment on column billing.price.provider is 'Whose service.';
comment on column billing.price.model is 'The model.';
comment on column billing.price.service_tier is 'The provider''s service tier; empty is the standard one.';
comment on column billing.price.aliases is 'Other ids billed as this model.';
comment on column billing.price.input is 'USD per token read; null is not known.';
comment on column billing.price.cached is 'USD per token from the prompt cache.';
comment on column billing.price.audio is 'USD per audio token read.';
comment on column billing.price.output is 'USD per token written, thinking included.';
comment on column billing.price.has_long is 'Prompts above 200,000 tokens have rates of their own.';
comment on column billing.price.long_input is 'As input, for those.';
comment on column billing.price.long_cached is 'As cached, for those.';
comment on column billing.price.long_audio is 'As audio, for those.';
comment on column billing.price.long_output is 'As output, for those.';
comment on column billing.price.valid_from is 'Calls started at or after it.';
comment on column billing.price.valid_to is 'Calls started before it; null until the next row begins.';
comment on column billing.price.retires is 'When the provider said it would switch the model off.';
comment on column billing.price.source is 'Where the price was read.';
comment on column billing.price.replaces is 'The row it takes the place of.';
comment on column billing.price.added_at is 'When it was added.';

comment on table billing.budget is 'What tenants may spend in a month, from a month on.';
comment on column billing.budget.id is 'Order in which the rows were added.';
comment on column billing.budget.tenant is 'The tenant.';
comment on column billing.budget.from_month is 'First day of the month from which it holds, until the next.';
comment on column billing.budget.amount is 'USD a month; null is no limit.';
comment on column billing.budget.warn_at is 'Percentages at which somebody is told.';
comment on column billing.budget.set_at is 'When it was set.';

comment on table billing.month is 'How a tenant''s month stands against its budget: reserved for calls under way, and spent.';
comment on column billing.month.tenant is 'The tenant.';
comment on column billing.month.month is 'First day of the month.';
comment on column billing.month.held is 'USD reserved for calls under way.';
comment on column billing.month.spent is 'USD of the bills so far, corrections included.';

-- +goose Down
-- The role stays: it is the whole server's, and may have been given to somebody.
-- +goose StatementBegin
do $$
begin
	if to_regrole('billing_reader') is not null then
		revoke all on all tables in schema billing from billing_reader;
		revoke usage on schema billing from billing_reader;
	end if;
end $$;
-- +goose StatementEnd
drop view billing.column_comment;

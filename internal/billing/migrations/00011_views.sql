-- +goose Up
-- What finance reads with tools of its own. Every view and column says what it is:
-- \d+ billing.usage_call, or select * from billing.column_comment.

-- Months and days are those of the tenant's time zone (billing.tenant), of the
-- moment at which a call started; what becomes of a call later counts there too.
create view billing.usage_call as
	select
		c.tenant as tenant_id, (select t.name from identity.tenants t where t.id::text = c.tenant) as tenant_name, c.user_id, c.session_id, c.task_id, c.call_id, c.request as request_id,
		z.zone as time_zone, z.month, z.day, c.started_at, c.ended_at, c.duration_ms,
		c.purpose as action_type, c.role, c.provider, c.model, c.response_model, c.service_tier, c.attempt,
		c.state, c.outcome, c.state = 'settled' and (c.usage_missing or not c.late) as estimated, c.late, c.settled_why, c.usage_missing, c.total_matches,
		c.input_uncached, c.input_cached, c.input_tool, c.input_audio, c.output, c.thinking,
		c.input_uncached + c.input_cached + c.input_tool + c.input_audio as input_tokens,
		c.output + c.thinking as output_tokens,
		c.input_uncached + c.input_cached + c.input_tool + c.input_audio + c.output + c.thinking as total_tokens,
		c.cost as cost_usd, c.cost_status, c.price_version, c.unit_prices, c.estimated_cost as expected_cost_usd, c.corrections,
		c.position as ledger_position
	from read.call c
		left join billing.tenant b on b.tenant = c.tenant
		cross join lateral (
			select coalesce(b.time_zone, 'UTC') as zone,
				date_trunc('month', c.started_at at time zone coalesce(b.time_zone, 'UTC'))::date as month,
				(c.started_at at time zone coalesce(b.time_zone, 'UTC'))::date as day
		) z;

create view billing.usage_correction as
	select
		k.tenant as tenant_id, k.call_id, k.number, k.started_at, k.corrected_at, k.why, k.late,
		k.input_uncached, k.input_cached, k.input_tool, k.input_audio, k.output, k.thinking,
		k.cost as cost_delta_usd, k.cost_status, k.price_version,
		k.cost_before as cost_before_usd, k.cost_status_before, k.price_version_before,
		k.position as ledger_position
	from read.call_correction k;

create view billing.usage_daily as
	select
		r.tenant as tenant_id, coalesce(b.time_zone, 'UTC') as time_zone,
		date_trunc('month', r.quarter at time zone coalesce(b.time_zone, 'UTC'))::date as month,
		(r.quarter at time zone coalesce(b.time_zone, 'UTC'))::date as day,
		r.user_id, r.session_id, r.task_id, r.provider, r.model, r.purpose as action_type,
		sum(r.calls)::bigint as calls, sum(r.open_calls)::bigint as open_calls, sum(r.estimated_calls)::bigint as estimated_calls,
		sum(r.unpriced_calls)::bigint as unpriced_calls, sum(r.mismatched_calls)::bigint as mismatched_calls,
		sum(r.input_uncached)::bigint as input_uncached, sum(r.input_cached)::bigint as input_cached,
		sum(r.input_tool)::bigint as input_tool, sum(r.input_audio)::bigint as input_audio,
		sum(r.output)::bigint as output, sum(r.thinking)::bigint as thinking,
		sum(r.cost) as cost_usd
	from read.call_rollup r
		left join billing.tenant b on b.tenant = r.tenant
	group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;

create view billing.usage_monthly as
	select
		r.tenant as tenant_id, coalesce(b.time_zone, 'UTC') as time_zone,
		date_trunc('month', r.quarter at time zone coalesce(b.time_zone, 'UTC'))::date as month,
		r.user_id, r.session_id, r.task_id, r.provider, r.model, r.purpose as action_type,
		sum(r.calls)::bigint as calls, sum(r.open_calls)::bigint as open_calls, sum(r.estimated_calls)::bigint as estimated_calls,
		sum(r.unpriced_calls)::bigint as unpriced_calls, sum(r.mismatched_calls)::bigint as mismatched_calls,
		sum(r.input_uncached)::bigint as input_uncached, sum(r.input_cached)::bigint as input_cached,
		sum(r.input_tool)::bigint as input_tool, sum(r.input_audio)::bigint as input_audio,
		sum(r.output)::bigint as output, sum(r.thinking)::bigint as thinking,
		sum(r.cost) as cost_usd
	from read.call_rollup r
		left join billing.tenant b on b.tenant = r.tenant
	group by 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- Whether a statement has what is at a position of a log, or where it is of another
-- log (the events were moved to another store) what was known at a time.
create function billing.stated(s billing.statement, log text, "position" bigint, at timestamptz) returns boolean
	language sql immutable as
	'select case when s.log_id = log then "position" <= s."position" else at <= s.issued_at end';

-- Which log the read model is of.
create view billing.log as
	select coalesce(max(log_id), '') as id from read.checkpoint where projection = 'usage' and live;

-- The bills of calls as they were invoiced. A call has one: the present one, with
-- what was corrected before the call's month was stated. For every correction since,
-- the bill before it is taken back (sign -1) and the one after it put in its place.
create view billing.bill as
	select c.tenant, c.call_id, c.started_at, coalesce(c.ended_at, c.started_at) as ended_at,
		c.user_id, c.session_id, c.task_id, c.purpose, c.provider, c.model, c.response_model, c.service_tier, c.attempt,
		c.state = 'settled' and (c.usage_missing or not c.late) as estimated,
		coalesce(b.time_zone, 'UTC') as time_zone, 1 as sign,
		s.id is not null and not billing.stated(s, log.id, c.billed_at_position, coalesce(c.ended_at, c.started_at)) as is_correction,
		coalesce(c.ended_at, c.started_at) as billed_at, c.billed_at_position,
		s.id as statement,
		case when k.call_id is null then c.input_uncached else k.input_uncached_before end as input_uncached,
		case when k.call_id is null then c.input_cached else k.input_cached_before end as input_cached,
		case when k.call_id is null then c.input_tool else k.input_tool_before end as input_tool,
		case when k.call_id is null then c.input_audio else k.input_audio_before end as input_audio,
		case when k.call_id is null then c.output else k.output_before end as output,
		case when k.call_id is null then c.thinking else k.thinking_before end as thinking,
		case when k.call_id is null then c.cost else k.cost_before end as cost,
		case when k.call_id is null then c.cost_status else k.cost_status_before end as cost_status,
		case when k.call_id is null then c.price_version else k.price_version_before end as price_version,
		case when k.call_id is null then c.unit_prices else k.unit_prices_before end as unit_prices
	from billing.log
		cross join read.call c
		left join billing.tenant b on b.tenant = c.tenant
		left join billing.statement s on s.tenant = c.tenant and c.started_at >= s.period_start and c.started_at < s.period_end
		left join lateral (
			select k.* from read.call_correction k
			where c.corrections > 0 and s.id is not null and k.call_id = c.call_id
				and not billing.stated(s, log.id, k.position, k.corrected_at)
			order by k.number
			limit 1
		) k on true
	where c.state <> 'open'
	union all
	select k.tenant, k.call_id, k.started_at, coalesce(c.ended_at, c.started_at),
		c.user_id, c.session_id, c.task_id, c.purpose, c.provider, c.model, c.response_model, c.service_tier, c.attempt,
		c.state = 'settled' and (c.usage_missing or not c.late),
		coalesce(b.time_zone, 'UTC'), turn.sign,
		true,
		k.corrected_at, k.position,
		s.id,
		case when turn.sign < 0 then k.input_uncached_before else k.input_uncached_before + k.input_uncached end,
		case when turn.sign < 0 then k.input_cached_before else k.input_cached_before + k.input_cached end,
		case when turn.sign < 0 then k.input_tool_before else k.input_tool_before + k.input_tool end,
		case when turn.sign < 0 then k.input_audio_before else k.input_audio_before + k.input_audio end,
		case when turn.sign < 0 then k.output_before else k.output_before + k.output end,
		case when turn.sign < 0 then k.thinking_before else k.thinking_before + k.thinking end,
		case when turn.sign < 0 then k.cost_before when k.cost is null then null else coalesce(k.cost_before, 0) + k.cost end,
		case when turn.sign < 0 then k.cost_status_before else k.cost_status end,
		case when turn.sign < 0 then k.price_version_before else k.price_version end,
		case when turn.sign < 0 then k.unit_prices_before else k.unit_prices end
	from billing.log
		cross join read.call_correction k
		join read.call c on c.tenant = k.tenant and c.started_at = k.started_at and c.call_id = k.call_id
		join billing.statement s on s.tenant = k.tenant and k.started_at >= s.period_start and k.started_at < s.period_end
		left join billing.tenant b on b.tenant = k.tenant
		cross join (values (-1), (1)) as turn (sign)
	where not billing.stated(s, log.id, k.position, k.corrected_at);

-- FOCUS 1.4: a row for each meter of a bill that has tokens on it, so that quantity
-- times price is cost on every row, and one for what of the cost is on no meter.
create view billing.focus as
	select
		i.tenant as "BillingAccountId", coalesce(t.name, i.tenant) as "BillingAccountName", 'Tenant' as "BillingAccountType",
		i.user_id as "SubAccountId", coalesce(u.name, i.user_id) as "SubAccountName", 'User' as "SubAccountType",
		i.billing_start as "BillingPeriodStart", i.billing_end as "BillingPeriodEnd",
		i.started_at as "ChargePeriodStart", i.ended_at as "ChargePeriodEnd",
		case when r.meter is null then 'Adjustment' else 'Usage' end as "ChargeCategory",
		case when i.is_correction then 'Correction' end as "ChargeClass",
		'Usage-Based' as "ChargeFrequency",
		i.model || ' ' || coalesce(r.description, 'adjustment by hand') as "ChargeDescription",
		i.sign * r.tokens as "ConsumedQuantity", case when r.meter is not null then 'Tokens' end as "ConsumedUnit",
		i.sign * r.tokens as "PricingQuantity", case when r.meter is not null then 'Tokens' end as "PricingUnit",
		'Standard' as "PricingCategory", 'USD' as "PricingCurrency",
		r.price as "ListUnitPrice", r.price as "ContractedUnitPrice",
		i.sign * r.cost as "ListCost", i.sign * r.cost as "ContractedCost", i.sign * r.cost as "EffectiveCost", i.sign * r.cost as "BilledCost",
		'USD' as "BillingCurrency",
		p.name as "ServiceProviderName", p.name as "HostProviderName", 'Stepledger' as "InvoiceIssuerName", i.invoice::text as "InvoiceId",
		'AI and Machine Learning' as "ServiceCategory", 'Generative AI' as "ServiceSubcategory", p.service as "ServiceName",
		i.model as "SkuId", r.description as "SkuMeter", nullif(i.price_version, '') as "SkuPriceId",
		json_build_object('serviceTier', i.service_tier, 'modality', r.modality)::text as "SkuPriceDetails",
		i.call_id as "ResourceId", 'Model call' as "ResourceType",
		json_build_object('user', i.user_id, 'session', i.session_id, 'task', i.task_id, 'actionType', i.purpose)::text as "Tags",
		i.task_id as "x_TaskId", i.session_id as "x_SessionId", i.provider as "x_Provider", i.purpose as "x_ActionType",
		case when i.estimated then 'estimated' else 'provider' end as "x_UsageSource",
		i.cost_status as "x_CostStatus", i.attempt as "x_Attempt"
	from (
		select b.*, n.id as invoice,
			coalesce(n.period_start, m.billing_start) as billing_start, coalesce(n.period_end, m.billing_end) as billing_end
		from billing.log
			cross join billing.bill b
			-- What was not on its month's statement is on the first that came after it.
			left join lateral (
				select s.id, s.period_start, s.period_end from billing.statement s
				where b.statement is not null and s.tenant = b.tenant
					and case when b.is_correction then billing.stated(s, log.id, b.billed_at_position, b.billed_at) else s.id = b.statement end
				order by s.period_start
				limit 1
			) n on true
			cross join lateral (
				select date_trunc('month', x.at at time zone b.time_zone) at time zone b.time_zone as billing_start,
					(date_trunc('month', x.at at time zone b.time_zone) + interval '1 month') at time zone b.time_zone as billing_end
				from (select case when b.is_correction then b.billed_at else b.started_at end as at) x
			) m
	) i
		left join identity.tenants t on t.id::text = i.tenant
		left join identity.users u on u.id::text = i.user_id
		cross join lateral (
			select
				case i.provider when 'google' then 'Google' when 'vertex' then 'Google' when 'openai' then 'OpenAI'
					when 'anthropic' then 'Anthropic' else i.provider end as name,
				case i.provider when 'google' then 'Gemini API' when 'vertex' then 'Vertex AI' when 'openai' then 'OpenAI API'
					when 'anthropic' then 'Claude API' else i.provider end as service
		) p
		cross join lateral (
			select meter, description, modality, tokens, price,
				case when i.cost_status <> 'unpriced' then tokens * coalesce(price, 0) end as cost
			from (
				select meter, description, modality, tokens, (i.unit_prices ->> meter)::numeric as price
				from (values
					('inputUncached', 'input tokens', 'text', i.input_uncached),
					('inputCached', 'cached input tokens', 'text', i.input_cached),
					('inputTool', 'tool input tokens', 'text', i.input_tool),
					('inputAudio', 'audio input tokens', 'audio', i.input_audio),
					('output', 'output tokens', 'text', i.output),
					('thinking', 'output reasoning tokens', 'text', i.thinking)
				) as m (meter, description, modality, tokens)
				where tokens <> 0
			) as priced
			union all
			select null, null, null, null, null, rest from (
				select i.cost - coalesce((i.unit_prices ->> 'inputUncached')::numeric, 0) * i.input_uncached
					- coalesce((i.unit_prices ->> 'inputCached')::numeric, 0) * i.input_cached
					- coalesce((i.unit_prices ->> 'inputTool')::numeric, 0) * i.input_tool
					- coalesce((i.unit_prices ->> 'inputAudio')::numeric, 0) * i.input_audio
					- coalesce((i.unit_prices ->> 'output')::numeric, 0) * i.output
					- coalesce((i.unit_prices ->> 'thinking')::numeric, 0) * i.thinking as rest
			) as unmetered
			where rest <> 0
		) r;

-- A text as a spreadsheet may be shown it: one that it would take for a formula (it
-- begins with = + - @, their full-width forms, tab or a line break) has a quote before it.
create function billing.cell(value text) returns text language sql immutable as
	'select case when ascii(value) in (61, 43, 45, 64, 9, 10, 13, 65309, 65291, 65293, 65312) then chr(39) || value else value end';

-- +goose Down
drop function billing.cell(text);
drop view billing.focus, billing.bill, billing.log;
drop function billing.stated(billing.statement, text, bigint, timestamptz);
drop view billing.usage_monthly, billing.usage_daily, billing.usage_correction, billing.usage_call;

-- +goose Up
-- The size of a prompt above which a model has its second rates is the price's own:
-- providers differ. All rows so far were made for 200,000 tokens.
alter table billing.price add column long_above bigint check (long_above > 0);
alter table billing.price disable trigger price_is_append_only;
update billing.price set long_above = 200000 where has_long;
alter table billing.price enable trigger price_is_append_only;
alter table billing.price add constraint price_long_above check (has_long = (long_above is not null));

comment on column billing.price.has_long is 'Long prompts have rates of their own.';
comment on column billing.price.long_above is 'A prompt of more tokens than these, cached ones included, is long; null where that makes no difference.';

comment on column billing.usage_call.total_matches is 'False where the provider''s account contradicts itself: tokens that do not add up to its total, or cannot all be read.';
comment on column billing.usage_daily.mismatched_calls is 'Of them, those whose provider''s account contradicts itself.';
comment on column billing.usage_monthly.mismatched_calls is 'Of them, those whose provider''s account contradicts itself.';

-- +goose Down
alter table billing.price drop column long_above;
comment on column billing.price.has_long is 'Prompts above 200,000 tokens have rates of their own.';

-- +goose Up
-- Limits of single tenants, beside those of their tier.

create table identity.tenant_limits (
	tenant_id  uuid not null references identity.tenants (id) on delete cascade,
	-- a class of endpoints (domain/account)
	class      text not null check (class <> ''),
	per_minute int not null check (per_minute between 1 and 1000000),
	set_at     timestamptz not null default now(),
	primary key (tenant_id, class)
);

-- +goose Down
drop table identity.tenant_limits;

-- +goose Up
-- Tenants, users, tokens, limits and preferences. Not event-sourced: secrets
-- and personal data do not belong in a log that is kept for good.

create table identity.tenants (
	id         uuid primary key,
	name       text not null check (name <> ''),
	-- decides the rate limits; which tiers exist is configuration
	tier       text not null check (tier <> ''),
	created_at timestamptz not null default now()
);

create table identity.users (
	id            uuid primary key,
	tenant_id     uuid not null references identity.tenants (id),
	-- lower case; one account per address, since a login names no tenant
	email         text not null unique check (email = lower(email)),
	name          text not null,
	password_hash text not null check (password_hash like '$argon2id$%'),
	disabled_at   timestamptz,
	created_at    timestamptz not null default now()
);
create index users_tenant on identity.users (tenant_id);

create table identity.tokens (
	-- SHA-256 of the token; the token itself is nowhere
	hash       bytea primary key check (length(hash) = 32),
	user_id    uuid not null references identity.users (id) on delete cascade,
	created_at timestamptz not null default now(),
	expires_at timestamptz not null
);
create index tokens_user on identity.tokens (user_id);

create table identity.preferences (
	user_id    uuid not null references identity.users (id) on delete cascade,
	tenant_id  uuid not null references identity.tenants (id),
	-- a JSON object, as text: returned as it came, however deep or odd
	document   text not null,
	updated_at timestamptz not null default now(),
	primary key (tenant_id, user_id)
);

-- One row per limit in use: the theoretical arrival time of the generic cell
-- rate algorithm. Unlogged: cheap, and after a crash everyone starts afresh.
create unlogged table identity.rate_limits (
	key text primary key,
	tat timestamptz not null
) with (fillfactor = 50);

-- +goose Down
drop table identity.rate_limits;
drop table identity.preferences;
drop table identity.tokens;
drop table identity.users;
drop table identity.tenants;

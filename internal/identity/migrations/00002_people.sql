-- +goose Up
-- Several users a tenant, with roles, who are invited; logins that can be listed; and
-- an account of who changed what.

alter table identity.tenants
	-- a personal tenant has one user and takes no others
	add column kind text not null default 'organization' check (kind in ('personal', 'organization')),
	-- host patterns of the sites the tenant's own knowledge is about
	add column allowed_domains text[] not null default '{}';

-- Those who are there could do everything so far.
alter table identity.users add column role text not null default 'admin'
	check (role in ('member', 'finance', 'engineer', 'admin'));
alter table identity.users alter column role drop default;

alter table identity.tokens
	-- names a login without giving its token away
	add column id uuid not null default gen_random_uuid(),
	add column last_used_at timestamptz not null default now(),
	-- what the login came from, as it called itself
	add column agent text not null default '';
create unique index tokens_id on identity.tokens (id);

create table identity.invites (
	id          uuid primary key,
	tenant_id   uuid not null references identity.tenants (id) on delete cascade,
	email       text not null check (email = lower(email)),
	name        text not null,
	role        text not null check (role in ('member', 'finance', 'engineer', 'admin')),
	-- SHA-256 of the token that accepts it; null once it was accepted or revoked
	hash        bytea unique check (length(hash) = 32),
	created_at  timestamptz not null default now(),
	expires_at  timestamptz not null,
	accepted_at timestamptz,
	revoked_at  timestamptz
);
create index invites_tenant on identity.invites (tenant_id, created_at);
-- at most one open invitation for an address in a tenant
create unique index invites_open on identity.invites (tenant_id, email) where hash is not null;

-- Rows are only added. They hold ids, never addresses, names or secrets.
create table identity.audit (
	id         bigint generated always as identity primary key,
	-- null where nobody was found to whom it could be put down: a refused login
	tenant_id  uuid,
	at         timestamptz not null default now(),
	-- who did it: null is the operator, by a command
	actor_id   uuid,
	action     text not null,
	-- whom or what it was done to
	subject_id uuid,
	-- from what to what, in words of the program
	was        text not null default '',
	became     text not null default '',
	request    text not null default ''
);
create index audit_tenant on identity.audit (tenant_id, id);

-- +goose Down
drop table identity.audit;
drop table identity.invites;
alter table identity.tokens drop column id, drop column last_used_at, drop column agent;
alter table identity.users drop column role;
alter table identity.tenants drop column kind, drop column allowed_domains;

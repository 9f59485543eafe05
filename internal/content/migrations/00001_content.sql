-- +goose Up
create schema if not exists content;

-- Tells whether the master key is the one this database was begun with.
create table content.master_check (
    singleton boolean primary key default true check (singleton),
    sealed    bytea not null
);

create table content.tenant_keys (
    tenant     text primary key,
    wrapped    bytea not null,
    created_at timestamptz not null default now()
);

-- wrapped is null once the key was dropped.
create table content.data_keys (
    tenant     text not null,
    subject    text not null,
    wrapped    bytea,
    created_at timestamptz not null default now(),
    dropped_at timestamptz,
    primary key (tenant, subject)
);

-- A chain is a full blob (seq 0) and those compressed against the one before.
create table content.blobs (
    tenant     text not null,
    subject    text not null,
    ref        text not null,
    kind       text not null,
    chain      text not null,
    seq        int  not null,
    size       int  not null,
    body       bytea not null,
    created_at timestamptz not null default now(),
    primary key (tenant, subject, ref)
);
alter table content.blobs alter column body set storage external; -- sealed bytes do not compress
create index blobs_chain on content.blobs (tenant, subject, chain, seq);
create index blobs_age on content.blobs (created_at);

-- +goose Down
drop schema content cascade;

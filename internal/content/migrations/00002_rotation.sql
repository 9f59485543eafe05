-- +goose Up
-- Keys can be exchanged while they are in use: beside each wrapped key stands under which
-- one it is wrapped. master is the id of a master key, which tells nothing of the key; ''
-- is the one master_check was sealed with before ids were noted.
alter table content.master_check add column master text not null default '';

-- number counts the keys a tenant has had. wrapped is null once the key was dropped: the
-- tenant never gets another.
alter table content.tenant_keys
    alter column wrapped drop not null,
    add column number     integer not null default 1,
    add column master     text    not null default '',
    add column dropped_at timestamptz;

-- Former keys of tenants, until no data key is wrapped under them.
create table content.former_tenant_keys (
    tenant  text    not null,
    number  integer not null,
    wrapped bytea   not null,
    master  text    not null,
    primary key (tenant, number)
);

alter table content.data_keys add column tenant_key integer not null default 1;

-- The erasures these tables know of. A restored backup lacks those made since.
create table content.erasures (
    erasure    text primary key,
    applied_at timestamptz not null default now()
);

-- +goose Down
drop table content.erasures;
alter table content.data_keys drop column tenant_key;
drop table content.former_tenant_keys;
delete from content.tenant_keys where wrapped is null;
alter table content.tenant_keys
    drop column dropped_at,
    drop column master,
    drop column number,
    alter column wrapped set not null;
alter table content.master_check drop column master;

-- +goose Up

-- Which log this is. Made once, here: a checkpoint that names another log is of
-- no use in this one.
create table log.identity (
    singleton  boolean     primary key default true check (singleton),
    id         uuid        not null default gen_random_uuid(),
    created_at timestamptz not null default now()
);
insert into log.identity default values;

-- The place of the next event. Drawn only under the log's lock (batch.go).
create sequence log.position as bigint minvalue 1;

-- Streams are kept by name, not by a number: an append and a page of the whole
-- log need no second table that way, for some 70 bytes an event. Names and types
-- compare by bytes. Data and metadata are bytea because they are given back as
-- they came; log.readable shows them as text.
create table log.events (
    position    bigint           not null,
    revision    bigint           not null,
    recorded_at timestamptz      not null,
    id          uuid             not null,
    stream      text collate "C" not null,
    type        text collate "C" not null,
    data        bytea            not null,
    meta        bytea            not null,
    constraint events_position primary key (position),
    constraint events_revision unique (stream, revision),
    constraint events_id       unique (id)
);

-- An append-only table changes only at its end: look at what is new after
-- 20 000 events, not after a fifth of the log, so that index-only knowledge and
-- statistics stay fresh when it has ten million.
alter table log.events set (
    autovacuum_vacuum_insert_scale_factor  = 0,
    autovacuum_vacuum_insert_threshold     = 20000,
    autovacuum_analyze_scale_factor        = 0.02
);

-- Streams that do not simply live for ever; most have no row here.
create table log.retention (
    stream          text collate "C" primary key,
    max_age         interval,
    max_count       bigint,
    truncate_before bigint  not null default 0,
    deleted_before  bigint  not null default 0,
    tombstoned      boolean not null default false
);

create view log.readable as
select position, stream, revision, type, recorded_at, id,
       convert_from(data, 'UTF8') as data,
       convert_from(meta, 'UTF8') as meta
from log.events;

-- +goose Down
drop view log.readable;
drop table log.retention;
drop table log.events;
drop sequence log.position;
drop table log.identity;

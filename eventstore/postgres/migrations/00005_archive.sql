-- +goose Up

-- What has left log.events for the archive: the segments, one row for each file, and which revisions of which
-- streams they hold, from a row of the file on. A stream's rows follow each other from its first revision without
-- gaps, up to the first that is in log.events; its last event is always there.
create table log.segments (
    id             bigint      generated always as identity primary key,
    object         text        not null unique,
    first_position bigint      not null,
    last_position  bigint      not null,
    events         integer     not null,
    bytes          bigint      not null,
    sha256         bytea       not null,
    created_at     timestamptz not null default now()
);
create index segments_reach on log.segments (last_position);

create table log.archived (
    stream        text collate "C" not null,
    from_revision bigint           not null,
    to_revision   bigint           not null,
    segment       bigint           not null references log.segments,
    first_row     integer          not null,
    primary key (stream, from_revision)
);
create index archived_segment on log.archived (segment);

-- Counts how often events were removed from log.events. Who goes on with a stream by memory relies on the index of
-- revisions to object; it can only object to what is there, so an append by memory holds only while nothing was
-- removed since. A sequence, because an append asks after it has waited for the lock, in a statement whose snapshot
-- is older. Drawn under the log's lock; 0 while nothing was ever removed. What retention has hidden may have been
-- removed by a schema like this one that was taken back.
create sequence log.removals as bigint minvalue 0 start 0;
select setval('log.removals', case when exists (select from log.retention where deleted_before > 0) then 1 else 0 end);

-- Rows are removed now: space is to be used again before a fifth of the log is dead.
alter table log.events set (autovacuum_vacuum_scale_factor = 0.02);

-- Who serves may add to the log and not change it. These two are how rows leave it: they look at what they remove, and
-- believe the caller that a segment is stored.

-- log.archive moves ranges of streams into a segment that has been written. It fails with SL001 if they are not, in
-- one piece and from the beginning, what is in log.events, the last event left out: somebody else has removed some, or
-- this is another server than they were read from, which has others there (p_ids is the sum of the first 60 bits of
-- their ids). The rows are deleted before the lock is taken, so that nobody waits for that. An append that clashes with
-- one of them holds the lock and waits for this: the server ends one of the two after a second, which tries again.
-- +goose StatementBegin
create function log.archive(
    p_object text, p_first bigint, p_last bigint, p_events integer, p_bytes bigint, p_sha256 bytea,
    p_streams text[], p_from bigint[], p_to bigint[], p_row integer[], p_ids numeric
) returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
    removed bigint;
    first   bigint;
    last    bigint;
    ids     numeric;
    made    bigint;
begin
    with gone as (
        delete from log.events e
        using unnest(p_streams, p_from, p_to) a(stream, from_revision, to_revision)
        where e.stream = a.stream and e.revision between a.from_revision and a.to_revision
        returning e.position, e.id
    )
    select count(*), min(position), max(position), sum(('x' || left(replace(id::pg_catalog.text, '-', ''), 15))::bit(60)::bigint)
    into removed, first, last, ids from gone;
    if removed <> p_events or first <> p_first or last <> p_last or ids <> p_ids or removed <> (select sum(t - f + 1) from unnest(p_from, p_to) x(f, t)) or exists (
        select from unnest(p_streams, p_to) a(stream, to_revision)
        where exists (select from log.events x where x.stream = a.stream and x.revision < a.to_revision)
           or not exists (select from log.events x where x.stream = a.stream and x.revision > a.to_revision and x.type <> '$tombstone')
    ) then
        raise exception 'the events are not what is in the log any more' using errcode = 'SL001';
    end if;
    perform pg_catalog.pg_advisory_xact_lock(7106407);
    perform nextval('log.removals');
    insert into log.segments (object, first_position, last_position, events, bytes, sha256)
    values (p_object, p_first, p_last, p_events, p_bytes, p_sha256)
    returning id into made;
    insert into log.archived (stream, from_revision, to_revision, segment, first_row)
    select a.stream, a.from_revision, a.to_revision, made, a.first_row
    from unnest(p_streams, p_from, p_to, p_row) a(stream, from_revision, to_revision, first_row);
    return made;
end $$;
-- +goose StatementEnd

-- log.scavenge removes at most p_limit hidden events of the streams in p_streams that are older than p_older: from
-- each stream's beginning, in order, never its last event or what is behind it. What is removed stays hidden:
-- deleted_before says so. Ranges in the archive that are hidden as a whole leave its index, and so do segments with
-- nothing else. It returns how many rows it has removed.
-- +goose StatementBegin
create function log.scavenge(p_streams text[], p_limit bigint, p_older interval)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
    r        record;
    gone     bigint;
    upto     bigint;
    removed  bigint := 0;
    streams  text[] := '{}';
    before   bigint[] := '{}';
    emptied  bigint[];
    dropped  bigint[] := '{}';
begin
    for r in
        select k.stream, k.max_age, h.revision as head,
               least(h.revision, greatest(k.truncate_before, k.deleted_before, h.revision - k.max_count + 1)) as floor
        from log.retention k
        cross join lateral (
            select x.revision from log.events x
            where x.stream = k.stream and x.type <> '$tombstone'
            order by x.revision desc limit 1) h
        where k.stream = any (p_streams)
        order by k.stream
    loop
        exit when removed >= p_limit;
        with first as (
            select x.position, x.revision,
                   bool_and(x.revision < r.head and x.recorded_at < now() - p_older
                       and (x.revision < r.floor or coalesce(x.recorded_at < now() - r.max_age, false)))
                       over (order by x.revision) as hidden
            from (
                select e.position, e.revision, e.recorded_at from log.events e
                where e.stream = r.stream order by e.revision limit p_limit - removed) x
        ), deleted as (
            delete from log.events e using first f where f.hidden and e.position = f.position
            returning e.revision
        )
        select count(*), max(revision) + 1 into gone, upto from deleted;
        removed := removed + gone;
        with dropped_ranges as (
            delete from log.archived a using log.segments s
            where a.stream = r.stream and s.id = a.segment and s.created_at < now() - p_older
              and (a.to_revision < r.floor or coalesce(s.created_at < now() - r.max_age, false))
            returning a.segment, a.to_revision
        )
        select array_agg(distinct segment), greatest(upto, max(to_revision) + 1) into emptied, upto from dropped_ranges;
        if upto is not null then
            streams := streams || r.stream;
            before := before || upto;
            dropped := dropped || coalesce(emptied, '{}');
        end if;
    end loop;
    if cardinality(streams) = 0 then
        return 0;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(7106407);
    perform nextval('log.removals');
    update log.retention k set deleted_before = greatest(k.deleted_before, b.before)
    from unnest(streams, before) b(stream, before)
    where k.stream = b.stream;
    delete from log.segments s
    where s.id = any (dropped) and not exists (select from log.archived a where a.segment = s.id);
    return removed;
end $$;
-- +goose StatementEnd

revoke all on function log.archive, log.scavenge from public;

-- +goose Down

-- Without the index what was archived would be lost to every reader; and the version before takes a stream for new
-- whose events were removed. Nothing is archived while this looks.
lock table log.segments, log.archived in access exclusive mode;
-- +goose StatementBegin
do $$ begin
    if exists (select from log.segments) then
        raise exception 'events are in the archive, which the schema before this one does not know';
    end if;
    if exists (select from log.retention where deleted_before > 0) and pg_sequence_last_value('log.removals') > 0 then
        raise exception 'events were removed, of which the schema before this one does not know';
    end if;
end $$;
-- +goose StatementEnd
drop function log.scavenge;
drop function log.archive;
drop sequence log.removals;
drop table log.archived;
drop table log.segments;
alter table log.events reset (autovacuum_vacuum_scale_factor);

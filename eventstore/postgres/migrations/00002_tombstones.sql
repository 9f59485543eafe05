-- +goose Up

-- The tombstone of a stream is a row behind its last event, so that an append
-- meets it in the unique index of revisions and need not look for it. It is of a
-- reserved type and below deleted_before: no reader is given it.
insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
select nextval('log.position'), r.deleted_before, now(), gen_random_uuid(), r.stream, '$tombstone', '{}', ''
from log.retention r
where r.tombstoned;

update log.retention set deleted_before = deleted_before + 1 where tombstoned;

-- +goose Down
delete from log.events where type = '$tombstone';
update log.retention set deleted_before = deleted_before - 1 where tombstoned;

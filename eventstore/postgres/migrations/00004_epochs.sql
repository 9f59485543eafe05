-- +goose Up

-- The histories of this log, one row for each. A database that was restored, copied or
-- taken over by a standby says so by its incarnation: the first to write to it begins
-- an epoch, at the head as it is then. The first row is made by the first to open the
-- log. The word is drawn, because a log may be restored twice to before its second
-- epoch; 0 is that of the first.
create table log.epoch (
    epoch       integer     primary key,
    word        bigint      not null,
    incarnation text        not null,
    began_at    bigint      not null,
    noticed_at  timestamptz not null default now()
);

-- +goose Down
drop table log.epoch;

-- +goose Up

-- The newest form in which blobs are stored. Each version reads all forms up to its own, and
-- writes no newer one than this, so that the version before can read what it writes until
-- nobody goes back to it. A database that has keys may be worked with by a version that
-- reads none but whole frames.
create table content.format (
    singleton boolean primary key default true check (singleton),
    writes    integer not null check (writes >= 0)
);
insert into content.format (writes)
select case when exists (select from content.tenant_keys) then 0 else 1 end;

-- +goose Down
drop table content.format;

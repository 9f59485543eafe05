-- +goose Up
-- Whose an event is that was put aside. '' for those put aside before this: only
-- operators see these.
alter table read.parked add column tenant text not null default '';

-- +goose Down
alter table read.parked drop column tenant;

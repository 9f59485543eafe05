-- +goose Up

-- Up to which position an earlier epoch of the log, or the log a copy was made of, is
-- the present log's own past: what stands at such a position there stands there here.
create table read.past (
	was      text   not null,
	log_id   text   not null,
	position bigint not null,
	primary key (was, log_id)
);

-- +goose Down
drop table read.past;

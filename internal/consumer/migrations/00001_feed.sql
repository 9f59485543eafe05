-- +goose Up

-- How far each consumer of the log has come. A row is of use for one log and
-- one topic; the term counts the claims, and only the last one may save.
create table feed.checkpoint (
	consumer text        primary key,
	topic    text        not null,
	log_id   text        not null,
	term     bigint      not null default 1,
	position bigint      not null default 0,
	moved_at timestamptz not null default now()
);

-- Events that could not be handled, and the later ones of their streams, in
-- order. The events themselves are in the log.
create table feed.parked (
	consumer   text             not null,
	position   bigint           not null,
	stream     text collate "C" not null,
	revision   bigint           not null,
	event_id   uuid             not null,
	event_type text             not null,
	reason     text             not null,
	parked_at  timestamptz      not null default now(),
	primary key (consumer, position)
);

create index parked_stream on feed.parked (consumer, stream, position);

-- +goose Down
drop table feed.parked;
drop table feed.checkpoint;

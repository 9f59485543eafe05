-- +goose Up
create extension if not exists pg_trgm;

-- Every set of tables of a projection that exists: the live one and, while a
-- rebuild runs, the one being built. Its tables are in read_<projection>_<generation>.
create sequence read.generation;

create table read.checkpoint (
	projection text        not null,
	generation bigint      not null default nextval('read.generation'),
	version    integer     not null,
	log_id     text        not null,
	position   bigint      not null default 0,
	live       boolean     not null,
	updated_at timestamptz not null default now(),
	primary key (projection, generation)
);

create unique index checkpoint_one_live on read.checkpoint (projection) where live;
create unique index checkpoint_one_building on read.checkpoint (projection) where not live;

-- Events that could not be applied, and the later ones of their streams, in
-- order. The events themselves are in the log.
create table read.parked (
	projection text        not null,
	generation bigint      not null,
	position   bigint      not null,
	stream     text        not null,
	revision   bigint      not null,
	event_id   uuid        not null,
	event_type text        not null,
	error      text        not null,
	parked_at  timestamptz not null default now(),
	primary key (projection, generation, position),
	foreign key (projection, generation) references read.checkpoint on delete cascade
);

create index parked_stream on read.parked (projection, generation, stream, position);

-- +goose Down
drop table read.parked;
drop table read.checkpoint;
drop sequence read.generation;

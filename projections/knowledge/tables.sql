create table source (
	source_id     uuid        primary key,
	tenant        text        not null,
	kind          text        not null,
	name          text        not null,
	url           text        not null,
	domains       text[]      not null,
	language      text        not null,
	max_pages     integer     not null,
	max_depth     integer     not null,
	every_seconds bigint      not null,
	added_by      text        not null,
	added_at      timestamptz not null,
	-- of a source nothing is left of but this row, until its keys are gone.
	removed_at    timestamptz,
	-- of its language, for documents that declare none.
	dictionary    text        not null,
	script        text        not null
);

create index on source (tenant, added_at, source_id);

-- The last crawl of a source.
create table crawl (
	source_id   uuid        primary key,
	tenant      text        not null,
	generation  integer     not null,
	found       integer     not null default 0,
	dropped     integer     not null default 0,
	visits      jsonb       not null default '{}',
	limited     boolean     not null default false,
	failed      text        not null default '',
	started_at  timestamptz not null,
	finished_at timestamptz
);

create table document (
	document_id  uuid        primary key,
	tenant       text        not null,
	source_id    uuid        not null,
	path         text        not null,
	title        text        not null default '',
	state        text        not null,
	-- the last version that came, and the one that is found.
	version_id   uuid        not null,
	number       integer     not null,
	live_version uuid,
	code         text        not null default '',
	reason       text        not null default '',
	page         integer     not null default 0,
	of_pages     integer     not null default 0,
	attempts     integer     not null default 0,
	type         text        not null default '',
	media        text        not null,
	bytes        text        not null,
	size         bigint      not null,
	pages        integer     not null default 0,
	image_pages  integer     not null default 0,
	chunks       integer     not null default 0,
	language     text        not null default '',
	-- The version of the reader that read the last version; see knowledge.ReaderVersion.
	reader       integer     not null default 0,
	generation   integer     not null,
	phase        text        not null,
	task_id      text        not null,
	turn         integer     not null,
	added_by     text        not null,
	received_at  timestamptz not null,
	checked_at   timestamptz not null,
	reading_at   timestamptz,
	ended_at     timestamptz
);

create index on document (source_id, received_at, document_id);
create index on document (tenant, source_id);
create index on document (source_id) where state in ('received', 'reading');
create index on document (reader, source_id);

-- The versions whose keys are not gone yet. State: received, live, empty, refused, old.
create table document_version (
	version_id  uuid        primary key,
	tenant      text        not null,
	source_id   uuid        not null,
	document_id uuid        not null,
	number      integer     not null,
	state       text        not null,
	path        text        not null,
	title       text        not null default '',
	trigger     text        not null default '',
	phase       text        not null,
	type        text        not null default '',
	language    text        not null default '',
	received_at timestamptz not null,
	indexed_at  timestamptz
);

create index on document_version (document_id);
create index on document_version (source_id);
create index on document_version (source_id) where state = 'old';

-- Text that is not found yet: its version is being read. Config is the guess for a text
-- without a declared language; words and places are those of its index, see words.go.
create table staged (
	version_id  uuid    not null,
	-- Of the reading: one that died leaves rows that no version is made of.
	attempt     integer not null,
	ord         integer not null,
	tenant      text    not null,
	source_id   uuid    not null,
	document_id uuid    not null,
	part        integer not null,
	nth         integer not null,
	page        integer not null,
	from_at     integer not null,
	to_at       integer not null,
	headings    jsonb   not null,
	text        text    not null,
	script      text    not null,
	config      text    not null,
	words       text    not null,
	places      text    not null,
	length      integer not null,
	primary key (version_id, attempt, ord)
);

create index on staged (document_id);
create index on staged (source_id);

-- What can be found.
create table chunk (
	version_id  uuid    not null,
	ord         integer not null,
	tenant      text    not null,
	source_id   uuid    not null,
	document_id uuid    not null,
	part        integer not null,
	nth         integer not null,
	page        integer not null,
	from_at     integer not null,
	to_at       integer not null,
	headings    jsonb   not null,
	text        text    not null,
	primary key (version_id, ord)
);

create index on chunk (document_id);
create index on chunk (source_id);

-- Its words, apart, because they are read of many chunks for every one that is shown.
-- Superseded counts the versions that take its place.
create table chunk_words (
	version_id  uuid     not null,
	ord         integer  not null,
	tenant      text     not null,
	source_id   uuid     not null,
	document_id uuid     not null,
	config      text     not null,
	length      integer  not null,
	superseded  integer  not null default 0,
	words       tsvector not null,
	primary key (version_id, ord)
) with (toast_tuple_target = 8160);

alter table chunk_words alter column words set storage main;
create index on chunk_words (document_id);
create index on chunk_words (source_id);
create index on chunk_words using gin (words) with (gin_pending_list_limit = 512);

create table superseded (
	tenant      text    not null,
	source_id   uuid    not null,
	document_id uuid    not null, -- of by_version
	by_version  uuid    not null,
	version_id  uuid    not null,
	ord         integer not null,
	primary key (by_version, version_id, ord)
);

create index on superseded (document_id);
create index on superseded (source_id);
create index on superseded (version_id);

-- In how many chunks of a tenant a word is, as its dictionary has it.
create table term (
	tenant text    not null,
	lexeme text    collate "C" not null,
	df     integer not null,
	primary key (tenant, lexeme)
) with (fillfactor = 80);

-- How many chunks and words a tenant has in each language.
create table corpus (
	tenant text    not null,
	config text    not null,
	chunks bigint  not null,
	length bigint  not null,
	primary key (tenant, config)
);

create table chunk_vector (
	version_id  uuid    not null,
	attempt     integer not null,
	part        integer not null,
	nth         integer not null,
	model       text    not null,
	dimensions  integer not null,
	tenant      text    not null,
	source_id   uuid    not null,
	document_id uuid    not null,
	vector      bytea   not null,
	primary key (version_id, attempt, part, nth, model)
) with (toast_tuple_target = 8160);

alter table chunk_vector alter column vector set storage main;
create index on chunk_vector (document_id);
create index on chunk_vector (source_id);
create index on chunk_vector (tenant, model, dimensions);

-- Words that were mistyped are found by it. Without the extension they are not.
do $$
begin
	if exists (select from pg_extension where extname = 'pg_trgm') then
		create index on term using gin (lexeme gin_trgm_ops);
	end if;
end $$;

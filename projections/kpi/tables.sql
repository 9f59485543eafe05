-- How often something happened in an hour, and the sum of a value that goes with it. The
-- hour 'epoch' has the sums since the beginning.
create table tally (
	hour  timestamptz not null,
	name  text        not null,
	label text        not null,
	count bigint      not null,
	total float8      not null,
	primary key (hour, name, label)
) with (fillfactor = 50);

-- What has to be known of a task that has not ended.
create table course (
	task_id    uuid        primary key,
	simple     boolean     not null default false,
	plans      integer     not null default 0,
	replaced   integer     not null default 0,
	steps      integer     not null default 0,
	-- sources of the answer before, with commas; null before the first.
	sources    text,
	-- the steps whose verdict is that of a correction, and of an answer that was shown
	-- skills; -1 for none.
	correcting integer     not null default -1,
	skilled    integer     not null default -1,
	updated_at timestamptz not null
);

create index on course (updated_at);

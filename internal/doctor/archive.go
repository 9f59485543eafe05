package doctor

import (
	"context"
	"fmt"
	"time"
)

func archive(ctx context.Context, s *session) (Finding, error) {
	var mode string
	var way bool
	var failed int64
	var age, failedAge *float64
	err := s.direct.QueryRow(ctx, `
		select current_setting('archive_mode'),
			coalesce(nullif(current_setting('archive_command', true), ''), nullif(current_setting('archive_library', true), '')) is not null,
			failed_count, extract(epoch from now() - last_archived_time)::float8, extract(epoch from now() - last_failed_time)::float8
		from pg_stat_archiver`).Scan(&mode, &way, &failed, &age, &failedAge)
	const restore = "archive the write-ahead log (archive_mode, archive_command): without it a restore brings back the last base backup only"
	switch {
	case err != nil:
		return Finding{}, err
	case mode == "off":
		return noted(Warn, restore, "archive_mode is off")
	case !way:
		return noted(Fail, restore, "archive_mode is %s, with no archive_command and no archive_library", mode)
	case failedAge != nil && (age == nil || *failedAge < *age):
		return noted(Fail, "see the server's log for what the archive_command said; the disk fills with what is not archived",
			"the last try failed %v ago, %d in all", seconds(*failedAge), failed)
	case age == nil:
		return noted(Warn, "set archive_timeout, and look again: a segment is archived when it is full", "nothing is archived yet")
	case seconds(*age) > s.Archived:
		return noted(Warn, fmt.Sprintf("set archive_timeout below %v: what came since the last segment is in no backup", s.Archived), "the last segment was archived %v ago", seconds(*age).Round(time.Second))
	}
	return ok("the last segment was archived %v ago", seconds(*age).Round(time.Second))
}

// slots: what a slot that nobody reads keeps fills the disk.
func slots(ctx context.Context, s *session) (Finding, error) {
	var n, idle, lost int
	var kept int64
	var names string
	err := s.direct.QueryRow(ctx, `
		select count(*), count(*) filter (where not active), count(*) filter (where wal_status = 'lost'),
			coalesce(max(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn)) filter (where not active), 0)::bigint,
			coalesce(string_agg(slot_name, ', ') filter (where not active), '')
		from pg_replication_slots`).Scan(&n, &idle, &lost, &kept, &names)
	const drop = "start what reads it, or drop it: select pg_drop_replication_slot('…'); and set max_slot_wal_keep_size"
	switch {
	case err != nil:
		return Finding{}, err
	case lost > 0:
		return noted(Fail, "drop it and set its standby up anew", "%d slots have lost what they need", lost)
	case idle > 0 && kept > s.Kept:
		return noted(Fail, drop, "nobody reads %s; %s of write-ahead log is kept for it", names, bytes(kept))
	case idle > 0:
		return noted(Warn, drop, "nobody reads %s; %s of write-ahead log is kept for it", names, bytes(kept))
	}
	return ok("%d, all read", n)
}

func disk(ctx context.Context, s *session) (Finding, error) {
	var size int64
	if err := s.direct.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&size); err != nil {
		return Finding{}, err
	}
	var folder *string // a setting of superusers and pg_read_all_settings
	var local bool
	err := s.direct.QueryRow(ctx, `
		select (select setting from pg_settings where name = 'data_directory'),
			coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true)`).Scan(&folder, &local)
	if err != nil {
		return Finding{}, err
	}
	if folder == nil || !local {
		return ok("the database has %s; how much is free is not to be seen from here", bytes(size))
	}
	free, known := freeIn(*folder)
	const room = "make room: without it turns fail, and then the server stops"
	switch {
	case !known:
		return ok("the database has %s; how much is free is not to be seen from here", bytes(size))
	case free < s.Free/4:
		return noted(Fail, room, "the database has %s, and %s are free", bytes(size), bytes(free))
	case free < s.Free:
		return noted(Warn, room, "the database has %s, and %s are free", bytes(size), bytes(free))
	}
	return ok("the database has %s, and %s are free", bytes(size), bytes(free))
}

func bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	div, exp := int64(unit), 0
	for m := n / unit; m >= unit; m /= unit {
		div *= unit
		exp++
	}
	return fmt.Sprintf("%.1f %ciB", float64(n)/float64(div), "KMGTPE"[exp])
}

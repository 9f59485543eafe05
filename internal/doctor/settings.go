package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// oldest is the oldest server that has what the program uses.
const oldest = 14_00_00

func version(ctx context.Context, s *session) (Finding, error) {
	var number int
	var text string
	err := s.direct.QueryRow(ctx, `select current_setting('server_version_num')::int, current_setting('server_version')`).Scan(&number, &text)
	switch {
	case err != nil:
		return Finding{}, err
	case number < oldest:
		return noted(Fail, "use PostgreSQL 14 or later", "%s", text)
	}
	return ok("%s", text)
}

func writable(ctx context.Context, s *session) (Finding, error) {
	var recovers, readOnly bool
	err := s.direct.QueryRow(ctx, `select pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool`).Scan(&recovers, &readOnly)
	switch {
	case err != nil:
		return Finding{}, err
	case recovers:
		return noted(Fail, "point the address at the primary, with target_session_attrs=read-write, or promote this server", "it is a standby, or still recovers")
	case readOnly:
		return noted(Fail, "set default_transaction_read_only = off for the user", "transactions are read-only")
	}
	return ok("it takes writes")
}

// durability: an acknowledged event has to outlive the server's crash.
func durability(ctx context.Context, s *session) (Finding, error) {
	var fsync, pages bool
	var commit string
	err := s.direct.QueryRow(ctx, `
		select current_setting('fsync')::bool, current_setting('full_page_writes')::bool, current_setting('synchronous_commit')`).
		Scan(&fsync, &pages, &commit)
	var off []string
	if !fsync {
		off = append(off, "fsync")
	}
	if !pages {
		off = append(off, "full_page_writes")
	}
	switch {
	case err != nil:
		return Finding{}, err
	case len(off) > 0:
		return noted(Fail, "switch it on: a crash of the machine loses or corrupts what was acknowledged", "%s is off, synchronous_commit is %s", strings.Join(off, " and "), commit)
	case commit == "off":
		return noted(Warn, "set synchronous_commit = on for the database: the log overrules it, other tools do not", "fsync and full_page_writes are on, synchronous_commit is off")
	}
	return ok("fsync and full_page_writes are on, synchronous_commit is %s", commit)
}

func standbys(ctx context.Context, s *session) (Finding, error) {
	var names, commit string
	var connected, sync int
	err := s.direct.QueryRow(ctx, `
		select current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
			count(*), count(*) filter (where sync_state in ('sync', 'quorum'))
		from pg_stat_replication`).Scan(&names, &commit, &connected, &sync)
	switch {
	case err != nil:
		return Finding{}, err
	case names == "":
		return ok("no commit waits for a standby, %d connected: a failover may lose what came last", connected)
	case commit == "local" || commit == "off":
		return noted(Warn, "set synchronous_commit to on or remote_apply", "synchronous_standby_names is %q, but synchronous_commit = %s does not wait for them", names, commit)
	case sync == 0:
		return noted(Fail, "bring a standby back: until then commits wait for ever", "synchronous_standby_names is %q and no such standby is seen", names)
	}
	return ok("%d synchronous of %d connected (%s)", sync, connected, names)
}

func isolation(ctx context.Context, s *session) (Finding, error) {
	var level string
	if err := s.direct.QueryRow(ctx, `select current_setting('default_transaction_isolation')`).Scan(&level); err != nil {
		return Finding{}, err
	}
	if level != "read committed" {
		return noted(Fail, "set default_transaction_isolation = 'read committed' for the database and the user: appends have to see what the one before them committed", "%s", level)
	}
	return ok("%s", level)
}

func connections(ctx context.Context, s *session) (Finding, error) {
	var most, ours, others, role int
	err := s.direct.QueryRow(ctx, `
		select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			count(*) filter (where application_name like 'stepledger%'),
			count(*) filter (where application_name not like 'stepledger%' and backend_type = 'client backend' and pid <> pg_backend_pid()),
			(select rolconnlimit from pg_roles where rolname = current_user)
		from pg_stat_activity`).Scan(&most, &ours, &others, &role)
	if err != nil {
		return Finding{}, err
	}
	if role >= 0 {
		most = min(most, role)
	}
	used, straight, err := s.ways(ctx)
	if err != nil {
		return Finding{}, err
	}
	each, pool := s.Connections, ""
	if used == transactions && straight == direct {
		each, pool = s.DirectConnections, " and what the pooler takes for its pool"
	}
	needs := each * s.Processes
	found := fmt.Sprintf("%d may connect, others have %d; %d processes need up to %d%s, and have %d now", most, others, s.Processes, needs, pool, ours)
	switch {
	case most-others < needs:
		return noted(Fail, "raise max_connections, take fewer connections a process, or put a pooler before the server", "%s", found)
	case most-others < needs+each:
		return noted(Warn, "leave room for one process more: a rolling restart has both", "%s", found)
	}
	return ok("%s", found)
}

func timeZone(ctx context.Context, s *session) (Finding, error) {
	var zone string
	if err := s.direct.QueryRow(ctx, `select current_setting('TimeZone')`).Scan(&zone); err != nil {
		return Finding{}, err
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return noted(Warn, "set timezone = 'UTC'", "%s, which is none this machine knows", zone)
	}
	return ok("%s; the program's times are independent of it", zone)
}

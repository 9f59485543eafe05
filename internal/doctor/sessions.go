package doctor

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// blind counts the sessions of the database whose doings this user may not see.
const blind = `
	select count(*) from pg_stat_activity
	where datname = current_database() and backend_type is null`

// oldestOf runs a query of who and for how many seconds, longest first.
func (s *session) oldestOf(ctx context.Context, sql string, args ...any) (who string, age time.Duration, n int, err error) {
	rows, err := s.direct.Query(ctx, sql, args...)
	if err != nil {
		return "", 0, 0, err
	}
	type row struct {
		Who string
		Age float64
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil || len(all) == 0 {
		return "", 0, 0, err
	}
	return all[0].Who, seconds(all[0].Age), len(all), nil
}

// unseen adds what could not be seen to a finding that is well.
func (s *session) unseen(ctx context.Context, f Finding) (Finding, error) {
	var n int
	if err := s.direct.QueryRow(ctx, blind).Scan(&n); err != nil {
		return Finding{}, err
	}
	if n > 0 {
		f.State, f.Do = Warn, "grant pg_read_all_stats to the user, or look as another"
		f.Found += "; sessions of other users could not be seen"
	}
	return f, nil
}

// who names a session without its statement, which may hold anything.
const who = `pid || ' (' || coalesce(nullif(application_name, ''), 'unnamed') || ', ' || coalesce(usename, '') || ')'`

func idleTransactions(ctx context.Context, s *session) (Finding, error) {
	name, age, n, err := s.oldestOf(ctx, `
		select `+who+`, extract(epoch from clock_timestamp() - state_change)::float8
		from pg_stat_activity
		where datname = current_database() and state like 'idle in transaction%' and pid <> pg_backend_pid()
		order by state_change`)
	const end = "end it (select pg_terminate_backend(pid)) and set idle_in_transaction_session_timeout for its user: it holds locks and keeps old rows"
	switch {
	case err != nil:
		return Finding{}, err
	case age > s.LongIdle:
		return noted(Fail, end, "session %s has been idle in a transaction for %v", name, age)
	case age > s.Idle:
		return noted(Warn, end, "session %s has been idle in a transaction for %v", name, age)
	}
	f, _ := ok("%d sessions, the oldest for %v", n, age)
	return s.unseen(ctx, f)
}

func longTransactions(ctx context.Context, s *session) (Finding, error) {
	name, age, _, err := s.oldestOf(ctx, `
		select `+who+`, extract(epoch from clock_timestamp() - xact_start)::float8
		from pg_stat_activity
		where datname = current_database() and xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
		order by xact_start`)
	switch {
	case err != nil:
		return Finding{}, err
	case age > s.Transaction:
		return noted(Warn, "see what it does: tables grow and queries slow down while it lasts", "the transaction of session %s lasts since %v", name, age)
	}
	return ok("the oldest lasts since %v", age)
}

func lockWaits(ctx context.Context, s *session) (Finding, error) {
	// Who waits for a migration has to, and is shown by who migrates.
	name, age, n, err := s.oldestOf(ctx, `
		select `+who+` || ', held up by ' || array_to_string(pg_blocking_pids(pid), ', '), extract(epoch from clock_timestamp() - query_start)::float8
		from pg_stat_activity a
		where datname = current_database() and wait_event_type = 'Lock'
		  and not exists (select from pg_locks l where l.pid = a.pid and not l.granted and `+ownLock+`)
		order by query_start`, s.MigrationLocks)
	switch {
	case err != nil:
		return Finding{}, err
	case age > s.LockWait:
		return noted(Fail, "see what the other does, or end it: select pg_terminate_backend(pid)", "session %s has waited for a lock for %v", name, age)
	}
	return ok("%d sessions wait, the longest for %v", n, age)
}

// ownLock is the condition that a lock is one of the advisory locks $1.
const ownLock = `l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
	and l.classid = 0 and l.objsubid = 1 and l.objid = any ($1)`

// ownLocks: the writers' lock is to be held for moments; one of a migration is held for as
// long as that takes, and what breaks it off half-way has to be begun again. The locks of
// duties are held for as long as a process lives.
func ownLocks(ctx context.Context, s *session) (Finding, error) {
	writer, written, n, err := s.heldLongest(ctx, s.WritersLock)
	if err != nil {
		return Finding{}, err
	}
	migrator, migrated, m, err := s.heldLongest(ctx, s.MigrationLocks...)
	switch {
	case err != nil:
		return Finding{}, err
	case written > s.Held:
		return noted(Fail, "nothing is written meanwhile: end the session (select pg_terminate_backend(pid))", "%s, which writers take in turns, is held for %v", writer, written)
	case migrated > s.Held:
		return noted(Warn, "a migration runs; wait until it is done", "%s, which migrations take, is held for %v", migrator, migrated)
	}
	return ok("%d held, the oldest for %v", n+m, max(written, migrated))
}

// heldLongest names the holder of one of some locks, for how long it has it, and how many
// hold one.
func (s *session) heldLongest(ctx context.Context, locks ...int64) (name string, age time.Duration, n int, err error) {
	return s.oldestOf(ctx, `
		select 'lock ' || l.objid || ' of session ' || `+strings.ReplaceAll(who, "pid", "a.pid")+`, extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.state_change))::float8
		from pg_locks l join pg_stat_activity a on a.pid = l.pid
		where `+ownLock+` and l.granted and l.mode = 'ExclusiveLock'
		order by coalesce(a.xact_start, a.state_change)`, locks)
}

// clock compares this machine's clock with the server's, and with what the newest event
// says. Half the time of the question is not known.
func clock(ctx context.Context, s *session) (Finding, error) {
	asked := s.Now()
	var server time.Time
	var events *float64
	err := s.direct.QueryRow(ctx, `select clock_timestamp()`).Scan(&server)
	answered := s.Now()
	if err != nil {
		return Finding{}, err
	}
	if there, err := s.hasLog(ctx); err != nil {
		return Finding{}, err
	} else if there {
		err := s.direct.QueryRow(ctx, `
			select extract(epoch from recorded_at - clock_timestamp())::float8 from log.events order by position desc limit 1`).Scan(&events)
		if err != nil && err != pgx.ErrNoRows { //nolint:errorlint // Scan returns it as it is
			return Finding{}, err
		}
	}
	took := answered.Sub(asked)
	apart := max(0, server.Sub(asked.Add(took/2)).Abs()-took/2).Round(time.Millisecond)
	ahead := time.Duration(0)
	if events != nil {
		ahead = max(0, seconds(*events))
	}
	const set = "set the clocks by NTP: leases, rates and prices go by them"
	switch worst := max(apart, ahead); {
	case worst > 10*s.Skew:
		return noted(Fail, set, "this machine and the database are %v apart; the newest event is %v ahead of the database", apart, ahead)
	case worst > s.Skew:
		return noted(Warn, set, "this machine and the database are %v apart; the newest event is %v ahead of the database", apart, ahead)
	}
	return ok("this machine and the database are %v apart at most", (apart + took/2).Round(time.Millisecond))
}

func (s *session) hasLog(ctx context.Context) (there bool, err error) {
	err = s.direct.QueryRow(ctx, `select to_regclass('log.events') is not null`).Scan(&there)
	return there, err
}

package pgpool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	isolation  = "default_transaction_isolation"
	durability = "synchronous_commit"
)

// RefusedError says that a connection was made and leads to something that cannot be
// worked with.
type RefusedError struct {
	// Why is what was found, Do what helps.
	Why, Do string
}

// Error implements error.
func (e *RefusedError) Error() string { return "database: " + e.Why + "; " + e.Do }

// session is what is known of a connection.
type session struct {
	made time.Time
	// pooled: something in between hands out the server's sessions. Then head is the
	// statement that goes in front of each, and begin follows what begins a transaction.
	pooled      bool
	head, begin string
}

const sessionKey = "stepledger.session"

func sessionOf(conn *pgx.Conn) session {
	s, _ := conn.PgConn().CustomData()[sessionKey].(session)
	return s
}

// meetSQL asks who serves a new connection and what its defaults are, and makes its
// settings: for the session if that is ours, which the process shows that we were told to
// cancel by, and else for no longer than this statement.
const meetSQL = `
	select pg_backend_pid(), current_setting('` + isolation + `'), current_setting('` + durability + `'), concat(%s)`

// meet settles a new connection: a session of our own has its settings then, and of one
// that is lent for a transaction it is found out whether it can have them.
func meet(ctx context.Context, conn *pgx.Conn, settings map[string]string, durable bool) error {
	s := session{made: time.Now()}
	var pid uint32
	var isolated, durably string
	sql := fmt.Sprintf(meetSQL, setAll(settings, durable, fmt.Sprintf("pg_backend_pid() <> %d", conn.PgConn().PID())))
	err := conn.QueryRow(ctx, sql, pgx.QueryExecModeSimpleProtocol).Scan(&pid, &isolated, &durably, nil)
	if err != nil {
		return err
	}
	if s.pooled = isPooled(conn.PgConn(), pid); !s.pooled {
		conn.PgConn().CustomData()[sessionKey] = s
		return nil
	}
	if want := settings[isolation]; isolated != want {
		// That of a single statement is chosen before anything in front of it is run.
		return &RefusedError{
			Why: fmt.Sprintf("behind the pooler %s is %q", isolation, isolated),
			Do:  fmt.Sprintf("alter role … set %s = '%s', for the role of DATABASE_URL", isolation, want),
		}
	}
	settings = maps.Clone(settings)
	delete(settings, isolation)
	s.head = "select " + setAll(settings, durable, "true")
	if durable && !isDurable(durably) {
		settings[durability] = "on"
	}
	s.begin = setLocalAll(settings)
	conn.PgConn().CustomData()[sessionKey] = s
	return s.tryOut(ctx, conn, durable)
}

// isDurable reports whether a commit waits for the disk, and for that of a synchronous
// standby.
func isDurable(value string) bool { return value == "on" || value == "remote_apply" }

// self is a prepared statement that looks for itself on the server. A pooler that keeps
// statements for its clients gives it another name there.
const (
	self    = "stepledger_self"
	selfSQL = `select exists (select from pg_prepared_statements where name = '` + self + `'), current_setting('` + durability + `')`
)

// tryOut begins a transaction through a pooler and reads back what holds in it.
func (s session) tryOut(ctx context.Context, conn *pgx.Conn, durable bool) error {
	if _, err := conn.Exec(ctx, "begin"+s.begin); err != nil {
		if e := new(pgconn.PgError); errors.As(err, &e) && strings.Contains(e.Message, "statement pooling") {
			return &RefusedError{Why: "the pooler hands out sessions for a statement", Do: "set pool_mode = transaction"}
		}
		return err
	}
	var passedOn bool
	var durably string
	_, err := conn.Prepare(ctx, self, selfSQL)
	if err == nil {
		err = conn.QueryRow(ctx, self).Scan(&passedOn, &durably)
	}
	if err == nil {
		err = conn.Deallocate(ctx, self) // in the transaction, while it is the same server session
	}
	if err == nil {
		_, err = conn.Exec(ctx, "rollback")
	}
	const duplicate, unknown = "42P05", "26000"
	if e := new(pgconn.PgError); errors.As(err, &e) && (e.Code == duplicate || e.Code == unknown) {
		passedOn, err = true, nil
	}
	switch {
	case err != nil:
		return err
	case passedOn:
		return &RefusedError{
			Why: "the pooler keeps no prepared statements, which get lost with the session that has them",
			Do:  "use PgBouncer 1.21 or newer with max_prepared_statements = 200",
		}
	case durable && !isDurable(durably):
		return &RefusedError{
			Why: fmt.Sprintf("%s is %q though it was set to on: a commit could be lost after it was acknowledged", durability, durably),
			Do:  fmt.Sprintf("alter role … set %s = 'on', and use a pooler that passes on what is set in a transaction", durability),
		}
	}
	return nil
}

// setDurably has a commit wait for the disk; where it waits for more by default, it goes on.
const setDurably = `set_config('` + durability + `', case current_setting('` + durability + `') when 'remote_apply' then 'remote_apply' else 'on' end, `

// setAll are the expressions that make settings, for the transaction where local is true.
func setAll(settings map[string]string, durable bool, local string) string {
	var parts []string
	if durable {
		parts = append(parts, setDurably+local+")")
	}
	for _, name := range sorted(settings) {
		parts = append(parts, fmt.Sprintf("set_config(%s, %s, %s)", literal(name), literal(settings[name]), local))
	}
	return strings.Join(parts, ", ")
}

// setLocalAll makes them for a transaction that begins. They are no queries: after one its
// isolation could not be chosen any more.
func setLocalAll(settings map[string]string) string {
	var b strings.Builder
	for _, name := range sorted(settings) {
		fmt.Fprintf(&b, "; set local %s = %s", name, literal(settings[name]))
	}
	return b.String()
}

// sorted has the role last: what it may not set is set before.
func sorted(settings map[string]string) []string {
	names := slices.Sorted(maps.Keys(settings))
	if i := slices.Index(names, "role"); i >= 0 {
		names = append(slices.Delete(names, i, i+1), "role")
	}
	return names
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

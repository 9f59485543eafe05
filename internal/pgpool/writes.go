package pgpool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// readOnly is the error of a server that takes no writes.
const readOnly = "25006"

var errReadOnly = errors.New("the database takes no writes")

// noPlace are the errors with which a server says that it has no place to write to.
var noPlace = map[string]string{
	"53100": "the disk is full",
	"58030": "the disk cannot be read or written",
}

const (
	// failedFor is how long a failed write counts: one that was possible beside it
	// proves nothing, since it may have found room in a page there was.
	failedFor = 10 * time.Second
	// probedFor is how long a probe counts, however often it is asked for.
	probedFor = time.Second
	// leftFor is how long connections are made anew at most once, where no server of the
	// address takes writes.
	leftFor = time.Second
)

// Writes reports whether the database can be written to, and has its pools (Options.Writes)
// leave a server that cannot: once one of them was told that it takes no writes, the
// connections all of them had until then are not used again. New ones go to the server
// that does, where the address names several with target_session_attrs=read-write. The
// zero value is ready and safe for concurrent use.
type Writes struct {
	mu       sync.Mutex
	onLeave  func()
	failedAt time.Time
	why      string
	leftAt   atomic.Pointer[time.Time]

	probing  sync.Mutex
	probedAt time.Time
	probed   error
}

// OnLeave has a function called when a server is left, for connections that are no pool's.
func (w *Writes) OnLeave(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onLeave = f
}

// listen notes the errors of a connection, and closes one on which nothing can be written.
func (w *Writes) listen(usual pgconn.PgErrorHandler) pgconn.PgErrorHandler {
	return func(conn *pgconn.PgConn, e *pgconn.PgError) bool {
		w.note(e.Code)
		return usual(conn, e) && e.Code != readOnly
	}
}

func (w *Writes) note(sqlState string) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if why, ok := noPlace[sqlState]; ok {
		w.failedAt, w.why = now, why
	}
	if left := w.leftAt.Load(); sqlState == readOnly && (left == nil || now.Sub(*left) > leftFor) {
		w.leftAt.Store(&now)
		if w.onLeave != nil {
			go w.onLeave()
		}
	}
}

// mayUse reports whether a connection is younger than the last that could not write.
func (w *Writes) mayUse(_ context.Context, conn *pgx.Conn) (bool, error) {
	left := w.leftAt.Load()
	return left == nil || sessionOf(conn).made.After(*left), nil
}

// Check returns an error if a write of any pool recently failed for lack of disk
// space, or if a small write fails now.
func (w *Writes) Check(ctx context.Context, db *Pool) error {
	w.probing.Lock()
	defer w.probing.Unlock()
	if time.Since(w.probedAt) > probedFor {
		if w.probed = probe(ctx, db); errors.Is(w.probed, errReadOnly) {
			w.note(readOnly)
		}
		w.probedAt = time.Now()
	}
	if w.probed != nil {
		return w.probed
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ago := time.Since(w.failedAt); ago < failedFor {
		return fmt.Errorf("%s, as a write was told %v ago", w.why, ago.Round(time.Millisecond))
	}
	return nil
}

// probeSQL writes to the log of the server, and to a file of 200 kB that goes again:
// a row could find room in a page there was, though no further page can be had.
const probeSQL = `
	select current_setting('transaction_read_only')::bool,
		(select max(n) from (select row_number() over (order by md5(i::text)) as n from generate_series(1, 5000) as i) as sorted),
		pg_logical_emit_message(true, 'stepledger', 'can this be written?')::text`

func probe(ctx context.Context, db *Pool) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select set_config('work_mem', '64kB', true), set_config('synchronous_commit', 'local', true)`); err != nil {
			return err
		}
		var closed bool
		var rows int
		var at string
		if err := tx.QueryRow(ctx, probeSQL).Scan(&closed, &rows, &at); err != nil {
			return err
		}
		if closed {
			return errReadOnly
		}
		return nil
	})
}

package pgpool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// cannotWrite are the errors with which a server says that it has no place to write
// to, or no leave.
var cannotWrite = map[string]string{
	"25006": "the database takes no writes",
	"53100": "the disk is full",
	"58030": "the disk cannot be read or written",
}

const (
	// failedFor is how long a failed write counts: one that was possible beside it
	// proves nothing, since it may have found room in a page there was.
	failedFor = 10 * time.Second
	// probedFor is how long a probe counts, however often it is asked for.
	probedFor = time.Second
)

// Writes reports whether the database can be written to. The zero value is ready and
// safe for concurrent use.
type Writes struct {
	mu       sync.Mutex
	failedAt time.Time
	why      string

	probing  sync.Mutex
	probedAt time.Time
	probed   error
}

// Note is called with the errors of all pools (Options.OnError).
func (w *Writes) Note(sqlState string) {
	why, ok := cannotWrite[sqlState]
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failedAt, w.why = time.Now(), why
}

// Check returns an error if a write of any pool recently failed for lack of disk
// space or permission, or if a small write fails now.
func (w *Writes) Check(ctx context.Context, db *pgxpool.Pool) error {
	w.probing.Lock()
	defer w.probing.Unlock()
	if time.Since(w.probedAt) > probedFor {
		w.probed = probe(ctx, db)
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

func probe(ctx context.Context, db *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select set_config('work_mem', '64kB', true), set_config('synchronous_commit', 'local', true)`); err != nil {
			return err
		}
		var readOnly bool
		var rows int
		var at string
		if err := tx.QueryRow(ctx, probeSQL).Scan(&readOnly, &rows, &at); err != nil {
			return err
		}
		if readOnly {
			return errors.New(cannotWrite["25006"])
		}
		return nil
	})
}

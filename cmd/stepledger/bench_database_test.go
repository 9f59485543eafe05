package main

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// databaseUse reads what Postgres counts of a database: transactions, however they
// ended, of the database, and write-ahead log of the whole server, which is the
// benchmark's own.
type databaseUse struct{ pool *pgxpool.Pool }

// useSoFar is what was counted until a time.
type useSoFar struct {
	transactions int64
	at           time.Time
}

type usePerSecond struct{ transactions, wal float64 }

// countsAreIn is how long a connection that has fallen idle may keep its counts to
// itself: Postgres gives it ten seconds.
const countsAreIn = 11 * time.Second

func newDatabaseUse(b *testing.B, url string) *databaseUse {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return &databaseUse{pool}
}

// settled waits until everything done so far is counted.
func (d *databaseUse) settled(b *testing.B) (u useSoFar) {
	b.Helper()
	time.Sleep(countsAreIn)
	const counted = `select xact_commit + xact_rollback, clock_timestamp() from pg_stat_database where datname = current_database()`
	if err := d.pool.QueryRow(b.Context(), counted).Scan(&u.transactions, &u.at); err != nil {
		b.Fatal(err)
	}
	return u
}

// walOf is how many bytes of log are written while something is done.
func (d *databaseUse) walOf(b *testing.B, do func()) float64 {
	b.Helper()
	var from string
	if err := d.pool.QueryRow(b.Context(), `select pg_current_wal_insert_lsn()::text`).Scan(&from); err != nil {
		b.Fatal(err)
	}
	do()
	var written float64
	if err := d.pool.QueryRow(b.Context(), `select (pg_current_wal_insert_lsn() - $1::pg_lsn)::float8`, from).Scan(&written); err != nil {
		b.Fatal(err)
	}
	return written
}

// idle is what a server asks of the database when nobody asks anything of it.
func (d *databaseUse) idle(b *testing.B) (u usePerSecond) {
	b.Helper()
	from := d.settled(b)
	var to useSoFar
	wal := d.walOf(b, func() { to = d.settled(b) })
	seconds := to.at.Sub(from.at).Seconds()
	return usePerSecond{float64(to.transactions-from.transactions) / seconds, wal / seconds}
}

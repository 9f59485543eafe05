package main

import (
	"context"
	"net"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// soakPostgres is a durable Postgres that may be restarted, on a file system that may be
// full.
type soakPostgres struct {
	server *pgembed.Server
	dir    string
	// noDisk is why its disk cannot be filled.
	noDisk error
}

// soakDisk is the size of its file system, which takes as much memory as is written to it.
const soakDisk = 4 << 30

func newSoakPostgres(t testing.TB) *soakPostgres {
	t.Helper()
	pgtest.AdminURL(t) // ends the test where there is no Postgres
	db := &soakPostgres{dir: pgtest.ServerDir(t)}
	db.noDisk = mountSmall(t, db.dir, soakDisk)
	db.server = pgtest.StartServer(t, db.dir, map[string]string{"shared_buffers": "64MB", "max_wal_size": "128MB", "min_wal_size": "32MB"})
	if err := migrate(t.Context(), db.server.URL()); err != nil {
		t.Fatal(err)
	}
	return db
}

// dial connects as a client on this machine does.
func (db *soakPostgres) dial(ctx context.Context) (net.Conn, error) {
	u, err := url.Parse(db.server.URL())
	if err != nil {
		return nil, err
	}
	q := u.Query()
	return (&net.Dialer{}).DialContext(ctx, "unix", q.Get("host")+"/.s.PGSQL."+q.Get("port"))
}

// restart ends the server in one of its ways and starts it again.
func (db *soakPostgres) restart(t testing.TB, how syscall.Signal) {
	t.Helper()
	done := db.server.Done()
	if err := syscall.Kill(db.server.PID(), how); err != nil {
		t.Fatal(err)
	}
	await(t, "Postgres ends", done)
	db.revive(t)
}

// revive starts the server again if it has ended.
func (db *soakPostgres) revive(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	if err := db.server.Restart(ctx); err != nil {
		t.Fatal(err)
	}
}

// fill leaves no room on the disk, and says whether the server notices: the statement fails,
// the session dies with a server that ends, or no answer comes.
func (db *soakPostgres) fill(t testing.TB) (noticed bool) {
	t.Helper()
	if err := resize(db.dir, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, db.server.URL())
	if err != nil {
		return true // it has no room to answer in
	}
	defer c.Close(context.WithoutCancel(ctx))
	_, err = c.Exec(ctx, `create temp table ballast as select generate_series(1, 200000) as n`)
	return err != nil
}

// free makes room again, and starts the server if it has ended for want of it.
func (db *soakPostgres) free(t testing.TB) (ended bool) {
	t.Helper()
	if err := resize(db.dir, soakDisk); err != nil {
		t.Fatal(err)
	}
	select {
	case <-db.server.Done():
		ended = true
	default:
	}
	db.revive(t)
	return ended
}

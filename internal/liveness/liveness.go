// Package liveness reports whether a process of this installation is alive, and which
// one has a duty that only one may have, by Postgres advisory locks. Each process
// holds one for its instance id on a connection of its own, and the server releases
// it as soon as that connection is gone, however the process died. Duties (Leads) are
// locks of the same kind on a second connection.
//
// Both are hints and no guards: a process that lost its connection for a moment looks
// dead, and another may take its duty before it notices. What protects a turn is the
// exact expected revision; what frees it in the end is the lease; what is done under
// a duty may be done twice.
//
// No call waits for the database longer than five seconds.
package liveness

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// lockSpace separates these locks from other advisory locks.
	lockSpace = 0x5e91
	// takeEvery is how often a lost lock is tried to be taken again.
	takeEvery = time.Second
	// pingEvery is how often the held connection is checked; its end is noticed at once.
	pingEvery = 5 * time.Second
	// within bounds one query.
	within = 5 * time.Second
)

// Registry holds this process's lock and checks those of others.
type Registry struct {
	url  string
	id   string
	log  *slog.Logger
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	ask   *pgx.Conn
	leads map[string]*pgx.Conn // by duty, the connection that holds it
	// pinged is when the connection was last asked whether it leads anywhere.
	pinged time.Time
}

// Open takes the lock of an instance id and holds it until Close. It returns an error
// if another process has the lock and does not release it in time.
func Open(ctx context.Context, url, id string, log *slog.Logger) (*Registry, error) {
	conn, err := hold(ctx, url, id)
	if err != nil {
		return nil, fmt.Errorf("liveness: take the instance lock: %w", err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &Registry{url: url, id: id, log: log, stop: stop, done: make(chan struct{}), leads: map[string]*pgx.Conn{}}
	go r.keep(ctx, conn)
	return r, nil
}

// Own is this process's instance id.
func (r *Registry) Own() string { return r.id }

// Alive reports whether some process holds the instance's lock.
func (r *Registry) Alive(ctx context.Context, instance string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	free, err := r.tryLock(ctx, instance)
	if err != nil {
		return false, fmt.Errorf("liveness: look for instance %s: %w", instance, err)
	}
	return !free, nil
}

// tryLock takes the lock for one statement, if it is free.
func (r *Registry) tryLock(ctx context.Context, instance string) (free bool, err error) {
	if err := r.connect(ctx); err != nil {
		return false, err
	}
	err = r.ask.QueryRow(ctx, `select pg_try_advisory_xact_lock($1, $2)`, lockSpace, lockKey(instance)).Scan(&free)
	return free, err
}

// connect makes sure there is a connection for queries.
func (r *Registry) connect(ctx context.Context) (err error) {
	if r.ask == nil || r.ask.IsClosed() {
		r.ask, err = pgx.Connect(ctx, r.url)
	}
	return err
}

// Close releases the lock.
func (r *Registry) Close() {
	r.stop()
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	closeConn(r.ask)
}

// closeConn closes a connection, if there is one.
func closeConn(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_ = conn.Close(ctx) // gone either way
}

// keep replaces the holding connection when it is lost. It retries for ever and logs
// the reason once per outage.
func (r *Registry) keep(ctx context.Context, conn *pgx.Conn) {
	defer close(r.done)
	for outage := false; ; {
		if conn != nil {
			lost := watch(ctx, conn)
			closeConn(conn)
			if ctx.Err() == nil {
				r.log.Warn("instance lock lost; taking it again", "error", lost)
			}
		}
		began := time.Now()
		var err error
		conn, err = hold(ctx, r.url, r.id)
		switch {
		case ctx.Err() != nil:
			closeConn(conn)
			return
		case err != nil && !outage:
			r.log.Error("instance lock cannot be taken", "error", err)
		case err == nil && outage:
			r.log.Info("instance lock taken again")
		}
		if outage = err != nil; outage {
			sleep(ctx, takeEvery-time.Since(began))
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// watch returns when a connection is lost. One that was closed says so at once; one that
// leads nowhere is found by a ping.
func watch(ctx context.Context, conn *pgx.Conn) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, pingEvery)
		_, err := conn.WaitForNotification(waiting) // none comes: it listens to nothing
		isTime := waiting.Err() != nil && ctx.Err() == nil
		cancel()
		if isTime {
			err = ping(ctx, conn)
		}
		if err != nil {
			return err
		}
	}
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var closed bool
	err := conn.QueryRow(ctx, `select current_setting('transaction_read_only')::bool`).Scan(&closed)
	if err == nil && closed {
		return errReadOnly // others look for the lock where writes are taken
	}
	return err
}

var errReadOnly = errors.New("the server takes no writes")

// hold takes an instance's lock on a connection of its own. For a moment after a
// connection is lost the server may still consider it alive, so it waits for the
// lock.
func hold(ctx context.Context, url, id string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1, $2)`, lockSpace, lockKey(id)); err != nil {
		closeConn(conn)
		return nil, err
	}
	return conn, nil
}

// lockKey maps an instance id to the 32 bits of an advisory lock. If two live instances
// have the same key, a take-over is delayed until the lease is over.
func lockKey(instance string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(instance))
	return int32(h.Sum32()) //nolint:gosec // a hash may wrap
}

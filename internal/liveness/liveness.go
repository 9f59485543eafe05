// Package liveness tells whether a process of this installation is alive, and
// which one has a duty that only one may have, by Postgres advisory locks: each
// process holds one for its instance id, on a connection of its own, and the
// server releases it the moment that connection is gone, however the process
// died. Duties (Leads) are locks of the same kind, on a second connection.
//
// Both are hints, never guards: a process that lost its connection for a moment
// looks dead, and another may have its duty before it knows. What protects a
// turn is the fence of exact revisions; what frees it in the end is the lease;
// what is done under a duty may be done twice.
//
// No call waits for the database longer than five seconds.
package liveness

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// lockSpace keeps these locks apart from any other advisory lock of the
	// database.
	lockSpace = 0x5e91
	// checkEvery is how often the held connection is looked at, and how soon a
	// lost one is replaced.
	checkEvery = time.Second
	// within bounds one question to the database.
	within = 5 * time.Second
)

// Registry holds this process's lock and asks for those of others.
type Registry struct {
	url  string
	id   string
	log  *slog.Logger
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	ask   *pgx.Conn
	leads map[string]*pgx.Conn // by duty, the connection that holds it
}

// Open takes the lock of an instance id and keeps it until Close. It is an error
// when another process has the lock and does not give it up in time.
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

// tryLock takes the lock for the length of one statement, if it is free.
func (r *Registry) tryLock(ctx context.Context, instance string) (free bool, err error) {
	if err := r.connect(ctx); err != nil {
		return false, err
	}
	err = r.ask.QueryRow(ctx, `select pg_try_advisory_xact_lock($1, $2)`, lockSpace, key(instance)).Scan(&free)
	return free, err
}

// connect sees to it that there is a connection to ask on.
func (r *Registry) connect(ctx context.Context) (err error) {
	if r.ask == nil || r.ask.IsClosed() {
		r.ask, err = pgx.Connect(ctx, r.url)
	}
	return err
}

// Close gives the lock up.
func (r *Registry) Close() {
	r.stop()
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	hangUp(r.ask)
}

// hangUp closes a connection, if there is one.
func hangUp(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_ = conn.Close(ctx) // gone either way
}

// keep replaces the holding connection whenever it is lost. Why that fails is
// logged once per outage, though it is tried again and again.
func (r *Registry) keep(ctx context.Context, conn *pgx.Conn) {
	defer close(r.done)
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for outage := false; ; {
		select {
		case <-ctx.Done():
			hangUp(conn)
			return
		case <-tick.C:
		}
		var err error
		conn, err = r.renew(ctx, conn)
		switch {
		case err != nil && !outage && ctx.Err() == nil:
			r.log.Error("instance lock cannot be taken", "error", err)
		case err == nil && outage:
			r.log.Info("instance lock taken again")
		}
		outage = err != nil
	}
}

// renew gives the connection that holds the lock: the same, or a new one where
// that is lost; nil with an error.
func (r *Registry) renew(ctx context.Context, conn *pgx.Conn) (*pgx.Conn, error) {
	if conn != nil {
		err := ping(ctx, conn)
		if err == nil {
			return conn, nil
		}
		r.log.Warn("instance lock lost; taking it again", "error", err)
		hangUp(conn)
	}
	return hold(ctx, r.url, r.id)
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return conn.Ping(ctx)
}

// hold takes an instance's lock on a connection of its own. For a moment after
// a connection is lost the server may still take it for one that lives, so it
// waits for the lock.
func hold(ctx context.Context, url, id string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1, $2)`, lockSpace, key(id)); err != nil {
		hangUp(conn)
		return nil, err
	}
	return conn, nil
}

// key maps an instance id to the 32 bits an advisory lock has room for. Two
// live instances that meet in a key delay a take-over until the lease is over.
func key(instance string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(instance))
	return int32(h.Sum32()) //nolint:gosec // a hash may wrap
}

// Package liveness tells whether a process of this installation is alive, by
// Postgres advisory locks: each process holds one for its instance id, on a
// connection of its own, and the server releases it the moment that connection
// is gone, however the process died.
//
// It is a hint for taking over quickly, never a guard: a process that lost its
// connection for a moment looks dead. What protects a turn is the fence of
// exact revisions; what frees it in the end is the lease.
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

// Open takes the lock of an instance id and keeps it until Close.
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
	if r.ask != nil {
		_ = r.ask.Close(context.Background())
	}
}

// keep replaces the holding connection whenever it is lost.
func (r *Registry) keep(ctx context.Context, conn *pgx.Conn) {
	defer close(r.done)
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			if conn != nil {
				_ = conn.Close(context.WithoutCancel(ctx))
			}
			return
		case <-tick.C:
		}
		conn = r.renew(ctx, conn)
	}
}

func (r *Registry) renew(ctx context.Context, conn *pgx.Conn) *pgx.Conn {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if conn != nil {
		if conn.Ping(ctx) == nil {
			return conn
		}
		_ = conn.Close(ctx)
		r.log.Warn("instance lock lost; taking it again")
	}
	conn, err := hold(ctx, r.url, r.id)
	if err != nil {
		return nil
	}
	return conn
}

func hold(ctx context.Context, url, id string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1, $2)`, lockSpace, key(id)); err != nil {
		_ = conn.Close(ctx)
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

// dutySpace keeps the locks of duties apart from those of instances.
const dutySpace = 0x5e92

// Leads reports whether this process has a duty (a scheduler's, say) that one
// process at a time may have, and takes it when nobody has it. A duty is given
// up by Close, or by losing the connection; the work done under it has to bear
// being done twice for a moment.
func (r *Registry) Leads(ctx context.Context, duty string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ask != nil && !r.ask.IsClosed() && r.leads[duty] == r.ask {
		return true, nil
	}
	if err := r.connect(ctx); err != nil {
		return false, fmt.Errorf("liveness: take the duty %s: %w", duty, err)
	}
	var taken bool
	err := r.ask.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, dutySpace, key(duty)).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("liveness: take the duty %s: %w", duty, err)
	}
	if taken {
		r.leads[duty] = r.ask
	}
	return taken, nil
}

package postgres

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// channel is where processes tell each other how far the log reaches.
const channel = "log"

// news tells waiters how far the log is known to reach.
type news struct {
	mu    sync.Mutex
	head  int64
	moved chan struct{} // closed at the next news; nil while nobody waits
}

func newNews() *news { return &news{} }

// reach says that the log reaches a position.
func (n *news) reach(position int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if position > n.head {
		n.head = position
		n.wake()
	}
}

// rouse wakes everyone: something may have been missed.
func (n *news) rouse() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wake()
}

func (n *news) wake() {
	if n.moved != nil {
		close(n.moved)
		n.moved = nil
	}
}

// beyond gives nil when the log is known to reach beyond a position, else what
// is closed at the next news.
func (n *news) beyond(position int64) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.head > position {
		return nil
	}
	if n.moved == nil {
		n.moved = make(chan struct{})
	}
	return n.moved
}

// Wait implements eventstore.Feed.
func (s *Store) Wait(ctx context.Context, after int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	moved := s.news.beyond(after)
	if moved == nil {
		return nil
	}
	floor := time.NewTimer(s.o.PollFloor)
	defer floor.Stop()
	select {
	case <-moved:
	case <-floor.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// announce tells this process at once of what was committed, and the others soon.
func (s *Store) announce(placed map[string]eventstore.Receipt) {
	last := int64(0)
	for _, r := range placed {
		last = max(last, r.Position)
	}
	s.news.reach(last)
	select {
	case s.committed <- struct{}{}:
	default: // the notifier has not come to the one before yet
	}
}

// listenerLock is held, shared, by every session that listens: who is alone with a
// log need not notify anyone. It is next to the log's own lock.
const listenerLock = 7106409

// aloneFor is how long what a process knows of the others holds. One that has
// just come hears of a commit that much later at most, or by its poll floor.
const aloneFor = time.Second

// notify tells other processes of commits. It costs a transaction each time, a
// tenth of what a lone writer could append, so it is left out while nobody else
// listens. A notification that fails is not tried again: it is a hint.
func (s *Store) notify() {
	var alone bool
	var looked time.Time
	for {
		select {
		case <-s.background.Done():
			return
		case <-s.committed:
		}
		// That nobody listened a moment ago does not say that nobody waits for
		// this commit: it is kept until there is a fresh look.
		if alone && !s.sleep(aloneFor-time.Since(looked)) {
			return
		}
		if time.Since(looked) >= aloneFor {
			alone, looked = s.isAlone(), time.Now()
		}
		if alone {
			continue
		}
		s.sendNotification(s.news.known())
		if !s.sleep(s.o.NotifyEvery) {
			return
		}
	}
}

// sleep reports false when the store is closed before the time is over.
func (s *Store) sleep(d time.Duration) bool {
	select {
	case <-s.background.Done():
		return false
	case <-time.After(d):
		return true
	}
}

const listenersSQL = `
	select count(*) from pg_locks
	where pid <> $2 and locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1
	  and database = (select oid from pg_database where datname = current_database())`

// isAlone reports whether no other process listens; not when that is unknown.
func (s *Store) isAlone() bool {
	ctx, cancel := context.WithTimeout(s.background, s.o.Timeout)
	defer cancel()
	var others int
	err := s.readers.QueryRow(ctx, listenersSQL, listenerLock, s.listener.Load()).Scan(&others)
	return err == nil && others == 0
}

func (n *news) known() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.head
}

// sendNotification does not wait for its commit to reach the disk: there is
// nothing to keep.
func (s *Store) sendNotification(head int64) {
	ctx, cancel := context.WithTimeout(s.background, s.o.Timeout)
	defer cancel()
	_, _ = s.readers.Exec(ctx, `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
		channel, strconv.FormatInt(head, 10))
}

// listen hears of commits of other processes, on a connection of its own, and
// connects again whenever that is lost.
func (s *Store) listen(config *pgx.ConnConfig) {
	pause := 100 * time.Millisecond
	for s.background.Err() == nil {
		if s.hear(config) {
			pause = 100 * time.Millisecond
		}
		select {
		case <-s.background.Done():
		case <-time.After(pause):
			pause = min(2*pause, 5*time.Second)
		}
	}
}

// hear listens until the connection is lost. It reports whether there was one.
func (s *Store) hear(config *pgx.ConnConfig) bool {
	c, err := pgx.ConnectConfig(s.background, config.Copy())
	if err != nil {
		return false
	}
	defer c.Close(context.Background()) // nothing to lose
	s.listener.Store(int64(c.PgConn().PID()))
	if _, err := c.Exec(s.background, "listen "+channel); err != nil {
		return false
	}
	if _, err := c.Exec(s.background, `select pg_advisory_lock_shared($1)`, listenerLock); err != nil {
		return false
	}
	s.news.rouse() // for what was committed while nobody listened
	for {
		n, err := c.WaitForNotification(s.background)
		if err != nil {
			return true
		}
		if head, err := strconv.ParseInt(n.Payload, 10, 64); err == nil {
			s.news.reach(head)
		}
	}
}

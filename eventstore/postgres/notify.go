package postgres

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stepledger/stepledger/internal/pgpool"
)

// channel is where processes tell each other how far the log reaches.
const channel = "log"

// tellSQL goes along with a batch: what it says arrives together with the commit.
// Under the log's lock the sequence stands where the batch has left it.
const tellSQL = `select pg_notify('` + channel + `', last_value::text) from log.position`

// tellings is what a process knows about telling others.
type tellings struct {
	others atomic.Bool  // somebody else listens, as of the last look
	last   atomic.Int64 // when the last notification was sent, in Unix nanoseconds
	told   atomic.Int64 // a position up to which others have been told
}

// takeTurn reports whether a batch is to tell others by itself: not when nobody
// listens, and not more often than Options.NotifyEvery.
func (s *Store) takeTurn() bool {
	if !s.tellings.others.Load() || s.o.NotifyEvery < 0 {
		return false
	}
	now, last := time.Now().UnixNano(), s.tellings.last.Load()
	return now-last >= int64(s.o.NotifyEvery) && s.tellings.last.CompareAndSwap(last, now)
}

// announce tells this process at once of what was committed. Others have been
// told with the commit, or are soon.
func (s *Store) announce(position int64, told bool) {
	s.news.reach(position)
	if told {
		raise(&s.tellings.told, position)
	}
	select {
	case s.committed <- struct{}{}:
	default: // the notifier has not come to the one before yet
	}
}

func raise(to *atomic.Int64, position int64) {
	for {
		old := to.Load()
		if old >= position || to.CompareAndSwap(old, position) {
			return
		}
	}
}

// aloneFor is how long what a process knows of the others holds. One that has
// just come hears of a commit that much later at most, or by its poll floor.
const aloneFor = time.Second

// notify tells other processes of commits that did not say so themselves,
// because the one before had just done, or because nobody seemed to listen.
func (s *Store) notify() {
	var looked time.Time
	for {
		select {
		case <-s.background.Done():
			return
		case <-s.committed:
		}
		// That nobody listened a moment ago does not say that nobody waits for
		// this commit: it is kept until there is a fresh look.
		if !s.tellings.others.Load() && !s.sleep(aloneFor-time.Since(looked)) {
			return
		}
		if time.Since(looked) >= aloneFor {
			s.tellings.others.Store(!s.isAlone())
			looked = time.Now()
		}
		if !s.tellings.others.Load() {
			continue
		}
		if !s.sleep(s.o.NotifyEvery - time.Since(time.Unix(0, s.tellings.last.Load()))) {
			return
		}
		if head := s.news.known(); head > s.tellings.told.Load() {
			s.tellings.last.Store(time.Now().UnixNano())
			s.sendNotification(strconv.FormatInt(head, 10))
			raise(&s.tellings.told, head)
		}
	}
}

// sleep reports false when the store is closed before the time is over.
func (s *Store) sleep(d time.Duration) bool {
	if d <= 0 {
		return s.background.Err() == nil
	}
	select {
	case <-s.background.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// listenerLock is held, shared, by every session that listens: who is alone with a
// log need not notify anyone. It is next to the log's own lock.
const listenerLock = 7106409

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

// sendNotification does not wait for its commit to reach the disk: there is
// nothing to keep.
func (s *Store) sendNotification(payload string) {
	ctx, cancel := context.WithTimeout(s.background, s.o.Timeout)
	defer cancel()
	_ = s.retry(ctx, func() error { // what cannot be sent, the poll floor makes up for
		_, err := s.readers.Exec(ctx, `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`, channel, payload)
		return err
	})
}

// listen hears of commits of other processes, on a connection of its own, and
// connects again whenever that is lost.
func (s *Store) listen(url string) {
	pause := 100 * time.Millisecond
	for s.background.Err() == nil {
		if s.hear(url) {
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
func (s *Store) hear(url string) bool {
	c, err := pgpool.Direct(s.background, url, "news")
	if err != nil {
		return false
	}
	defer c.Close(context.Background()) // nothing to lose
	s.listener.Store(int64(c.PgConn().PID()))
	if err := s.meet(s.background, c, false); err != nil {
		return false
	}
	if _, err := c.Exec(s.background, "listen "+channel); err != nil {
		return false
	}
	if _, err := c.Exec(s.background, `select pg_advisory_lock_shared($1)`, listenerLock); err != nil {
		return false
	}
	s.news.rouse() // for what was committed while nobody listened
	defer s.doubt()
	proving, stop := context.WithCancel(s.background)
	defer stop()
	s.running.Go(func() { s.prove(proving) })
	for {
		n, err := c.WaitForNotification(s.background)
		if err != nil {
			return true
		}
		s.hearProof(n.Payload)
		if head, err := strconv.ParseInt(n.Payload, 10, 64); err == nil {
			s.news.reach(head)
		}
	}
}

// Package postgres keeps the log in PostgreSQL 14 or later, in the schema log.
//
// Order. Appends of all processes take turns on one advisory lock, taken before
// a position is drawn and held until the commit. So positions become visible in
// ascending order and a reader needs nothing but the last one it saw.
//
// Speed. What the turns cost, group commit brings back: appends that arrive
// while others are on their way to the disk go together in one round trip, one
// transaction and one flush, each with its own outcome; when there are many, in
// two lanes that take turns. A lone append does not wait for company. The lock is
// only held inside that one round trip, so a process that stops or dies never
// holds it: the server finishes or undoes its transaction by itself. Streams this
// process has written to are gone on with by memory, and the unique indexes say
// when that was wrong; then, and for all others, the server looks.
//
// Along. What belongs to an append, in tables of somebody else's or in another stream,
// can be committed with it (AppendAlong). Statements run before the lock is asked for.
//
// Trouble. Every wait is bounded by Options.Timeout. A lost connection, or a
// server that restarts, is tried again within that time, which is safe because
// appends are idempotent; then the answer is *eventstore.UnavailableError, and
// the next call starts afresh.
//
// News. Wait is woken by appends of its own process, by LISTEN for those of
// others, and by the poll floor when notifications get lost. A batch carries the
// notification itself, at most one in Options.NotifyEvery and only while another
// process listens; what was committed in between is told when that time is over.
//
// Poolers. The url may lead to one that hands out sessions for a transaction
// (PgBouncer 1.21 or newer); then nothing is remembered of streams, since the next
// transaction may be another server's, and listening takes Options.DirectURL.
//
// Limits. Acknowledged means flushed as far as the server's fsync setting and
// its disk tell the truth; a server-wide synchronous_commit = off is overruled.
// With synchronous_standby_names it means flushed there too, a repeat included;
// while no standby answers, readers may be shown an append that has timed out and
// that only this server has. Where a former primary takes writes again, nothing
// here can tell which of the two is right: to fence it off is the operator's.
//
// Epochs. A database that was restored to a point in time, from a dump or to a copy,
// or taken over by a standby, begins a new epoch, once, when the first writer comes
// to it: at the head as it is then. A snapshot of its disk put back is noticed by
// those who have seen more of the log, else by nobody: see BeginEpoch.
//
// Archive. Streams that go on no more may leave the database for segments (package
// archive), but for their last event, which tells where each has come to. Reads find them
// there by an index in the database, which a read that needs no archived event does not
// look at; the two change in one transaction, and a reader sees both as of one moment. An
// append by memory holds only while nothing was removed, an append to an archived stream is
// compared with the ids in the archive first. Appends of versions without the archive know
// nothing of that: it may only be used when none is running.
//
// Hidden events stay on disk until they are removed by Scavenge. A copy of a database is
// the same log by its id, in another epoch; two that archive have the same segments and
// write others.
//
// Advisory locks 7106407 to 7106409 of the database are taken. Appends to one
// stream do not share a transaction, so a single stream takes no more than the
// disk flushes a second.
package postgres

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// Options of a Store. The zero value is suitable for production.
type Options struct {
	// Timeout bounds every wait for the database. 0 means 5 s.
	Timeout time.Duration
	// PollFloor is the longest time Wait goes on without news while news may be
	// lost; 0 means 250 ms. While the session that listens has lately heard what was
	// sent to prove it, Wait goes on for two seconds.
	PollFloor time.Duration
	// NotifyEvery is the shortest time between two notifications to other
	// processes. 0 means 250 µs, negative means never to notify.
	NotifyEvery time.Duration
	// Readers is how many connections serve reads. 0 means 8.
	Readers int
	// Hook, for crash tests, is called inside appends at "append.begin" (taken
	// up, nothing sent), "append.partly" (the first of several statements is on its
	// way, the others are not), "append.sent" (on its way to the server),
	// "append.committed" (the server has said so) and "append.acknowledged"
	// (about to return to the caller). nil in production.
	//
	// An append that has to go over the line again passes the points again. Archive has
	// "archive.begin" (nothing written), "archive.stored" (a segment is in its place, no index
	// names it), "archive.moved" (in the transaction that moves, before its commit) and
	// "archive.committed".
	Hook func(point string)
	// DirectURL is where to listen, if url leads to a pooler, which loses notifications in
	// silence; "" means url. Where it leads to a pooler too, the poll floor has to do.
	DirectURL string
	// Writes, if set, is shared with the other pools of the process.
	Writes *pgpool.Writes
	// OnEpoch, if set, hears that the log goes on in another epoch than before or, when
	// the store opens, than its first: before anything is appended to it here, where the
	// connections are the server's own. The same may be told twice.
	OnEpoch func(eventstore.Epoch)
	// Archive is where Archive moves events to, and where they are read from. Without it a
	// read of what was moved is an *eventstore.ArchiveError. All who use the log have the same.
	Archive archive.Place
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.PollFloor <= 0 {
		o.PollFloor = 250 * time.Millisecond
	}
	if o.NotifyEvery == 0 {
		o.NotifyEvery = 250 * time.Microsecond
	}
	if o.Readers <= 0 {
		o.Readers = 8
	}
	return o
}

// Store is an eventstore.Store in PostgreSQL. It is safe for concurrent use; any
// number of Stores, in any number of processes, may share a database.
type Store struct {
	o         Options
	readers   *pgpool.Pool
	writers   *pgpool.Pool
	queue     *queue
	heads     heads
	news      *news
	tellings  tellings
	committed chan struct{} // tells the notifier; holds one token
	listener  atomic.Int64  // the server's process id of our listening session
	proof     proof

	background context.Context // ends when Close begins
	stop       context.CancelFunc
	running    sync.WaitGroup
	closing    sync.Once

	names names // of the log in its epochs

	segments *remembered[*archive.Segment]
	pieces   *remembered[piece]
	ids      *remembered[map[string]bool]
	// How old an object nobody names, and a hidden event, have to be to be removed. Tests set them.
	sweepAfter, scavengeAfter time.Duration
}

var _ eventstore.Store = (*Store)(nil)

// Open connects to a migrated database (see Migrate). It returns an error if the
// database cannot be reached within Options.Timeout.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	o = o.withDefaults()
	s := &Store{o: o, queue: newQueue(), news: newNews(), committed: make(chan struct{}, 1)}
	s.sweepAfter, s.scavengeAfter = sweepAfter, scavengeAfter
	s.segments, s.pieces = newRemembered[*archive.Segment](rememberedSegments), newRemembered[piece](rememberedEvents)
	s.ids = newRemembered[map[string]bool](rememberedIDs)
	var err error
	if s.readers, err = newPool(url, o, o.Readers, nil); err != nil {
		return nil, err
	}
	// One for each lane, the first also for a lone append, and one for the Keeper.
	if s.writers, err = newPool(url, o, maxLanes+1, s.prepareWriter); err != nil {
		s.readers.Close()
		return nil, err
	}
	s.background, s.stop = context.WithCancel(context.Background())
	if err := s.greet(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("open event store: %w", err)
	}
	for range maxLanes {
		s.running.Go(s.commitBatches)
	}
	s.running.Go(func() { s.listen(cmp.Or(o.DirectURL, url)) })
	if o.NotifyEvery > 0 {
		s.running.Go(s.notify)
	}
	return s, nil
}

// greet meets the server, so that a new epoch is begun before anything is read.
func (s *Store) greet(ctx context.Context) error {
	return s.bounded(ctx, "reach the log", func(ctx context.Context) error {
		return s.withWriter(ctx, func(*pgx.Conn) error { return nil })
	})
}

// Close lets batches under way finish, refuses waiting ones and closes all
// connections. Later calls return UnavailableError.
func (s *Store) Close() {
	s.closing.Do(func() {
		s.stop()
		s.queue.close()
		s.running.Wait()
		s.writers.Close()
		s.readers.Close()
	})
}

// readAhead is how much of an answer is taken from the socket at once: eight times
// what pgx takes, for pages of events.
const readAhead = 64 << 10

// newPool gives a pool whose sessions cannot wait without bound, nor plan badly:
// every statement of this package is served by an index, but a planner without
// statistics (a young log grows a thousandfold before the first ANALYZE) may
// settle on scanning the table and keep that plan.
func newPool(url string, o Options, size int, prepare func(context.Context, *pgx.Conn) error) (*pgpool.Pool, error) {
	pool, err := pgpool.Open(context.Background(), url, pgpool.Options{
		Name: "log", MaxConns: int32(size), Writes: o.Writes, Durable: true, Prepare: prepare,
		IdleWithin: o.Timeout, LockWithin: o.Timeout / 2, StatementWithin: o.Timeout * 4 / 5,
		Settings: map[string]string{
			"plan_cache_mode":   "force_generic_plan",
			"enable_seqscan":    "off",
			"enable_bitmapscan": "off",
			"enable_hashjoin":   "off",
			"enable_mergejoin":  "off",
			"jit":               "off",
		},
		Tune: func(c *pgxpool.Config) { tune(c, o, prepare != nil) },
	})
	if err != nil {
		return nil, fmt.Errorf("event store: %w", err)
	}
	return pool, nil
}

func tune(c *pgxpool.Config, o Options, writes bool) {
	// A dead connection shows at its first use and is tried again by s.retry; a
	// ping would cost a round trip each time.
	c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	c.ConnConfig.ConnectTimeout = o.Timeout
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement // see decoder
	c.ConnConfig.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readAhead), w)
	}
	if o.Hook != nil && writes {
		c.ConnConfig.DialFunc = hookWrites(c.ConnConfig.DialFunc, o.Hook)
	}
}

// errStandby refuses a connection of a writer: what it was told of the log would not hold
// once the standby is promoted under it.
var errStandby = errors.New("the server is a standby")

// prepareWriter prepares the statements, to keep that out of the first append.
func (s *Store) prepareWriter(ctx context.Context, c *pgx.Conn) error {
	for _, sql := range []string{lockSQL, goOnOneSQL, goOnSQL, addSQL, checkedSQL, besideSQL, tellSQL} {
		if _, err := c.Prepare(ctx, sql, sql); err != nil {
			return err
		}
	}
	return s.meet(ctx, c, true)
}

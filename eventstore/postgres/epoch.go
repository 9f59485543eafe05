package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// wordSQL gives the word of the present epoch. It stands in every read of the log,
// so that no reader mistakes what it reads for another epoch's.
const wordSQL = `coalesce((select n.word from log.epoch n order by n.epoch desc limit 1), 0)`

const (
	identitySQL = `
		select i.id, coalesce(e.epoch, 1), coalesce(e.word, 0), coalesce(e.began_at, 0)
		from log.identity i left join lateral (` + presentSQL + `) e on true`
	presentSQL = `select epoch, word, began_at from log.epoch order by epoch desc limit 1`
	epochsSQL  = `select epoch, word, began_at from log.epoch order by epoch`
	headSQL    = `select coalesce(max(position), 0) from log.events`
)

// beginEpochSQL runs after lockSQL in the same transaction: whoever comes second
// finds the epoch begun. $3 is for a server that cannot be told from the one before
// by its incarnation, and that has lost something, or is said to have: once for every
// time it came up, unless $4 says again. "on conflict" fails while epochs have no primary
// key: a dump is being restored, and what it holds of them comes after its tables.
const beginEpochSQL = `
	insert into log.epoch (epoch, word, incarnation, began_at)
	select coalesce(last.epoch, 0) + 1,
	       case when last.epoch is null then 0 else $1::bigint end, $2,
	       case when last.epoch is null then 0 else (select coalesce(max(position), 0) from log.events) end
	from (select) one
	left join lateral (select * from log.epoch order by epoch desc limit 1) last on true
	where last.epoch is null or last.incarnation <> $2 or $4::boolean
	   or $3::boolean and last.noticed_at < pg_postmaster_start_time()
	on conflict (epoch) do nothing`

// names are the ids of the epochs a store has met, by their words.
type names struct {
	mu      sync.Mutex
	log     string
	seen    map[int64]string
	present present
}

// present is the epoch a log was in when last looked at; number 0 is none.
type present struct {
	number int
	word   int64
}

func (n *names) of(word int64) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id, ok := n.seen[word]
	return id, ok
}

func (n *names) see(log string, e eventstore.Epoch, word int64) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.log != log { // another database in the place of the one before
		n.log, n.seen = log, map[int64]string{}
	}
	n.seen[word] = e.ID(log)
	return n.seen[word]
}

// enter notes that the log is in an epoch. It reports whether that is news.
func (n *names) enter(number int, word int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	isNews := n.present.number > 0 && n.present.word != word || n.present.number == 0 && number > 1
	n.present = present{number, word}
	return isNews
}

// enter says that the log is in an epoch.
func (s *Store) enter(number int, word, beganAt int64) {
	if s.names.enter(number, word) && s.o.OnEpoch != nil {
		s.o.OnEpoch(epochOf(number, word, beganAt))
	}
}

func epochOf(number int, word, beganAt int64) eventstore.Epoch {
	return eventstore.Epoch{Number: number, Word: fmt.Sprintf("%016x", uint64(word)), BeganAt: beganAt}
}

// begin begins an epoch on a writer's connection, unless another process has.
func (s *Store) begin(ctx context.Context, c *pgx.Conn, incarnation string, rewound, again bool) error {
	var b pgx.Batch
	b.Queue(lockSQL)
	b.Queue(beginEpochSQL, drawWord(), incarnation, rewound, again)
	return c.SendBatch(ctx, &b).Close()
}

func scanEpoch(row pgx.CollectableRow) (eventstore.Epoch, error) {
	var number int
	var word, at int64
	err := row.Scan(&number, &word, &at)
	return epochOf(number, word, at), err
}

// drawWord is never that of the first epoch.
func drawWord() int64 {
	var b [8]byte
	rand.Read(b[:])
	return int64(binary.BigEndian.Uint64(b[:]) | 1)
}

// ID implements eventstore.Feed.
func (s *Store) ID(ctx context.Context) (id string, err error) {
	err = s.bounded(ctx, "id of the log", func(ctx context.Context) error {
		var log pgtype.UUID
		var number int
		var word, at int64
		if err := s.readers.QueryRow(ctx, identitySQL).Scan(&log, &number, &word, &at); err != nil {
			return err
		}
		s.enter(number, word, at)
		id = s.names.see(log.String(), epochOf(number, word, at), word)
		return nil
	})
	return id, err
}

// name is the id of the epoch with a word.
func (s *Store) name(ctx context.Context, word int64) (string, error) {
	if id, ok := s.names.of(word); ok {
		return id, nil
	}
	return s.ID(ctx)
}

// Past implements eventstore.Feed.
func (s *Store) Past(ctx context.Context, id string) (past int64, err error) {
	err = s.bounded(ctx, "past of the log", func(ctx context.Context) error {
		var b pgx.Batch
		b.Queue(identitySQL)
		b.Queue(headSQL)
		b.Queue(epochsSQL)
		results := s.readers.SendBatch(ctx, &b)
		defer results.Close() // has nothing to add to the errors below
		var log pgtype.UUID
		var head int64
		if err := results.QueryRow().Scan(&log, nil, nil, nil); err != nil {
			return err
		}
		if err := results.QueryRow().Scan(&head); err != nil {
			return err
		}
		rows, _ := results.Query() // rows carry the error
		epochs, err := pgx.CollectRows(rows, scanEpoch)
		if len(epochs) == 0 {
			epochs = []eventstore.Epoch{{Number: 1}}
		}
		past = eventstore.PastOf(log.String(), epochs, head, id)
		return err
	})
	return past, err
}

// BeginEpoch implements eventstore.Keeper: for a log that was put back by other means
// than the server's own, such as a snapshot of its disk.
func (s *Store) BeginEpoch(ctx context.Context) (string, error) {
	err := s.bounded(ctx, "begin an epoch of the log", func(ctx context.Context) error {
		return s.withWriter(ctx, func(c *pgx.Conn) error {
			var server serverState
			if err := c.QueryRow(ctx, serverSQL).Scan(server.fields()...); err != nil {
				return err
			}
			return s.begin(ctx, c, server.incarnation, false, true)
		})
	})
	if err != nil {
		return "", err
	}
	return s.ID(ctx)
}

// withWriter lends a writer's connection. Taking it begins a new epoch where that is
// due.
func (s *Store) withWriter(ctx context.Context, do func(*pgx.Conn) error) error {
	c, err := s.writers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return do(c.Conn())
}

package postgres

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// scavengeAfter is how old a hidden event has to be: who repeats an append does so sooner.
const scavengeAfter = 24 * time.Hour

// scavengePage is how many streams with a retention are looked at in one transaction.
const scavengePage = 200

// Scavenge removes events from disk that Delete, Tombstone or a retention hides and that are older than a day, at
// most so many; never the last event of a stream or its tombstone. What is removed stays hidden whatever retention
// is set later, and an append of it with expectation Any is no longer recognized as a repeat. Segments with nothing
// but such events are dropped from the index. It reports how many events it has removed from the database: fewer
// than the limit when there was nothing more.
func (s *Store) Scavenge(ctx context.Context, limit int) (removed int64, err error) {
	const op = "scavenge"
	if limit <= 0 {
		return 0, &eventstore.InvalidError{What: "limit", Why: "it is not above 0"}
	}
	for after := ""; ; {
		kept, err := s.Kept(ctx, after, scavengePage)
		if err != nil || len(kept) == 0 {
			return removed, err
		}
		streams := make([]string, len(kept))
		for i, k := range kept {
			streams[i] = k.Stream
		}
		for {
			batch := min(int64(limit)-removed, scavengeBatch)
			gone, err := s.scavenge(ctx, op, streams, batch)
			removed += gone
			if err != nil || removed == int64(limit) {
				return removed, err
			}
			if gone < batch {
				break
			}
		}
		after = streams[len(streams)-1]
	}
}

// scavengeBatch is how many events are removed in one transaction.
const scavengeBatch = 5_000

func (s *Store) scavenge(ctx context.Context, op string, streams []string, limit int64) (gone int64, err error) {
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		return s.writers.QueryRow(ctx, `select log.scavenge($1, $2, $3)`, streams, limit, s.scavengeAfter).Scan(&gone)
	})
	return gone, err
}

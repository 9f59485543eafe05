package feed

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// Consumer identifies a checkpoint. One made for another log or topic is void, but for
// one of the log Was, such as an earlier epoch's: it holds up to Past, and a checkpoint
// beyond is set back to it.
type Consumer struct {
	Name, Topic, Log string
	Was              string
	Past             int64
}

// Checkpoint is how far a consumer has come.
type Checkpoint struct {
	// Log is which it is of, "" before the first claim.
	Log string
	// Term counts the claims.
	Term int64
	// Position up to which everything is acknowledged.
	Position int64
	// MovedAt is when Position last moved.
	MovedAt time.Time
	// Parked counts the events put aside.
	Parked int64
}

// Checkpoints stores checkpoints durably. It is safe for concurrent use by several
// processes.
type Checkpoints interface {
	// Claim makes the caller the one who may save, until the next claim. The
	// position is 0 for a consumer that is new, or followed another log or topic
	// so far. What was put aside beyond the position is forgotten.
	Claim(ctx context.Context, c Consumer) (Checkpoint, error)
	// Save moves the position. The error is a *LostError when there was a claim
	// after that term's, or the checkpoint is of another log than the claim.
	Save(ctx context.Context, c Consumer, term, position int64) error
	// At is how far a consumer has come, nothing for one that never claimed.
	At(ctx context.Context, consumer string) (Checkpoint, error)
}

// LostError is returned if another process has claimed the consumer since.
type LostError struct{ Consumer string }

// Error implements error.
func (e *LostError) Error() string {
	return "consumer " + e.Consumer + " is another process's now"
}

// Parked is a parked event. The event itself is in the log.
type Parked struct {
	Consumer string    `db:"consumer" json:"consumer"`
	Stream   string    `db:"stream" json:"stream"`
	Revision int64     `db:"revision" json:"revision"`
	Position int64     `db:"position" json:"position"`
	EventID  string    `db:"event_id" json:"eventId"`
	Type     string    `db:"event_type" json:"type"`
	Reason   string    `db:"reason" json:"reason"`
	ParkedAt time.Time `db:"parked_at" json:"parkedAt"`
}

// Parking stores parked events durably. It is safe for concurrent use by several
// processes.
type Parking interface {
	// Park puts an event aside, or replaces the reason of one that is.
	Park(ctx context.Context, consumer string, e eventstore.Recorded, reason string) error
	// ParkBehind puts an event aside if one of its stream is, this one or an
	// earlier, and reports whether it did. While RetryFirst is at work on the
	// stream it waits for the outcome.
	ParkBehind(ctx context.Context, consumer string, e eventstore.Recorded) (bool, error)
	// Parked lists what a consumer, or every one for "", has put aside: in the
	// order of the log, at most 1000.
	Parked(ctx context.Context, consumer string) ([]Parked, error)
	// FirstParked lists the first event of each stream that a consumer has put aside,
	// those after a position: in the order of the log, at most 1000.
	FirstParked(ctx context.Context, consumer string, after int64) ([]Parked, error)
	// RetryFirst gives do the first event of a stream that is put aside. It is
	// forgotten when do returns nil; otherwise it stays with the error as its
	// reason. Found is false when there is none. No two calls work on one event
	// at the same time.
	RetryFirst(ctx context.Context, consumer, stream string, do func(context.Context, Parked) error) (found bool, err error)
}

// BehindAnother is the reason of events parked by ParkBehind.
const BehindAnother = "an earlier event of the stream is put aside"

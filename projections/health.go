package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// Status is the condition of a projection.
type Status struct {
	Name string
	// Version is that of the live tables, Position the one they have reached.
	Version  int
	Position int64
	// Lag is how many positions the live tables are behind the log.
	Lag int64
	// UpdatedAt is when the checkpoint last moved.
	UpdatedAt time.Time
	// Waiting is how old the oldest event is that the live tables have not reached; 0 if
	// none waits.
	Waiting time.Duration
	// Standing is how long events have been waiting while no process applied anything
	// to the live tables or to those being built; 0 if none wait.
	Standing time.Duration
	// Ahead: the live tables hold what is not in the log, which was put back to an
	// earlier state. They are built anew.
	Ahead bool
	// Building: new tables are being filled beside the live ones.
	Building bool
	// Parked counts the parked events.
	Parked int64
	// Err is the last error of this process that it has not recovered from, with the
	// live tables or those being built.
	Err error
}

// MaxStanding is how long events may wait. It is well above the pause of a standby
// runner and the time of a page.
const MaxStanding = 30 * time.Second

// OK reports whether the projection needs nobody's attention.
func (s Status) OK() bool { return s.Fault() == nil }

// Fault returns what needs attention, or nil: an error this process has not recovered
// from, parked events, or a stand-still of whatever process.
func (s Status) Fault() error {
	switch {
	case s.Err != nil:
		return fmt.Errorf("projection %s: %w", s.Name, s.Err)
	case s.Ahead:
		return fmt.Errorf("projection %s is ahead of the log, which was put back: it is built anew (position %d)", s.Name, s.Position)
	case s.Parked > 0:
		return fmt.Errorf("projection %s has put %d events aside", s.Name, s.Parked)
	case s.Standing > MaxStanding:
		return fmt.Errorf("projection %s has stood still for %v at position %d, %d behind the log",
			s.Name, s.Standing.Round(time.Second), s.Position, s.Lag)
	}
	return nil
}

const statuses = `
	select c.projection, c.version, c.log_id, c.position, c.updated_at, now() as asked_at,
		(select max(updated_at) from read.checkpoint b where b.projection = c.projection) as moved_at,
		exists (select from read.checkpoint b where b.projection = c.projection and not b.live) as building,
		(select count(*) from read.parked p where p.projection = c.projection and p.generation = c.generation) as parked
	from read.checkpoint c
	where c.live`

// Health returns the status of each projection, in the order of the Config.
func (r *Runner) Health(ctx context.Context) ([]Status, error) {
	out, err := r.health(ctx)
	if err != nil {
		return nil, fmt.Errorf("health of projections: %w", err)
	}
	return out, nil
}

func (r *Runner) health(ctx context.Context) ([]Status, error) {
	found, err := r.checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	head, err := r.feed.Head(ctx)
	if err != nil {
		return nil, err
	}
	logID, err := r.feed.ID(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Status, len(r.projections))
	for i, p := range r.projections {
		c := found[p.Name]
		s := c.Status
		s.Name, s.Err = p.Name, r.failure(p.Name)
		if s.Lag = max(0, head-s.Position); s.Lag > 0 {
			if s.Waiting, s.Standing, err = r.waiting(ctx, c); err != nil {
				return nil, err
			}
		}
		if c.logID != "" && (c.logID != logID || s.Position > head) {
			if s.Ahead, err = r.isAhead(ctx, c.logID, s.Position); err != nil {
				return nil, err
			}
		}
		out[i] = s
	}
	return out, nil
}

// checkpoint is a projection's state in the database, with the database's time.
type checkpoint struct {
	Status
	logID            string
	askedAt, movedAt time.Time
}

func (r *Runner) checkpoints(ctx context.Context) (map[string]checkpoint, error) {
	rows, err := r.db.Query(ctx, statuses)
	if err != nil {
		return nil, err
	}
	found := map[string]checkpoint{}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c checkpoint, err error) {
		err = row.Scan(&c.Name, &c.Version, &c.logID, &c.Position, &c.UpdatedAt, &c.askedAt, &c.movedAt, &c.Building, &c.Parked)
		return c, err
	})
	for _, c := range all {
		found[c.Name] = c
	}
	return found, err
}

// waiting returns how old the oldest event after a checkpoint is, and for how long it has
// been waiting since the checkpoint moved. A new event is no stand-still, however long
// nothing happened before it.
func (r *Runner) waiting(ctx context.Context, c checkpoint) (waiting, standing time.Duration, err error) {
	page, err := r.feed.ReadAll(ctx, c.Position, 1, eventstore.Filter{})
	if err != nil || len(page.Events) == 0 { // retention hides what is left
		return 0, 0, err
	}
	came := page.Events[0].RecordedAt
	waiting = since(came, c.askedAt)
	if c.movedAt.After(came) {
		came = c.movedAt
	}
	return waiting, since(came, c.askedAt), nil
}

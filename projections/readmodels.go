package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// ReadModel is how far a read model is, for a list that people look at. It holds
// nothing of any tenant.
type ReadModel struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	// Position is what the live tables have reached, Head the end of the log.
	Position int64 `json:"position"`
	Head     int64 `json:"head"`
	// LagEvents are the events the read model takes that it has not applied yet; where
	// LagIsLeast is set, there are more than were counted.
	LagEvents  int64 `json:"lagEvents"`
	LagIsLeast bool  `json:"lagIsLeast,omitempty"`
	// LagSeconds is how long the oldest of them has been in the log.
	LagSeconds float64 `json:"lagSeconds"`
	Parked     int64   `json:"parked"`
	// Rebuilding: new tables are being filled beside the live ones.
	Rebuilding bool `json:"rebuilding"`
}

// maxLagCounted bounds how many events are read to count those that wait.
const maxLagCounted = 10_000

// ReadModels lists all read models, in the order of the Config. A read model that has no
// tables yet is one of this program's version at position 0. It reads the log from the
// positions of those that are behind, so it is not for a probe that is asked every second:
// that is Health.
func (r *Runner) ReadModels(ctx context.Context) ([]ReadModel, error) {
	out, err := r.readModels(ctx)
	if err != nil {
		return nil, fmt.Errorf("list read models: %w", Unavailable(err))
	}
	return out, nil
}

func (r *Runner) readModels(ctx context.Context) ([]ReadModel, error) {
	found, err := r.checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	head, err := r.feed.Head(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]ReadModel, len(r.projections))
	for i, p := range r.projections {
		c := found[p.Name]
		m := ReadModel{
			Name: p.Name, Version: or(c.Version, p.Version), Position: c.Position, Head: max(head, c.Position), Parked: c.Parked, Rebuilding: c.Building,
		}
		if err := r.countLag(ctx, p.Filter, c.askedAt, &m); err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

// countLag counts what a read model has still to apply. Positions have gaps, and what a
// filter leaves out is not waited for, so their difference is no number of events.
func (r *Runner) countLag(ctx context.Context, f eventstore.Filter, now time.Time, m *ReadModel) error {
	for after := m.Position; after < m.Head; {
		page, err := r.feed.ReadAll(ctx, after, 0, f)
		if err != nil {
			return err
		}
		if len(page.Events) > 0 && m.LagEvents == 0 {
			m.LagSeconds = since(page.Events[0].RecordedAt, now).Seconds()
		}
		m.LagEvents += int64(len(page.Events))
		if page.Scanned <= after || page.Scanned >= m.Head {
			return nil
		}
		if after = page.Scanned; m.LagEvents >= maxLagCounted {
			m.LagIsLeast = true
			return nil
		}
	}
	return nil
}

// since is the time from then to now by the database's clock, or this machine's where
// there are no tables to ask.
func since(then, now time.Time) time.Duration {
	if now.IsZero() {
		now = time.Now()
	}
	return max(0, now.Sub(then))
}

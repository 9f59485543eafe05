package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ahead marks the log of a checkpoint that is beyond the log's end, though the log says
// of no other epoch: what was beyond it is lost.
const ahead = " (ahead)"

const adoptCheckpoint = `
	with adopted as (
		update read.checkpoint set log_id = @now
		where projection = @projection and generation = @generation and log_id = @was and position <= @past
		returning 1
	), noted as (
		insert into read.past (was, log_id, position)
		select @was::text, @now::text, @past::bigint from adopted
		union all
		select p.was, @now, least(p.position, @past) from adopted, read.past p where p.log_id = @was and p.was <> @now
		on conflict do nothing
	)
	select count(*) from adopted`

const markAhead = `
	update read.checkpoint set log_id = log_id || '` + ahead + `'
	where projection = $1 and generation = $2 and log_id = $3 and position > $4`

// adopt returns the log's id, after tables whose checkpoint is of an earlier epoch of it
// have gone over to the present one: those that hold nothing that is not in the log any
// more. Others stay as they are and are replaced like those of another log.
func (r *Runner) adopt(ctx context.Context, p Projection) (logID string, err error) {
	for range maxChase {
		if logID, err = r.feed.ID(ctx); err != nil {
			return "", fmt.Errorf("read the log's id: %w", err)
		}
		live, building, err := generations(ctx, r.db, p.Name)
		if err != nil {
			return "", err
		}
		again := false
		for _, g := range []*generation{live, building} {
			if g == nil {
				continue
			}
			moved, err := r.goOver(ctx, *g, logID)
			if err != nil {
				return "", fmt.Errorf("checkpoint of another epoch: %w", err)
			}
			again = again || moved
		}
		if !again {
			return logID, nil
		}
	}
	return logID, nil
}

// goOver takes tables over to the present epoch of the log. It reports that their
// checkpoint has moved meanwhile, and has to be looked at again.
func (r *Runner) goOver(ctx context.Context, g generation, now string) (moved bool, err error) {
	past, err := r.feed.Past(ctx, g.LogID)
	switch {
	case err != nil:
		return false, err
	case g.LogID == now && g.Position <= past:
		return false, nil
	case g.LogID == now:
		r.warnAhead(ctx, g, past)
		_, err := r.db.Exec(ctx, markAhead, g.Projection, g.Number, g.LogID, past)
		return false, err
	case g.Position > past:
		r.warnAhead(ctx, g, past)
		return false, nil
	}
	var n int
	err = r.db.QueryRow(ctx, adoptCheckpoint, pgx.NamedArgs{
		"projection": g.Projection, "generation": g.Number, "was": g.LogID, "now": now, "past": past,
	}).Scan(&n)
	if n > 0 {
		r.log.InfoContext(ctx, "projection goes on in another epoch of the log",
			"projection", g.Projection, "position", g.Position, "log", now, "was", g.LogID)
	}
	return err == nil && n == 0, err
}

func (r *Runner) warnAhead(ctx context.Context, g generation, past int64) {
	r.log.WarnContext(ctx, "projection holds what is not in the log: it is built anew",
		"projection", g.Projection, "position", g.Position, "log_holds", past, "of", g.LogID)
}

// isAhead reports whether a checkpoint holds what is not in the log.
func (r *Runner) isAhead(ctx context.Context, logID string, position int64) (bool, error) {
	past, err := r.feed.Past(ctx, logID)
	return err == nil && position > past, err
}

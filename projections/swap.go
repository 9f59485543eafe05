package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Rebuild rebuilds a projection's tables from the first event beside the live ones
// and swaps them. It continues an interrupted rebuild, and may run in another process
// than the active runner. If it fails its tables are dropped, unless the rebuild is
// due anyway or ctx interrupted it: then the active runner finishes them.
func (r *Runner) Rebuild(ctx context.Context, name string) error {
	p, err := r.find(name)
	if err != nil {
		return err
	}
	if err := r.rebuild(ctx, p); err != nil {
		return fmt.Errorf("rebuild projection %s: %w", name, err)
	}
	return nil
}

func (r *Runner) rebuild(ctx context.Context, p Projection) error {
	logID, err := r.adopt(ctx, p)
	if err != nil {
		return err
	}
	if _, _, err := p.ensure(ctx, r.db, logID); err != nil {
		return err
	}
	var (
		g   *generation
		due bool
	)
	err = p.locked(ctx, r.db, func(tx pgx.Tx) error {
		live, building, err := generations(ctx, tx, p.Name)
		if err == nil {
			due = p.outdated(*live, logID)
			g, err = p.replacement(ctx, tx, *live, building, logID)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = r.finish(ctx, p, g)
	if err == nil || due || ctx.Err() != nil {
		return err
	}
	return errors.Join(err, p.discard(ctx, r.db, *g))
}

// discard drops tables that were being built, unless they are live by now.
func (p Projection) discard(ctx context.Context, db DB, g generation) error {
	err := p.locked(ctx, db, func(tx pgx.Tx) error {
		left, err := g.reload(ctx, tx)
		if err != nil || left == nil {
			return err
		}
		return left.drop(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("drop what was built: %w", err)
	}
	return nil
}

// finish waits until a generation is live, building it if nobody else does.
func (r *Runner) finish(ctx context.Context, p Projection, g *generation) error {
	for {
		err := r.build(ctx, p, g)
		var lost *lostError
		if errors.Is(err, errSwapped) {
			return nil
		}
		if !errors.As(err, &lost) {
			return err
		}
		live, building, err := generations(ctx, r.db, p.Name)
		switch {
		case err != nil:
			return err
		case live.Number == g.Number:
			return nil
		case building == nil || building.Number != g.Number:
			return errors.New("another rebuild has taken its place")
		}
		*g = *building
		sleep(ctx, r.standby)
	}
}

// maxChase is how often a build catches up with live tables that move on before it
// stops them for the rest of the way.
const maxChase = 10

// build fills new tables up to the live ones' position, swaps them and returns
// errSwapped. It applies everything before the swap, which stops the live tables, so
// that an event that cannot be applied does not hold them up.
func (r *Runner) build(ctx context.Context, p Projection, g *generation) error {
	for range maxChase {
		goal, err := r.goal(ctx, p, g)
		if err != nil {
			return err
		}
		if g.Position >= goal {
			break
		}
		if err := r.follow(ctx, p, g, goal, nil); !errors.Is(err, errIdle) {
			return err
		}
	}
	if err := r.swap(ctx, p, g); err != nil {
		return fmt.Errorf("swap tables: %w", err)
	}
	r.log.InfoContext(ctx, "projection rebuilt", "projection", p.Name, "version", p.Version, "position", g.Position)
	return errSwapped
}

// goal is the position new tables must reach to replace the live ones. For live
// tables of another log it is the head.
func (r *Runner) goal(ctx context.Context, p Projection, g *generation) (int64, error) {
	live, _, err := generations(ctx, r.db, p.Name)
	if err != nil {
		return 0, err
	}
	if live == nil || live.LogID != g.LogID {
		return r.feed.Head(ctx)
	}
	return live.Position, nil
}

const lockLive = `
	select position from read.checkpoint where projection = $1 and live for update`

const makeLive = `
	update read.checkpoint set live = true, updated_at = now()
	where projection = $1 and generation = $2`

// swap replaces the live tables. It holds the live checkpoint and first brings the
// new tables to it, so that no reader sees time go back.
func (r *Runner) swap(ctx context.Context, p Projection, g *generation) error {
	r.swapping.Lock()
	defer r.swapping.Unlock()
	return p.locked(ctx, r.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockLive, p.Name); err != nil {
			return err
		}
		live, building, err := generations(ctx, tx, p.Name)
		if err != nil {
			return err
		}
		if building == nil || building.Number != g.Number {
			return &lostError{g.Number}
		}
		goal, err := r.goal(ctx, p, g)
		if err == nil {
			err = r.reach(ctx, p, g, goal)
		}
		if err != nil {
			return err
		}
		if err := p.show(ctx, tx, *g); err != nil {
			return err
		}
		if err := live.drop(ctx, tx); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, makeLive, p.Name, g.Number)
		return err
	})
}

// reach brings tables to a position.
func (r *Runner) reach(ctx context.Context, p Projection, g *generation, position int64) error {
	for g.Position < position {
		f := r.read(ctx, p, g.Position)
		if f.err != nil {
			return f.err
		}
		if !g.isOf(f.page) {
			return errEpoch
		}
		if f.page.Scanned <= g.Position {
			return fmt.Errorf("the log ends at %d, before the position %d to reach", g.Position, position)
		}
		if err := r.advance(ctx, p, *g, f); err != nil {
			return err
		}
		g.Position = f.page.Scanned
	}
	return nil
}

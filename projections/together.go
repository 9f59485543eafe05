package projections

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// gather is how long a round waits for the other live tables: they are woken by the same
// news, so they come together, if at all.
const gather = 2 * time.Millisecond

// rounds brings together live tables that have a page to apply at the same time: they
// share a transaction, since most of what a short page costs is that. Whatever goes wrong
// in it undoes it, and each applies its page alone: so a projection affects no other.
// A round waits for nobody's checkpoint. The zero value is ready.
type rounds struct {
	mu sync.Mutex
	// followers counts the live tables that are followed at present.
	followers int
	waiting   []*share
	led       bool
	complete  chan struct{} // closed when all followers wait; nil if nobody cares
}

// share is one projection's part of a round.
type share struct {
	p    Projection
	g    generation
	f    fetched
	told chan outcome // has room for one
}

// outcome is what becomes of a share.
type outcome int

const (
	leads outcome = iota // it is to lead the round it is in
	applied
	alone
)

// enter counts a follower until the function it returns is called.
func (r *rounds) enter() (leave func()) {
	r.count(1)
	return func() { r.count(-1) }
}

func (r *rounds) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers += n
	r.checkComplete()
}

func (r *rounds) checkComplete() {
	if r.complete != nil && len(r.waiting) >= r.followers {
		close(r.complete)
		r.complete = nil
	}
}

// join takes part in a round and reports whether the share was applied in it. do applies
// shares and tells of each whether it was applied.
func (r *rounds) join(ctx context.Context, s *share, do func(context.Context, []*share) []bool) bool {
	r.mu.Lock()
	r.waiting = append(r.waiting, s)
	if !r.led {
		r.led = true
		s.told <- leads
	}
	r.checkComplete()
	r.mu.Unlock()
	what := <-s.told
	if what == leads {
		r.lead(ctx, do)
		what = <-s.told
	}
	return what == applied
}

// lead applies what waits, once others had time to come, and hands on.
func (r *rounds) lead(ctx context.Context, do func(context.Context, []*share) []bool) {
	all := r.take(ctx)
	done := make([]bool, len(all))
	if len(all) > 1 {
		done = do(ctx, all)
	}
	for i, s := range all {
		if done[i] {
			s.told <- applied
		} else {
			s.told <- alone
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.led = len(r.waiting) > 0; r.led {
		r.waiting[0].told <- leads
	}
}

// take gives the shares of a round.
func (r *rounds) take(ctx context.Context) (all []*share) {
	r.mu.Lock()
	complete := make(chan struct{})
	r.complete = complete
	r.checkComplete()
	r.mu.Unlock()
	timeout := time.NewTimer(gather)
	defer timeout.Stop()
	select {
	case <-complete:
	case <-timeout.C:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all, r.waiting, r.complete = r.waiting, nil, nil
	return all
}

// apply applies a page: with those of other live tables if it is short, and else alone.
// Alone are tables whose last page failed, and pages whose rows are written only once.
func (r *Runner) apply(ctx context.Context, p Projection, g generation, f fetched) error {
	short := len(f.page.Events) < r.pageOf(p) && (p.ReadPage == nil || len(f.page.Events) == 0)
	if g.Live && short && !r.fails(g.job()) {
		s := &share{p: p, g: g, f: f, told: make(chan outcome, 1)}
		if r.rounds.join(ctx, s, r.together) {
			return nil
		}
	}
	return r.advance(ctx, p, g, f)
}

// together applies shares in one transaction. None was applied where that failed; of
// those whose checkpoint somebody else holds or has moved none is.
func (r *Runner) together(ctx context.Context, all []*share) []bool {
	claimed := make([]bool, len(all))
	err := pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) error {
		parked, err := claimAll(ctx, tx, all)
		if err != nil {
			return err
		}
		keys := newSealers(ctx, r.keys)
		for i, s := range all {
			behind, ok := parked[i]
			if claimed[i] = ok; !ok || len(s.f.page.Events) == 0 {
				continue
			}
			// On its own: statements are prepared before any of their batch is executed.
			if err := s.g.enter(ctx, tx); err != nil {
				return err
			}
			var b Batch
			if err := s.p.queue(&b, s.g, s.f.page, behind, nil, keys); err != nil {
				return err
			}
			if err := b.send(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		clear(claimed)
	}
	return claimed
}

// moveCheckpoints moves those checkpoints that are where their runners expect them and
// that nobody holds.
const moveCheckpoints = `
	with held as (
		select c.projection, c.generation, w.until, w.share
		from read.checkpoint c
			join unnest(@projections::text[], @generations::bigint[], @logs::text[], @positions::bigint[], @until::bigint[], @shares::int[])
				as w (projection, generation, log_id, position, until, share) using (projection, generation, log_id, position)
		for update of c skip locked
	)
	update read.checkpoint c set position = held.until, updated_at = now()
	from held
	where c.projection = held.projection and c.generation = held.generation
	returning held.share`

const parkedStreamsOfAll = `
	select distinct share, stream
	from read.parked join unnest(@projections::text[], @generations::bigint[], @shares::int[]) as w (projection, generation, share) using (projection, generation)`

// claimAll is claim for many. It returns the parked streams of those that were claimed, by
// their place among all.
func claimAll(ctx context.Context, tx pgx.Tx, all []*share) (parked map[int]map[string]bool, err error) {
	args := claims(all)
	var b pgx.Batch
	b.Queue(takeRole, RunnerRole)
	b.Queue(moveCheckpoints, args)
	b.Queue(parkedStreamsOfAll, args)
	results := tx.SendBatch(ctx, &b)
	defer results.Close() // every result is read below
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, _ := results.Query() // rows carry the error
	moved, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, err
	}
	parked = map[int]map[string]bool{}
	for _, i := range moved {
		parked[i] = map[string]bool{}
	}
	rows, _ = results.Query()
	var i int
	var stream string
	_, err = pgx.ForEachRow(rows, []any{&i, &stream}, func() error {
		if parked[i] != nil {
			parked[i][stream] = true
		}
		return nil
	})
	return parked, err
}

// claims says what checkpoints are to be moved. Where tables are followed twice, which
// whoever catches up beside a runner does, the first share is theirs: one row that two
// claim would be moved once, for both.
func claims(all []*share) pgx.NamedArgs {
	var names, logs []string
	var generations, positions, until []int64
	var shares []int
	seen := map[job]bool{}
	for i, s := range all {
		if seen[s.g.job()] {
			continue
		}
		seen[s.g.job()] = true
		names, generations, logs = append(names, s.p.Name), append(generations, s.g.Number), append(logs, s.g.LogID)
		positions, until, shares = append(positions, s.g.Position), append(until, s.f.page.Scanned), append(shares, i)
	}
	return pgx.NamedArgs{"projections": names, "generations": generations, "logs": logs, "positions": positions, "until": until, "shares": shares}
}

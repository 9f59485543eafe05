package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections/tasks"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// Time-driven work: what is done, how often, and after how long.
const (
	sweepEvery = time.Minute
	// idleTask is when a task nobody asks for counts as interrupted (spec: 30 minutes).
	idleTask = 30 * time.Minute
	// openCall is when a model call without an end is settled by estimate: well
	// past every timeout of the turn it belongs to.
	openCall = 10 * time.Minute
	// unbooked is when a call without a bill is one that should have it by now.
	unbooked = openCall + sweepEvery
	// strangersFor is how long refused logins of nobody known are kept.
	strangersFor = 30 * 24 * time.Hour
	sweepBatch   = 1000
	jobWithin    = 5 * time.Minute
)

// schedule runs time-driven jobs until ctx ends, in one process at a time. Jobs issue
// commands like anybody else.
func (s *system) schedule(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.sweep(ctx, s.now()); err != nil && ctx.Err() == nil {
			s.log.Error("time-driven work failed; it is tried again", "error", err, "in", sweepEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *system) sweep(ctx context.Context, now time.Time) error {
	leads, err := s.alive.Leads(ctx, "sweep")
	if err != nil || !leads {
		return err
	}
	var failed error
	for _, job := range []struct {
		name string
		do   func(context.Context, time.Time) error
	}{
		{"interrupt idle tasks", s.interruptIdle},
		{"settle open calls", s.settleOpen},
		{"reconcile budgets", s.reconcileBudgets},
		{"purge tokens", s.purgeIdentity},
		{"finish erasures", s.finishErasures},
		{"try what a newer version wrote", s.retryNewer},
	} {
		if err := s.due(ctx, now, job.do); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", job.name, err))
		}
	}
	for _, r := range s.retain(ctx, now) {
		if r.err != nil {
			failed = errors.Join(failed, fmt.Errorf("retention of %s: %w", r.job.name, r.err))
		}
	}
	return failed
}

// due runs one job within its own time, so that one that hangs or fails does not keep
// the others from running.
func (s *system) due(ctx context.Context, now time.Time, do func(context.Context, time.Time) error) error {
	ctx, cancel := context.WithTimeout(ctx, jobWithin)
	defer cancel()
	return do(ctx, now)
}

func (s *system) interruptIdle(ctx context.Context, now time.Time) error {
	idle, err := tasks.Queries{DB: s.db}.Idle(ctx, now.Add(-idleTask), sweepBatch)
	if err != nil {
		return err
	}
	interrupt := commands.InterruptTask{Log: s.events, Keys: s.content, IDs: domain.NewUUID}
	// A claim made just before that time is good until a lease later.
	before := now.Add(-idleTask).Add(s.cfg.Limits.Lease)
	var failed error
	for _, t := range idle {
		err := interrupt.InterruptTask(ctx, t.Tenant, t.TaskID, "nobody asked for it for 30 minutes", before)
		failed = errors.Join(failed, unlessNewer(err))
	}
	return failed
}

func (s *system) settleOpen(ctx context.Context, now time.Time) error {
	open, err := usageview.Queries{DB: s.db}.Open(ctx, now.Add(-openCall))
	if err != nil {
		return err
	}
	var failed error
	for _, c := range open {
		// Only this one: a younger call of the same subject may still be under way.
		failed = errors.Join(failed, unlessNewer(s.recorder().closeCall(ctx, c.Tenant, c.Subject, c.ID, "its end was never seen")))
	}
	return failed
}

// reconcileBudgets books bills that a dead process recorded but did not book, and
// releases its reservations for calls it never made.
func (s *system) reconcileBudgets(ctx context.Context, now time.Time) error {
	unsure, err := s.billing.Unsure(ctx, now.Add(-openCall), sweepBatch)
	if err != nil {
		return err
	}
	var failed error
	for _, u := range unsure {
		failed = errors.Join(failed, unlessNewer(s.ledger.Reconcile(ctx, u.Subject, u.Call)))
	}
	_, err = s.billing.Forget(ctx)
	return errors.Join(failed, err)
}

func (s *system) purgeIdentity(ctx context.Context, now time.Time) error {
	if _, err := s.identity.PurgeTokens(ctx, now); err != nil {
		return err
	}
	if _, err := s.identity.PurgeAudit(ctx, now.Add(-strangersFor)); err != nil {
		return err
	}
	_, err := s.identity.PurgeLimits(ctx)
	return err
}

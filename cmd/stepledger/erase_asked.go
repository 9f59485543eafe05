package main

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/erasure"
)

// askedWaiting is how many erasures wait for the worker. What is beyond them is found by
// the job that finishes erasures, within a minute.
const askedWaiting = 64

// askedErasures are those asked for over HTTP: recorded at once, and done one after the
// other by a worker, since each may read the whole log.
type askedErasures struct {
	*system
	waiting chan erasure.ErasureRequested
}

func newAskedErasures(s *system) askedErasures {
	return askedErasures{s, make(chan erasure.ErasureRequested, askedWaiting)}
}

// RequestErasure implements api.Erasures. A user is disabled first: that refuses a
// tenant's last admin, of two who erase each other as well, and ends the logins at once.
func (a askedErasures) RequestErasure(ctx context.Context, by account.Actor, r erasure.ErasureRequested) (commands.RecordedErasure, error) {
	if r.Kind == erasure.User {
		if err := a.identity.Disable(ctx, by, r.Tenant, r.Subject); err != nil {
			return commands.RecordedErasure{}, err
		}
	}
	e, err := a.erasing().Request(ctx, r)
	if err != nil || e.Completed != nil {
		return e, err
	}
	select {
	case a.waiting <- e.ErasureRequested:
	default:
	}
	return e, nil
}

// Erasures implements api.Erasures.
func (a askedErasures) Erasures(ctx context.Context, tenant string) ([]commands.RecordedErasure, error) {
	return a.erasing().Erasures(ctx, tenant)
}

// work does what was asked for, until ctx ends. What it leaves is recorded.
func (a askedErasures) work(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-a.waiting:
			if err := a.do(ctx, r); err != nil && ctx.Err() == nil {
				a.log.Error("an erasure failed; it is tried again", "error", err, "erasure", r.Erasure, "tenant", r.Tenant, "in", sweepEvery)
			}
		}
	}
}

// do carries out an erasure, unless that was done while it waited.
func (a askedErasures) do(ctx context.Context, r erasure.ErasureRequested) error {
	return a.system.due(ctx, a.system.now(), func(ctx context.Context, _ time.Time) error {
		e, err := a.erasing().Find(ctx, r.Tenant, r.Erasure)
		if err != nil || e.Completed != nil {
			return err
		}
		_, err = a.erasing().Run(ctx, r.Tenant, r.Erasure)
		return err
	})
}

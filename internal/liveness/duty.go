package liveness

import (
	"context"
	"fmt"
	"time"
)

// dutySpace keeps the locks of duties apart from those of instances.
const dutySpace = 0x5e92

// Leads reports whether this process has a duty that one process at a time may have,
// and takes it if nobody has it. A duty ends with Close or the loss of the
// connection, which is noticed within a second. The work done under it must tolerate
// being done twice for a moment.
func (r *Registry) Leads(ctx context.Context, duty string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holds(ctx, duty) {
		return true, nil
	}
	taken, err := r.take(ctx, duty)
	if err != nil {
		return false, fmt.Errorf("liveness: take the duty %s: %w", duty, err)
	}
	if taken {
		r.leads[duty] = r.ask
	}
	return taken, nil
}

// checkEvery is for how long a duty is believed to be held without asking.
const checkEvery = time.Second

// holds reports whether the connection that has the lock of a duty is still there, as it was
// a second ago at most. Nothing else may be asked on it for hours.
func (r *Registry) holds(ctx context.Context, duty string) bool {
	if r.ask == nil || r.ask.IsClosed() || r.leads[duty] != r.ask {
		return false
	}
	if now := time.Now(); now.Sub(r.pinged) > checkEvery {
		if ping(ctx, r.ask) != nil {
			closeConn(r.ask)
			return false
		}
		r.pinged = now
	}
	return true
}

// take takes the lock of a duty, for as long as the connection lasts, if it is free.
func (r *Registry) take(ctx context.Context, duty string) (taken bool, err error) {
	if err := r.connect(ctx); err != nil {
		return false, err
	}
	err = r.ask.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, dutySpace, lockKey(duty)).Scan(&taken)
	return taken, err
}

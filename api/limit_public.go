package api

import (
	"maps"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain/account"
)

// DefaultPublicLimit is how often an address may ask the public routes in a minute: many
// times as often as load balancers do.
const DefaultPublicLimit = 600

// maxAddresses bounds the addresses counted at a time; those beyond share a limit.
const maxAddresses = 10_000

// publicLimit counts by address in this process, by the generic cell rate algorithm: a
// full limit may be used at once, and comes back evenly over a minute.
type publicLimit struct {
	limit int
	each  time.Duration // between two requests at a steady rate

	mu sync.Mutex
	// next is when the next request of an address is due at a steady rate.
	next map[string]time.Time
}

func newPublicLimit(perMinute int) *publicLimit {
	if perMinute <= 0 {
		perMinute = DefaultPublicLimit
	}
	return &publicLimit{limit: perMinute, each: time.Minute / time.Duration(perMinute), next: map[string]time.Time{}}
}

func (l *publicLimit) take(address string, now time.Time) account.Quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.next[address]; !known && len(l.next) >= maxAddresses {
		maps.DeleteFunc(l.next, func(_ string, next time.Time) bool { return !next.After(now) })
		if len(l.next) >= maxAddresses {
			address = "" // of the others
		}
	}
	whole := l.each * time.Duration(l.limit)
	next := l.next[address]
	if next.Before(now) {
		next = now
	}
	q := account.Quota{Allowed: next.Add(l.each).Sub(now) <= whole, Limit: l.limit}
	if q.Allowed {
		next = next.Add(l.each)
		l.next[address] = next
	}
	free := whole - next.Sub(now)
	q.Remaining, q.ResetAt = int(free/l.each), next
	if q.Remaining == 0 {
		q.RetryAfter = l.each - free
	}
	return q
}

package commands

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/eventstore"
)

// ErasedTenants remembers of whom something was ever erased, and up to where of the log that
// is known: a log is read once by a process and not with every question. It is safe for
// concurrent use.
type ErasedTenants struct {
	mu      sync.Mutex
	log     string
	to      int64
	tenants map[string]bool
}

// upToDate returns the tenants, sorted, by the end of the log as it is now. Of a log that
// was put back it begins anew where it knew more than there is.
func (k *ErasedTenants) upToDate(ctx context.Context, log eventstore.Feed) ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, ok, err := eventstore.GoesOn(ctx, log, k.log, k.to)
	if err != nil {
		return nil, err
	}
	if !ok || k.tenants == nil {
		k.to, k.tenants = 0, map[string]bool{}
	}
	k.log = now
	for {
		page, err := log.ReadAll(ctx, k.to, 0, eventstore.Filter{Categories: []string{erasure.Category}})
		if err != nil {
			return nil, err
		}
		for _, r := range page.Events {
			k.tenants[r.Metadata().Tenant] = true
		}
		if page.Scanned <= k.to {
			return slices.Sorted(maps.Keys(k.tenants)), nil
		}
		k.to = page.Scanned
	}
}

package reactions

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Bills brings budgets in line with ledgers.
type Bills interface {
	// Reconcile books the bill a call has on the ledger of a subject.
	Reconcile(ctx context.Context, subject, call string) error
}

// bookCorrections makes the budget follow every change of a bill, even if whoever
// made it died before booking it.
func (d Deps) bookCorrections() Reaction {
	const name = "book-corrections"
	return Reaction{name, []string{usage.NameUsageCorrected}, func(ctx context.Context, e eventstore.Recorded) error {
		event, err := usage.Codec.Decode(e.Type, e.Data, e.ID, nil)
		if err != nil {
			return fmt.Errorf("read %s of %s: %w", e.Type, e.Stream, err)
		}
		corrected, ok := event.(usage.UsageCorrected)
		if !ok {
			return fmt.Errorf("%s of %s is no correction", e.Type, e.Stream)
		}
		return d.Bills.Reconcile(ctx, subject(e.Stream), corrected.Call)
	}}
}

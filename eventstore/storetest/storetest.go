// Package storetest is the contract every event store passes: the promises of package
// eventstore as tests. Promises lists them. It is test code only.
package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// Feature is something not every store supports. A store declares what it lacks, and
// the suite skips exactly the promises that need it.
type Feature string

const (
	// StreamIDs: an event id that stands elsewhere in its stream than an append
	// would put it is recognized.
	StreamIDs Feature = "stream ids"
	// BodyComparison: a known id with another body or type is recognized.
	BodyComparison Feature = "body comparison"
	// FreshAge: MaxAge is applied at the moment of reading.
	FreshAge Feature = "fresh age"
	// Durable: the log outlives the process.
	Durable Feature = "durable"
)

// Subject is a store under test.
type Subject struct {
	// Name is the store's column in the table of ARCHITECTURE.md.
	Name string
	// Lacks are the features the store declares not to have.
	Lacks []Feature
	// Open gives an empty store of its own, closed by t.Cleanup.
	Open func(t testing.TB) eventstore.Store
	// Log gives the address of an empty log of its own, for Dial. Only a store
	// that is Durable has it.
	Log func(t testing.TB) (address string)
	// Dial opens a log, in this process or in another one; see Main.
	Dial Dial
}

// Dial opens the log at an address. The last result closes the store.
type Dial func(ctx context.Context, address string) (eventstore.Store, func(), error)

// patience bounds every wait of the suite. It is long enough for a machine under
// load; a store that keeps its promises needs a fraction.
const patience = 30 * time.Second

type suite struct{ Subject }

// Run tests that a store keeps its promises, and that ARCHITECTURE.md says what it
// declares.
func Run(t *testing.T, s Subject) {
	t.Run("Table", func(t *testing.T) {
		t.Parallel()
		testTable(t, s)
	})
	for _, p := range Promises() {
		if slices.Contains(s.Lacks, p.Needs) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			p.test(t, suite{s})
		})
	}
}

// each runs subtests in parallel, each on a store of its own.
func (s suite) each(t *testing.T, tests map[string]func(*testing.T, eventstore.Store)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s.Open(t))
		})
	}
}

// bounded is a context that ends when the suite's patience does.
func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

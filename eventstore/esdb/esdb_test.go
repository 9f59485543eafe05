package esdb_test

import (
	"testing"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
	"github.com/stepledger/stepledger/eventstore/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, dial) }

// lacks is what the server cannot recognize.
var lacks = []storetest.Feature{storetest.StreamIDs}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Subject{
		Name:  "esdb",
		Lacks: lacks,
		Open:  func(t testing.TB) eventstore.Store { return open(t, node(t).URL(), esdb.Options{Timeout: patience}) },
		Log:   func(t testing.TB) string { return node(t).URL() },
		Dial:  dial,
	})
}

// node is a server that takes the largest appends of the port.
func node(t testing.TB) *esdbtest.Server {
	return esdbtest.Start(t, esdbtest.Options{MaxAppendBytes: 2 * eventstore.MaxAppendBytes})
}

package postgres

import (
	"math/rand/v2"
	"testing"

	"github.com/stepledger/stepledger/eventstore/storetest"
)

// What storetest asks of one process holds for several, and while their connections
// are cut.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	t.Run("several processes", func(t *testing.T) {
		t.Parallel()
		for range 3 {
			url := database(t)
			storetest.Linearizable(bounded(t), t, open(t, url, Options{}), open(t, url, Options{}), open(t, url, Options{}))
		}
	})
	t.Run("whose connections are cut", func(t *testing.T) {
		t.Parallel()
		for range 8 {
			p := newProxy(t, database(t))
			o := Options{Timeout: patience}
			a, b := open(t, p.url, o), open(t, p.url, o)
			// To open all their connections takes the stores some sixty pieces.
			p.cutAfter(func() int { return rand.N(120) })
			storetest.Linearizable(bounded(t), t, a, b)
		}
	})
}

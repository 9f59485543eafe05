package postgres

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

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
			over := make(chan struct{})
			var cutting sync.WaitGroup
			cutting.Go(func() {
				for {
					select {
					case <-over:
						return
					case <-time.After(rand.N(30 * time.Millisecond)):
						p.cut()
					}
				}
			})
			storetest.Linearizable(bounded(t), t, a, b)
			close(over)
			cutting.Wait()
		}
	})
}

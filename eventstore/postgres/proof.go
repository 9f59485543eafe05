package postgres

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"
)

// How the session that listens is proven: by a notification that takes the way
// those of other processes take, from a connection of the pool. Until others have
// looked who listens they may keep theirs to themselves, so the first is sent after
// that.
const (
	proveAfter = 2 * aloneFor
	proveEvery = 10 * time.Second
	// proofHolds is how long a proof is believed: until the next one is overdue.
	proofHolds = proveEvery + 2*time.Second
	// quietFloor is how long Wait goes on while news are proven to come: it makes up
	// for a process that died between a commit and telling of it.
	quietFloor = 2 * time.Second
)

// proof is what a store knows of its own session that listens.
type proof struct {
	own   atomic.Pointer[string] // the payload that is waited for
	heard atomic.Int64           // when one came, in Unix nanoseconds; 0 without a session
}

// probePrefix tells probes from positions; other processes leave them alone.
const probePrefix = "probe "

// prove sends probes until ctx ends.
func (s *Store) prove(ctx context.Context) {
	if s.o.NotifyEvery < 0 {
		return
	}
	for pause := proveAfter; ; pause = proveEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		probe := probePrefix + rand.Text()
		s.proof.own.Store(&probe)
		s.sendNotification(probe)
	}
}

// hearProof notes a probe of this store.
func (s *Store) hearProof(payload string) {
	own := s.proof.own.Load()
	if own != nil && payload == *own {
		s.proof.heard.Store(time.Now().UnixNano())
	}
}

// doubt takes back a proof, and wakes those who wait because of it.
func (s *Store) doubt() {
	s.proof.own.Store(nil)
	s.proof.heard.Store(0)
	s.news.rouse()
}

// floor is how long to wait without news.
func (s *Store) floor() time.Duration {
	if time.Since(time.Unix(0, s.proof.heard.Load())) > proofHolds {
		return s.o.PollFloor
	}
	return max(s.o.PollFloor, quietFloor)
}

package postgres

import (
	"testing"
	"time"
)

// Wait takes its time only while news are proven to come: not before, and not after the
// session that hears them is gone.
func TestWait_LongOnlyWhileNewsAreProvenToCome(t *testing.T) {
	t.Parallel()
	url := database(t)
	s, killer := open(t, url, Options{PollFloor: 10 * time.Millisecond}), connect(t, url)
	if s.floor() != s.o.PollFloor {
		t.Error("news are believed in before anything was heard")
	}
	proven := func() bool { return s.floor() == quietFloor }
	eventually(t, "news are proven to come", proven)
	mustExec(t, killer, `select pg_terminate_backend($1)`, s.listener.Load())
	eventually(t, "they are doubted", func() bool { return !proven() })
	eventually(t, "another session has proven itself", proven)
}

// A store that tells nobody proves nothing to itself.
func TestWait_WithoutProof(t *testing.T) {
	t.Parallel()
	s := open(t, database(t), Options{NotifyEvery: -1})
	s.hearProof(probePrefix + "of another store")
	if s.floor() != s.o.PollFloor {
		t.Error("what another store has sent was taken for a proof")
	}
}

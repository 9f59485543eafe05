package postgres

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// The primary is killed under load and its standby takes over: nobody has to tell
// the store, and what was acknowledged or read is there, in its order.
func TestFailover(t *testing.T) {
	t.Parallel()
	p := pgtest.StartPair(t, Migrate)
	s := open(t, p.URL, Options{Timeout: patience})
	id, err := s.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, f := startStorm(s, 8), startFollower(t, s)
	st.goOn(t, 200)
	headWas := headOf(t, s)
	p.KillPrimary(t)
	p.Promote(t)
	st.goOn(t, 200)
	st.end()
	if len(st.unknown) > 0 {
		t.Errorf("%d events were given up, though the standby took over in time", len(st.unknown))
	}
	after := open(t, p.Standby.URL(), Options{})
	now, goesOn, err := eventstore.GoesOn(t.Context(), after, id, headWas)
	if now == id || !goesOn || err != nil {
		t.Errorf("the log is %s, was %s; a follower at %d goes on: %v, %v", now, id, headWas, goesOn, err)
	}
	wantOnce(t, after, st.acked)
	f.wantAll(t, after)
}

// While its standby is away a server commits, but nothing may be acknowledged that
// only it has: not the first time, and not when the append is repeated.
func TestFailover_withoutTheStandby(t *testing.T) {
	t.Parallel()
	p := pgtest.StartPair(t, Migrate)
	s := open(t, p.Primary.URL(), Options{Timeout: 2 * time.Second})
	kept, in := events(1), events(2)
	mustAppend(t, s, "task-1", eventstore.NoStream, kept...)
	if err := p.Standby.Stop(bounded(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := s.Append(bounded(t), "task-1", 0, in)
		wantUnavailable(t, err)
	}
	pgtest.StartServer(t, p.StandbyDir)
	eventually(t, "it is acknowledged when the standby is back", func() bool {
		r, err := s.Append(bounded(t), "task-1", 0, in)
		return err == nil && r.Revision == 2
	})
	wantOnce(t, s, append(kept, in...))
}

// Who has come to a standby before it is promoted begins the epoch before it appends.
func TestFailover_whoWasAtTheStandbyBefore(t *testing.T) {
	t.Parallel()
	p := pgtest.StartPair(t, Migrate)
	mustAppend(t, open(t, p.Primary.URL(), Options{}), "task-1", eventstore.NoStream, events(1)...)
	type outcome struct {
		r   eventstore.Receipt
		err error
	}
	appended := make(chan outcome, 1)
	go func() {
		s, err := Open(t.Context(), p.Standby.URL(), Options{Timeout: patience})
		if err != nil {
			appended <- outcome{err: err}
			return
		}
		defer s.Close()
		r, err := s.Append(t.Context(), "task-1", 0, events(1))
		appended <- outcome{r, err}
	}()
	standby := connect(t, p.Standby.URL())
	eventually(t, "it is at the standby", func() bool {
		var there bool
		err := standby.QueryRow(t.Context(), `
			select exists (select from pg_stat_activity where pid <> pg_backend_pid() and query like '%pg_is_in_recovery%')`).Scan(&there)
		return err == nil && there
	})
	p.KillPrimary(t)
	p.Promote(t)
	if got := <-appended; got.err != nil || eventstore.EpochNumber(got.r.Log) != 2 {
		t.Errorf("appended in %s, of the epoch before: %v", got.r.Log, got.err)
	}
}

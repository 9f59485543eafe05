package projections_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestRunner_Health(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	e.CatchUp(tally())
	put(e, "number-a", 1, 1)
	idle := tally()
	idle.Name, idle.Views = "idle", nil
	s, err := projections.NewRunner(e.Config(tally(), idle)).Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := s[0]; got.Name != "tally" || got.Version != 1 || got.Position != 1 || got.Lag != 2 || !got.OK() || time.Since(got.UpdatedAt) > time.Minute {
		t.Errorf("got %+v; want position 1, two behind", got)
	}
	if got := s[1]; got.Name != "idle" || got.Position != 0 || got.Lag != 3 {
		t.Errorf("got %+v; want one that has not begun", got)
	}
}

// Whatever stopped it, and wherever: what shows is that events wait.
func TestRunner_Health_OfAStandstill(t *testing.T) {
	t.Parallel()
	const standsStill = "projection tally has stood still for 1m"
	tests := []struct {
		name           string
		events         int           // applied none of them
		came           time.Duration // ago
		moved          time.Duration // ago, the live checkpoint
		built          time.Duration // ago, the one being built; 0: there is none
		standing, upTo time.Duration
		fault          string
	}{
		{"nothing waits", 0, time.Hour, time.Hour, 0, 0, 0, ""},
		{"an event that came a moment ago, after an hour of nothing", 1, time.Second, time.Hour, 0, time.Second, 10 * time.Second, ""},
		{"a backlog that gets shorter", 1, time.Hour, time.Second, 0, time.Second, 10 * time.Second, ""},
		{"a rebuild that gets on", 1, time.Hour, time.Hour, time.Second, time.Second, 10 * time.Second, ""},
		{"an event that nobody applies", 1, time.Minute, time.Hour, 0, time.Minute, 70 * time.Second, standsStill},
		{"a backlog that nobody works off", 1, time.Hour, time.Minute, 0, time.Minute, 70 * time.Second, standsStill},
		{"a rebuild that nobody goes on with", 1, time.Hour, time.Hour, time.Minute, time.Minute, 70 * time.Second, standsStill},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			e.Store = memory.New(memory.Options{Now: func() time.Time { return time.Now().Add(-tt.came) }})
			r := projections.NewRunner(e.Config(tally()))
			if err := r.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
			for n := range tt.events {
				put(e, "number-a", n)
			}
			const building = `insert into read.checkpoint (projection, version, log_id, live) values ('tally', 2, 'log', false)`
			const moved = `update read.checkpoint set updated_at = now() - make_interval(secs => $1) where live = $2`
			exec(e, moved, tt.moved.Seconds(), true)
			if tt.built > 0 {
				exec(e, building)
				exec(e, moved, tt.built.Seconds(), false)
			}
			all, err := r.Health(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s, fault := all[0], ""
			if err := s.Fault(); err != nil {
				fault = err.Error()
			}
			if s.Standing < tt.standing || s.Standing > tt.upTo {
				t.Errorf("stands since %v, want %v to %v", s.Standing, tt.standing, tt.upTo)
			}
			if waits := tt.events > 0; waits != (s.Waiting > 0) || waits && (s.Waiting < tt.came || s.Waiting > tt.came+time.Minute) {
				t.Errorf("the oldest event waits for %v, it came %v ago", s.Waiting, tt.came)
			}
			if s.OK() != (tt.fault == "") || !strings.HasPrefix(fault, tt.fault) {
				t.Errorf("OK %v, fault %q; want %q", s.OK(), fault, tt.fault)
			}
		})
	}
}

func exec(e *projtest.Env, sql string, args ...any) {
	e.T.Helper()
	if _, err := e.Pool.Exec(e.T.Context(), sql, args...); err != nil {
		e.T.Fatal(err)
	}
}

func TestRunner_Health_OfOneWithoutTables(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Store = memory.New(memory.Options{Now: func() time.Time { return time.Now().Add(-time.Minute) }})
	put(e, "number-a", 1)
	s, err := projections.NewRunner(e.Config(tally())).Health(t.Context())
	if err != nil || s[0].OK() || s[0].Standing < time.Minute {
		t.Errorf("got %+v, %v; want a stand-still since the event", s, err)
	}
}

func TestStatus_Fault(t *testing.T) {
	t.Parallel()
	trouble := errors.New("no connection")
	for want, s := range map[string]projections.Status{
		"":                                {Name: "tally", Lag: 3, Standing: projections.MaxStanding},
		"projection tally: no connection": {Name: "tally", Err: trouble, Parked: 1, Standing: time.Hour},
		"projection tally has put 2 events aside":                                   {Name: "tally", Parked: 2},
		"projection tally has stood still for 1m0s at position 4, 3 behind the log": {Name: "tally", Position: 4, Lag: 3, Standing: time.Minute},
	} {
		got := ""
		if err := s.Fault(); err != nil {
			got = err.Error()
		}
		if got != want || s.OK() != (want == "") {
			t.Errorf("fault %q, OK %v; want %q", got, s.OK(), want)
		}
	}
	if err := (projections.Status{Err: trouble}).Fault(); !errors.Is(err, trouble) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

package projections_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

// What waits is counted in events the read model takes, whatever else is in the log.
func TestRunner_ReadModels(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Store = memory.New(memory.Options{Now: func() time.Time { return time.Now().Add(-time.Minute) }})
	put(e, "number-a", 1)
	e.CatchUp(tally())
	put(e, "number-a", 1, 1)
	put(e, "noise-a", 1, 1, 1)
	picky := tally()
	picky.Name, picky.Version, picky.Views, picky.Filter = "picky", 7, nil, eventstore.Filter{Categories: []string{"noise"}}
	r := projections.NewRunner(e.Config(tally(), picky))
	exec(e, `insert into read.checkpoint (projection, version, log_id, live) values ('tally', 2, 'log', false)`)
	all, err := r.ReadModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if s := all[i].LagSeconds; s < 60 || s > 120 {
			t.Errorf("%s is %v seconds behind, want a minute", all[i].Name, s)
		}
		all[i].LagSeconds = 0
	}
	want := []projections.ReadModel{
		{Name: "tally", Version: 1, Position: 1, Head: 6, LagEvents: 2, Rebuilding: true},
		{Name: "picky", Version: 7, Position: 0, Head: 6, LagEvents: 3},
	}
	for i, w := range want {
		if all[i] != w {
			t.Errorf("got %+v\nwant %+v", all[i], w)
		}
	}
	exec(e, `delete from read.checkpoint where not live`)
	e.CatchUp(tally())
	if all, err = r.ReadModels(t.Context()); err != nil || all[0].LagEvents != 0 || all[0].LagSeconds != 0 || all[0].Position != 6 || all[0].Rebuilding {
		t.Errorf("%+v, %v; want one that has caught up", all, err)
	}
}

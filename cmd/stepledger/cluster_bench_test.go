package main

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The load of BenchmarkOperate: so many requests a second in all, of so many tasks.
const (
	operateRate   = 30
	operateActive = 120
	operateLasts  = 8 * time.Second
	operateRounds = 5
	takeOvers     = 3
)

// BenchmarkOperate is a turn by rules, on pages of 60 elements, over four replicas, two of
// them through a PgBouncer, beside one replica that goes to its database directly: the
// same rate in all, in rounds that alternate. Both have a database on one primary, which
// waits for its standby; all of it, and the clients, share the machine. Then how long a
// claimed turn waits for another replica when its own is killed, and how many connections
// the four have.
func BenchmarkOperate(b *testing.B) {
	for range b.N {
		c := newCluster(b, nil)
		var four []client
		for _, r := range c.replicas {
			four = append(four, pooled(c.rig.client(r)))
		}
		most := watchConnections(b, c.pair.URL)
		one := c.beside(b)
		ours, theirs := newOperated(four...), newOperated(one)
		for range operateRounds {
			ours.round(b)
			theirs.round(b)
		}
		bar("operate.turn_p50_vs_single", median(ours.p50), median(theirs.p50), "ms")
		bar("operate.turn_p99_vs_single", median(ours.p99), median(theirs.p99), "ms")
		bar("operate.takeover_s", c.slowestTakeOver(b, four[0]), takenOverWithin, "s")
		bar("operate.connections", float64(most()), maxConnections, "connections")
	}
}

// beside is a client of one replica that has another database of the primary.
func (c *cluster) beside(b *testing.B) client {
	b.Helper()
	db, err := pgx.Connect(b.Context(), c.pair.URL)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close(b.Context())
	if _, err := db.Exec(b.Context(), `create database single`); err != nil {
		b.Fatal(err)
	}
	u, err := url.Parse(c.pair.URL)
	if err != nil {
		b.Fatal(err)
	}
	u.Path = "/single"
	if err := migrate(b.Context(), u.String()); err != nil {
		b.Fatal(err)
	}
	rig := &crashRig{url: u.String(), env: map[string]string{"DATABASE_URL": u.String(), "STEPLEDGER_STATE_DIR": b.TempDir()}}
	rig.enrol(b)
	return pooled(rig.client(rig.start(b, "")))
}

// operated are rounds of one load, and what quantiles each had in milliseconds.
type operated struct {
	tasks    []*pursuit
	send     func(context.Context, *pursuit) (int, error)
	p50, p99 []float64
}

// newOperated sends each request to the next of some replicas.
func newOperated(to ...client) *operated {
	var n atomic.Int64
	return &operated{tasks: loadTasks(operateActive), send: func(ctx context.Context, p *pursuit) (int, error) {
		return interacts(to[int(n.Add(1))%len(to)])(ctx, p)
	}}
}

func (o *operated) round(b *testing.B) {
	b.Helper()
	l := load{rate: operateRate, lasts: operateLasts, send: o.send}
	l.run(b.Context(), o.tasks)
	onlyTold(b, &l)
	o.p50, o.p99 = append(o.p50, l.quantile(0.50)), append(o.p99, l.quantile(0.99))
}

// slowestTakeOver kills replicas, each when it has claimed a turn, and has another one
// asked until it answers. It returns the longest that took, in seconds.
func (c *cluster) slowestTakeOver(b *testing.B, other client) (slowest float64) {
	b.Helper()
	for range takeOvers {
		env := maps.Clone(c.envOf(1))
		env[faultEnv] = "turn.claimed@1"
		victim, p := startChild(b, env), newPursuit()
		if err := p.step(b.Context(), c.rig.client(victim)); !errors.Is(err, errGone) {
			b.Fatalf("a replica that was to die says %v", err)
		}
		began := time.Now()
		eventually(b, "another replica answers", func() bool { return p.step(b.Context(), other) == nil })
		slowest = max(slowest, time.Since(began).Seconds())
	}
	return slowest
}

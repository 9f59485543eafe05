package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/bouncertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// The cluster of these tests: what docs/database.md says four replicas take.
const (
	replicasOfCluster = 4
	connsOfReplica    = 24
	connsOfBouncer    = 20
	// maxConnections and takenOverWithin, in seconds, are what the whole has to keep to.
	maxConnections  = 100
	takenOverWithin = 5
	// thinking is how long the model takes to answer: a turn is open for that long.
	thinking = 500 * time.Millisecond
)

// Stages of a run.
const (
	beforeFailover = iota
	inFailover
	afterFailover
)

// cluster are four replicas on a primary with a synchronous standby, two of them through a
// PgBouncer in transaction mode.
type cluster struct {
	rig      *crashRig
	pair     pgtest.Pair
	bouncer  *bouncertest.Bouncer
	balancer *balancer
	callers  *callers
	replicas [replicasOfCluster]*child
	killed   map[string]bool // instances
	// takeovers are how long requests took that a replica had when it was killed,
	// outages those the primary's end met.
	takeovers, outages []time.Duration
}

// newCluster starts all of it. Without a model replicas reason by rules.
func newCluster(t testing.TB, model *fakeGemini) *cluster {
	t.Helper()
	pair := pgtest.StartPair(t, migrate)
	c := &cluster{
		rig:  &crashRig{url: pair.URL, model: model, env: map[string]string{"STEPLEDGER_STATE_DIR": t.TempDir(), drainEnv: strconv.Itoa(int(childDrain.Seconds()))}},
		pair: pair, killed: map[string]bool{},
		// A pooler that could not reach a server asks again after 15 s, unless told otherwise.
		bouncer: bouncertest.Start(t, pair.Primary.URL(), "server_login_retry = 1", fmt.Sprintf("default_pool_size = %d", connsOfBouncer)),
	}
	if model != nil {
		maps.Copy(c.rig.env, model.env())
	}
	c.rig.enrol(t)
	connections := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}
	t.Cleanup(connections.CloseIdleConnections)
	c.balancer = &balancer{http: connections, places: make([]*place, replicasOfCluster)}
	c.callers = &callers{balancer: c.balancer, token: c.rig.token, newTask: newPursuit}
	if model != nil {
		c.callers.newTask = newModelPursuit
	}
	for i := range c.replicas {
		c.start(t, i)
	}
	probing, stop := context.WithCancel(t.Context())
	probed := make(chan struct{})
	go func() {
		defer close(probed)
		c.balancer.probe(probing)
	}()
	t.Cleanup(func() {
		stop()
		<-probed
	})
	return c
}

// envOf is what a replica is told: every second one goes through the pooler.
func (c *cluster) envOf(i int) map[string]string {
	env := maps.Clone(c.rig.env)
	env["STEPLEDGER_DATABASE_CONNECTIONS"] = strconv.Itoa(connsOfReplica)
	env["DATABASE_URL"] = c.pair.URL
	if i%2 == 1 {
		env["DATABASE_URL"], env["DATABASE_DIRECT_URL"] = c.bouncer.URL, c.pair.URL
	}
	return env
}

// start starts a replica, and lets requests come to it when it serves.
func (c *cluster) start(t testing.TB, i int) {
	t.Helper()
	c.replicas[i] = startChild(t, c.envOf(i))
	c.balancer.put(i, &place{base: c.replicas[i].base, instance: c.replicas[i].instance, ready: true})
}

// restart exchanges a replica as an operator does: no requests any more, the signal, its
// end, the next one.
func (c *cluster) restart(t *testing.T, i int) {
	t.Helper()
	c.balancer.takeOut(i)
	eventually(t, "what was on its way to it is there", func() bool { return !c.balancer.coming(i) })
	c.balancer.ask(t.Context()) // and, once it answered another request, read
	old := c.replicas[i]
	if err := old.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	old.ends(t, "the end of a replica that was told to stop")
	if code := old.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ended with %d: %s", code, &old.said)
	}
	c.start(t, i)
}

// killTries are how often a kill waits for a request to hit.
const killTries = 20

// kill ends a replica in the middle of its work, waits until others have answered what it
// had, and starts the next one.
func (c *cluster) kill(t *testing.T, i int) {
	t.Helper()
	old := c.replicas[i]
	c.killed[old.instance] = true
	for range killTries { // the request may be answered before the kill
		eventually(t, "the replica has a request", func() bool { return c.callers.isAt(old.instance) })
		_ = nap(t.Context(), thinking/2) // and has claimed its turn
		if c.callers.hit(old.instance, &c.takeovers) > 0 {
			break
		}
	}
	old.kill()
	c.callers.answered(t)
	c.start(t, i)
}

// failOver ends the primary as a power cut does and has the standby take over.
func (c *cluster) failOver(t *testing.T) {
	t.Helper()
	c.callers.stage.Store(inFailover)
	c.callers.hit("", &c.outages)
	c.pair.KillPrimary(t)
	c.pair.Promote(t)
	c.bouncer.Lead(t, c.pair.Standby.URL())
	c.callers.answered(t)
	eventuallyWithin(t, "all replicas are ready", turnWithin, func() bool { return c.balancer.ask(t.Context()) })
	c.callers.stage.Store(afterFailover)
}

// watchConnections counts the sessions in the database, wherever it takes writes, again and again
// until it is asked for the most there were.
func watchConnections(t testing.TB, url string) (most func() int) {
	t.Helper()
	var done atomic.Bool
	result := make(chan int, 1)
	go func() {
		n := 0
		for !done.Load() && t.Context().Err() == nil {
			n = max(n, countConnections(t.Context(), url, &done))
		}
		result <- n
	}()
	return func() int {
		done.Store(true)
		return <-result
	}
}

// countConnections counts until the server is gone, or it is done.
func countConnections(ctx context.Context, url string, done *atomic.Bool) (most int) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		_ = nap(ctx, probeEvery)
		return 0
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for !done.Load() {
		var n int
		if err := conn.QueryRow(ctx, `select count(*) from pg_stat_activity where datname = current_database()`).Scan(&n); err != nil {
			return most
		}
		most = max(most, n)
		_ = nap(ctx, probeEvery)
	}
	return most
}

// sizeOf the run: TASKS and RATE (requests a second), or what every build can afford.
func sizeOf(t *testing.T) (tasks, rate int) {
	t.Helper()
	for name, into := range map[string]*int{"TASKS": &tasks, "RATE": &rate} {
		n, err := strconv.Atoi(cmp.Or(os.Getenv(name), map[string]string{"TASKS": "100", "RATE": "10"}[name]))
		if err != nil || n < 1 {
			t.Fatalf("%s is %q, not a number from 1 on", name, os.Getenv(name))
		}
		*into = n
	}
	return tasks, rate
}

// sampleOfTasks is on how many of the open tasks, or a few more, one more turn is taken at
// the end.
const sampleOfTasks = 1000

// Tasks go on over four replicas, half of them through a pooler, while each is restarted
// and each is killed, and the primary dies: what was answered is in the log as it was,
// nothing was decided twice, every task goes on, and the books are right. With TASKS, the
// figures are held against what they have to be. It is not parallel: it needs the machine,
// and so runs alone, before those that are.
func TestCluster(t *testing.T) {
	tasks, rate := sizeOf(t)
	model := newFakeGemini(t)
	model.forgets = true
	c := newCluster(t, model)
	connections := watchConnections(t, c.pair.URL)
	for range tasks {
		c.callers.join()
	}
	began := time.Now()
	c.callers.each(t.Context(), c.callers.all)
	t.Logf("%d tasks begun in %v", tasks, time.Since(began).Round(time.Second))
	c.callers.took = nil
	model.set(func(f *fakeGemini) { f.latency = thinking })

	stop := c.callers.run(t.Context(), rate)
	c.shake(t)
	stop()
	asked := len(c.callers.took)
	open := c.callers.open()
	c.callers.each(t.Context(), every(open, max(1, len(open)/sampleOfTasks)))
	c.examined(t)
	most := connections()
	c.report(t, tasks, rate, asked, most)
	wantNoFaults(t, c.callers)
	for i := range c.replicas {
		c.stop(t, i)
	}
	c.audit(t, model)
}

// every is every n-th of some.
func every(all []*pursuer, n int) (some []*pursuer) {
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// shake does to the cluster all that happens to clusters.
func (c *cluster) shake(t *testing.T) {
	t.Helper()
	before := c.callers.goneSoFar()
	for i := range c.replicas {
		c.restart(t, i)
	}
	if n := c.callers.goneSoFar() - before; n > 0 {
		t.Errorf("%d requests got no answer in a rolling restart", n)
	}
	c.kill(t, 0)
	c.kill(t, 1)
	c.failOver(t)
	c.kill(t, 2)
	c.kill(t, 3)
}

func (c *cluster) stop(t *testing.T, i int) {
	t.Helper()
	c.balancer.takeOut(i)
	if err := c.replicas[i].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	c.replicas[i].ends(t, "the end of a replica")
}

// report tells what was measured. A run that was asked for is held against its limits of
// time, too.
func (c *cluster) report(t *testing.T, tasks, rate, asked, most int) {
	t.Helper()
	worst := quantileOf(c.takeovers, 1)
	t.Logf("%d open tasks, %d requests a second (%d in all) on %d processors, the model thinks %v: median %.3f s, p99 %.3f s, slowest %.1f s; %d times no answer came, %d times a later one was promised",
		tasks, rate, asked, runtime.NumCPU(), thinking, quantileOf(c.callers.took, 0.5), quantileOf(c.callers.took, 0.99), quantileOf(c.callers.took, 1), c.callers.gone, c.callers.later)
	t.Logf("%d requests were at replicas that were killed, the last was answered after %.1f s; %d were under way when the primary died, the last was answered after %.1f s; %d connections at most",
		len(c.takeovers), worst, len(c.outages), quantileOf(c.outages, 1), most)
	if len(c.takeovers) < replicasOfCluster {
		t.Errorf("%d requests were at a replica that was killed, want one of each at least", len(c.takeovers))
	}
	if os.Getenv("TASKS") == "" {
		return
	}
	bar("operate.takeover_s", worst, takenOverWithin, "s")
	bar("operate.connections", float64(most), maxConnections, "connections")
	if most > maxConnections {
		t.Errorf("%d connections to the database, want %d at most", most, maxConnections)
	}
	if worst >= takenOverWithin {
		t.Errorf("a killed replica's turn was answered after %.1f s, want less than %d s", worst, takenOverWithin)
	}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/identity"
)

// soak is two servers on a Postgres of their own, a model, people at work with them, and
// one fault after the other.
type soak struct {
	*testing.T
	crashRig
	seed   uint64
	began  time.Time
	lasts  time.Duration
	ids    *identity.Store
	db     *soakPostgres
	model  *moodyModel
	each   [2]*replica
	crowd  *crowd
	memory *memoryLog

	mu       sync.Mutex
	failures int
	now      string // the fault that is on
}

// TestSoak is a minute of mixed load with every fault once, or SOAK_MINUTES of it with all
// of them again and again (make soak). In the end no task is stuck, nothing acknowledged is
// lost, nothing is paid twice, the read models are what the log says, what was erased is
// nowhere, and the servers have not grown. SEED repeats a run's schedule and draws.
func TestSoak(t *testing.T) {
	t.Parallel()
	s := newSoak(t)
	stop := s.crowd.work(s)
	s.memory.follow(s)
	s.sufferAll(t.Context())
	stop()
	s.audit()
	if t.Failed() {
		t.Logf("SEED=%d repeats the schedule; what the servers said follows; findings name the fault that was on", s.seed)
	}
}

// soakFor is how long the load lasts, and whether that is long enough to see growth.
func soakFor(t testing.TB) (lasts time.Duration, long bool) {
	t.Helper()
	minutes, err := strconv.Atoi(cmp.Or(os.Getenv("SOAK_MINUTES"), "1"))
	if err != nil || minutes < 1 {
		t.Fatalf("SOAK_MINUTES: %q is no number from 1", os.Getenv("SOAK_MINUTES"))
	}
	return time.Duration(minutes) * time.Minute, minutes >= longSoak
}

// longSoak is from how many minutes on the second half of a run is long enough to tell
// growth from caches that fill.
const longSoak = 20

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{T: t, seed: uint64(time.Now().UnixNano()), began: time.Now()}
	s.lasts, _ = soakFor(t)
	if fixed := os.Getenv("SEED"); fixed != "" {
		var err error
		if s.seed, err = strconv.ParseUint(fixed, 10, 64); err != nil {
			t.Fatalf("SEED: %v", err)
		}
	}
	s.db = newSoakPostgres(t)
	s.model = newMoodyModel(t)
	s.crashRig = crashRig{url: s.db.server.URL(), model: s.model.fakeGemini, env: s.model.env()}
	s.env["STEPLEDGER_STATE_DIR"], s.env["STEPLEDGER_METRICS_ADDR"], s.env[attemptEnv] = t.TempDir(), "127.0.0.1:0", "3s"
	s.env[drainEnv] = strconv.Itoa(int(childDrain.Seconds()))
	s.enrol(t)
	var err error
	if s.ids, err = identity.Open(t.Context(), s.url, identity.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.ids.Close)
	for i := range s.each {
		s.each[i] = newReplica(s, i)
	}
	s.crowd = newCrowd(s)
	s.memory = &memoryLog{done: make(chan struct{})}
	s.say("SEED=%d, %v, servers %s and %s", s.seed, s.lasts, s.each[0].child.instance, s.each[1].child.instance)
	return s
}

// draws are random numbers of a part's own, so that parts do not take each other's.
func (s *soak) draws(part uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, part)) } //nolint:gosec // which moments, no secret

// say prints at which time of the run something happens. Nobody may once the test is over.
func (s *soak) say(format string, args ...any) {
	if s.Context().Err() != nil {
		return
	}
	s.Logf("%8v %s", time.Since(s.began).Round(100*time.Millisecond), fmt.Sprintf(format, args...))
}

// maxFindings are printed: more of them say no more.
const maxFindings = 60

// found fails the test, and goes on. What is found once the test has been broken off is only
// that.
func (s *soak) found(format string, args ...any) {
	if s.Context().Err() != nil {
		return
	}
	s.mu.Lock()
	s.failures++
	n, during := s.failures, s.now
	s.mu.Unlock()
	if n <= maxFindings {
		s.Errorf("%8v during %s: %s", time.Since(s.began).Round(100*time.Millisecond), cmp.Or(during, "no fault"), fmt.Sprintf(format, args...))
	}
}

func (s *soak) during(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = fault
}

// replica is one of the servers, in whatever process it runs at the time. Clients reach it
// by one address and it reaches its database by another, whose connections can be cut.
type replica struct {
	door, toDB *door
	clock      string // the file that says how wrong its clock is
	env        map[string]string
	child      *child
	children   []*child // all there were, the one that runs included
	kills      int
	at         atomic.Pointer[whereabouts]
}

// whereabouts are where a process serves, and is scraped.
type whereabouts struct {
	address, metrics string
	process          *os.Process
}

func newReplica(s *soak, i int) *replica {
	s.Helper()
	r := &replica{clock: filepath.Join(s.TempDir(), "clock-"+strconv.Itoa(i)), env: maps.Clone(s.env)}
	r.toDB = newDoor(s, s.db.dial)
	r.env["DATABASE_URL"], r.env[clockEnv] = "postgres://postgres@"+r.toDB.address+"/postgres?sslmode=disable", r.clock
	r.start(s)
	r.door = newDoor(s, func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", r.at.Load().address)
	})
	return r
}

func (r *replica) start(s *soak) {
	s.Helper()
	r.child = startChild(s, r.env)
	r.children = append(r.children, r.child)
	r.at.Store(&whereabouts{strings.TrimPrefix(r.child.base, "http://"), r.child.metrics, r.child.cmd.Process})
}

// A stepped clock shows another time, and tells right how much has passed.
func TestSteppedBy(t *testing.T) {
	t.Parallel()
	was := time.Now()
	now := steppedBy(was, -time.Hour)
	if now.Sub(was) != 0 || now.Round(0).Sub(was.Round(0)) != -time.Hour {
		t.Errorf("%v after %v", now, was)
	}
}

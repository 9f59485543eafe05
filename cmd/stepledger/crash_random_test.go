package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/task"
)

const (
	randomKills = 50
	// openTurns is how many of the kills have to hit a turn between its claim and
	// its end; the others say little.
	openTurns = 5
	// modelLatency is where a turn spends most of its time, as with a real model,
	// though that takes seconds.
	modelLatency = 40 * time.Millisecond
)

// Two servers on one database; again and again one of them, drawn at random, is
// killed at a moment drawn at random. SEED repeats a run's draws.
func TestCrash_AtRandomMoments(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	model.latency = modelLatency
	s := newSiege(t, newCrashRig(t, model))
	for range randomKills {
		s.round(t)
	}
	s.task().finish(t, s.client(0))
	in := audit(t, s.rig, s.tasks...)
	s.auditVariety(t)
	auditBills(t, in, model, s.tasks...)
	if hit := s.auditTakeOvers(t, in); hit < openTurns {
		t.Errorf("%d of %d kills hit an open turn, want %d at least", hit, randomKills, openTurns)
	}
}

// siege is a client at work while servers are killed.
type siege struct {
	rig     *crashRig
	draw    *rand.Rand
	servers [2]*child
	killed  map[string]bool // instances
	tasks   []*pursuit
	// usual is how long an answer takes here, smoothed: kills are drawn from about
	// that time, so that they hit turns on slow machines and on fast ones.
	usual time.Duration
}

func newSiege(t *testing.T, rig *crashRig) *siege {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if fixed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = fixed
	}
	t.Logf("SEED=%d", seed)
	s := &siege{rig: rig, draw: rand.New(rand.NewPCG(seed, 0)), killed: map[string]bool{}, usual: 25 * time.Millisecond}
	for i := range s.servers {
		s.servers[i] = rig.start(t, "")
	}
	return s
}

func (s *siege) client(i int) client { return s.rig.client(s.servers[i]) }

// task is the one under way; when it has ended, the next. Every task meets the
// dead button, every third begins without a name, so that the user is asked.
func (s *siege) task() *pursuit {
	if n := len(s.tasks); n > 0 && !s.tasks[n-1].ended {
		return s.tasks[n-1]
	}
	p := newModelPursuit()
	p.page.dead = true
	if len(s.tasks)%3 == 0 {
		p.query, p.reply = "Add a new patient", "The name is 'Jas'"
	}
	s.tasks = append(s.tasks, p)
	return p
}

// round sends a request to one server and kills one: mostly that, at times the
// other. The client then turns to the survivor, while the victim is replaced.
func (s *siege) round(t *testing.T) {
	t.Helper()
	at := s.draw.IntN(2)
	victim := at
	if s.draw.IntN(4) == 0 {
		victim = 1 - at
	}
	moment := time.Duration(s.draw.Int64N(int64(s.usual)))
	answered := s.send(t.Context(), at)
	kill := time.NewTimer(moment)
	defer kill.Stop()
	select {
	case <-kill.C:
	case err := <-answered:
		answered <- err
	}
	s.servers[victim].kill()
	s.killed[s.servers[victim].instance] = true
	switch err := await(t, "an answer, or none for good", answered); {
	case err == nil:
	case at != victim: // nothing was open, and this server never stopped
		t.Fatalf("the server that was not killed: %v", err)
	case !errors.Is(err, errGone):
		t.Fatalf("the server that was killed: %v", err)
	}
	next := launchChild(t, s.rig.env)
	s.goOn(t, 1-victim)
	next.up(t)
	s.servers[victim] = next
}

// send takes a step in the background.
func (s *siege) send(ctx context.Context, at int) chan error {
	p, c := s.task(), s.client(at)
	answered := make(chan error, 1)
	go func() { answered <- p.step(ctx, c) }()
	return answered
}

// goOn has the pending request answered, or the next one.
func (s *siege) goOn(t *testing.T, at int) {
	t.Helper()
	p := s.task()
	eventually(t, "the survivor answers", func() bool {
		begun := time.Now()
		err := p.step(t.Context(), s.client(at))
		if err != nil && !errors.Is(err, errBusy) {
			t.Fatalf("the survivor: %v", err)
		}
		s.usual = (3*s.usual + time.Since(begun)) / 4
		return err == nil
	})
}

// auditVariety checks that the tasks were what they were made for.
func (s *siege) auditVariety(t *testing.T) {
	t.Helper()
	for i, p := range s.tasks {
		questions, corrections := len(answeredOn(p, "needs_user_input")), len(answeredOn(p, "correcting"))
		if asks := i%3 == 0; (questions == 1) != asks || corrections != 1 {
			t.Errorf("task %d: %d questions, %d corrections", i, questions, corrections)
		}
	}
}

// auditTakeOvers checks that only turns of processes that were killed were
// taken over, and counts them.
func (s *siege) auditTakeOvers(t *testing.T, in *server) (hit int) {
	t.Helper()
	for _, p := range s.tasks {
		owner := map[int]string{}
		for _, e := range streamOf(t, in.system, p.task) {
			switch e := e.(type) {
			case task.PageObserved:
				owner[e.Turn] = e.Instance
			case task.TurnAbandoned:
				hit++
				if !s.killed[owner[e.Turn]] {
					t.Errorf("task %s: turn %d was taken over from a living process (%s)", p.task, e.Turn, e.Why)
				}
			}
		}
	}
	t.Logf("%d of %d kills hit an open turn; %d tasks", hit, randomKills, len(s.tasks))
	return hit
}

package main

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/doctor"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// examined asks the doctor beside the replicas, by a replica's own settings: directly and
// through the pooler.
func (c *cluster) examined(t *testing.T) {
	t.Helper()
	for i := range 2 {
		env := c.envOf(i)
		env["LOG_LEVEL"] = "error"
		_, found := runDoctor(t, env, "--processes", strconv.Itoa(replicasOfCluster))
		for check, f := range found {
			if f.State == doctor.Fail {
				t.Errorf("the doctor finds, of replica %d, %s: %+v", i, check, f)
			}
		}
	}
}

// auditsAtOnce is in how many parts tasks are looked at.
const auditsAtOnce = 8

// audit compares what clients were told with everything that is kept, as another process
// finds it.
func (c *cluster) audit(t *testing.T, model *fakeGemini) {
	t.Helper()
	s := c.rig.serve(t)
	s.comesToTheEnd(t)
	s.reacted(t)
	s.catchUp(t)
	// A call whose end could not be noted is settled once nobody can be at it.
	if err := s.settleOpen(t.Context(), time.Now().Add(openCall+time.Minute)); err != nil {
		t.Fatal(err)
	}
	began := c.auditEpochs(t, s)
	var abandoned atomic.Int64
	t.Run("tasks", func(t *testing.T) {
		for some := range slices.Chunk(c.callers.all, len(c.callers.all)/auditsAtOnce+1) {
			t.Run("from "+some[0].task, func(t *testing.T) {
				t.Parallel()
				for _, v := range some {
					abandoned.Add(int64(c.auditPursuer(t, s, v, began)))
				}
			})
		}
	})
	all := make([]*pursuit, len(c.callers.all))
	for i, v := range c.callers.all {
		all[i] = v.pursuit
	}
	t.Logf("%d tasks, %d turns of replicas that were killed were taken over", len(all), abandoned.Load())
	if abandoned.Load() == 0 {
		t.Error("no kill hit a turn: nothing is shown")
	}
	auditLog(t, s, all)
	auditBills(t, s, model, all...)
	q := usageview.Queries{DB: s.db}
	if done, err := q.Reconcile(t.Context(), s.events, func(d usageview.Difference) error { t.Errorf("%+v", d); return nil }); err != nil || done.Differences > 0 {
		t.Errorf("the bills: %+v, %v", done, err)
	}
	auditReadModels(t, s)
}

// comesToTheEnd waits until what follows the log has read it, longer than a test otherwise
// waits: there may be much of it.
func (s *server) comesToTheEnd(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), turnWithin)
	defer cancel()
	err := repeat(ctx, func() bool {
		all, err := s.feed.Status(ctx)
		if err != nil {
			return false
		}
		for _, c := range all {
			if c.Position < c.Head {
				return false
			}
		}
		return behindBy(t, s) == 0
	})
	if err != nil {
		t.Errorf("what follows the log is behind after %v", turnWithin)
	}
}

// epoch is what an ETag has behind the revision, and after which position it began.
type epoch struct {
	tag   string
	began int64
}

// auditEpochs checks that the failover began one epoch.
func (c *cluster) auditEpochs(t *testing.T, s *server) epoch {
	t.Helper()
	rows, err := s.db.Query(t.Context(), `select began_at from log.epoch order by epoch`)
	if err != nil {
		t.Fatal(err)
	}
	began, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(began) != 2 {
		t.Fatalf("epochs began after %d (%v), want two", began, err)
	}
	id, err := s.events.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, tag, _ := strings.Cut(id, ".")
	return epoch{tag, began[1]}
}

// auditPursuer checks a task, which may go on: that every answer is in the log, byte for
// byte and where the client was told it is, and is that of one turn. It counts the turns
// that were taken over from processes that were killed.
func (c *cluster) auditPursuer(t *testing.T, s *server, v *pursuer, now epoch) (abandoned int) {
	t.Helper()
	failedBefore := t.Failed()
	records := recordsOf(t, s.system, v.task)
	events := make([]task.Event, len(records))
	owner := map[int]string{}
	answered := 0
	for i, r := range records {
		events[i] = r.Data
		switch e := r.Data.(type) {
		case task.PageObserved:
			owner[e.Turn] = e.Instance
		case task.TurnAbandoned:
			if c.killed[owner[e.Turn]] {
				abandoned++
			}
		case task.TurnEnded:
			if answered < len(v.told) {
				auditTold(t, v.told[answered], r.Revision, r.Position, now)
			}
			answered++
		}
	}
	auditTurns(t, events)
	auditAnswers(t, events, v.pursuit)
	auditActions(t, events, v.pursuit)
	auditVerdicts(t, events, v.ended)
	auditPages(t, s, events, v.pursuit)
	if t.Failed() && !failedBefore {
		t.Logf("first in task %s", v.task)
	}
	return abandoned
}

// auditTold compares what a client was told of an answer's place with where it is. A turn
// that was under way in a failover may be said to be of either epoch.
func auditTold(t *testing.T, was toldAt, revision, position int64, now epoch) {
	t.Helper()
	tag, err := strconv.Unquote(was.tag)
	at, of, _ := strings.Cut(tag, ".")
	if err != nil || at != strconv.FormatInt(revision, 10) || was.position != strconv.FormatInt(position, 10) {
		t.Errorf("an answer at revision %d, position %d was said to be at %s, %s", revision, position, was.tag, was.position)
	}
	switch {
	case was.answered == beforeFailover && (of != "" || position > now.began):
		t.Errorf("an answer from before the failover is at %d of the epoch %q; the next one began after %d", position, of, now.began)
	case was.asked == afterFailover && (of != now.tag || position <= now.began):
		t.Errorf("an answer from after the failover is at %d of the epoch %q; %q began after %d", position, of, now.tag, now.began)
	case of != "" && of != now.tag:
		t.Errorf("an answer is of the epoch %q, of which nobody knows", of)
	}
}

// auditLog checks that the log has the streams of these tasks, and no other.
func auditLog(t *testing.T, s *server, all []*pursuit) {
	t.Helper()
	want := map[string]bool{}
	for _, p := range all {
		want[task.Stream(p.task)], want[session.Stream(p.session)], want[usage.Stream(p.task)] = true, true, true
	}
	rows, err := s.db.Query(t.Context(), `select distinct stream from log.events order by stream`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

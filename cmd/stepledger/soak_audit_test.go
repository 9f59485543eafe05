package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/leaktest"
	"github.com/stepledger/stepledger/projections"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// audit looks at all there is once nobody works any more.
func (s *soak) audit() {
	_, long := soakFor(s)
	s.answersLeft()
	s.crowd.http.CloseIdleConnections() // they are files of the servers
	s.memory.stop()
	s.memory.flat(s, long)
	s.stopsServers()
	in := s.serve(s.T)
	in.reacted(s)
	in.catchUp(s)
	s.tells()
	s.auditJobs(in)
	s.auditMoney(in)
	s.auditParked(in)
	s.auditErased(in)
	before := in.rows(s)
	in.rebuild(s)
	same := s.same(before, in.rows(s))
	s.say("read models: %d rows, as a rebuild has them: %v", len(before), same)
	if !same {
		s.auditParked(in)
		s.say("the log has %v", in.eventsByType(s))
	}
}

// eventsByType counts what is in the log.
func (s *server) eventsByType(t testing.TB) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, e := range wholeLog(t, s.events) {
		n[e.Type]++
	}
	return n
}

// answersLeft asks for the next turn of every task that has not ended.
func (s *soak) answersLeft() {
	open := 0
	for _, j := range s.crowd.jobs {
		if j.ended || len(j.exchanges) == 0 {
			continue
		}
		open++
		last := answerOf[interact.Answer](s, reply{body: j.exchanges[len(j.exchanges)-1].reply})
		s.turn(j, &last)
	}
	s.say("%d tasks had not ended, and were asked for their next turn", open)
}

// stopsServers ends them as a supervisor does.
func (s *soak) stopsServers() {
	for i, r := range s.each {
		if err := r.child.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			s.found("server %d is gone: %v", i, err)
		}
		r.child.ends(s, "a server that is told to stops")
		if !r.child.cmd.ProcessState.Success() {
			s.found("server %d ended with %v", i, r.child.cmd.ProcessState)
		}
	}
}

// tells prints what was done, and fails where some of it was not.
func (s *soak) tells() {
	c := s.crowd
	for _, e := range c.errand {
		if c.did[e.name] == 0 {
			s.found("nobody did: %s", e.name)
		}
	}
	ends, completed := map[string]map[string]int{}, 0
	for _, j := range c.jobs {
		if ends[j.kind] == nil {
			ends[j.kind] = map[string]int{}
		}
		ends[j.kind][j.status]++
		if j.status == "completed" {
			completed++
		}
	}
	s.say("errands %v", c.did)
	s.say("requests by status %v; sent again by status %v (0: no answer)", c.answered, c.again)
	for _, kind := range slices.Sorted(maps.Keys(ends)) {
		s.say("tasks %s: %v", kind, ends[kind])
	}
	if completed == 0 {
		s.found("no task was completed")
	}
	for mood := range s.model.met {
		if s.model.met[mood].Load() == 0 {
			s.say("nobody met the model in mood %d", mood)
		}
	}
}

// auditJobs checks that every answer a client has is in the log, once and as it was given;
// that no turn is open; and a sample of them again at a server that answered none.
func (s *soak) auditJobs(in *server) {
	answers, turns, tasks := 0, 0, map[string]bool{}
	for _, j := range s.crowd.jobs {
		if len(j.exchanges) == 0 {
			s.found("%s has no answer", j)
			continue
		}
		if tasks[j.task] {
			s.found("two clients have the task of %s", j)
		}
		tasks[j.task] = true
		if j.erased {
			continue
		}
		answers, turns = answers+len(j.exchanges), turns+s.auditJob(in, j)
	}
	for n := range min(sampled, len(s.crowd.jobs)) {
		s.givesAgain(in, s.crowd.jobs[n*len(s.crowd.jobs)/min(sampled, len(s.crowd.jobs))])
	}
	s.say("%d tasks, %d answers of those that were not erased are in the log as they were given; %d turns", len(tasks), answers, turns)
}

// sampled is of how many tasks every request is sent again in the end.
const sampled = 100

// givesAgain sends all requests of a job to a server that answered none of them.
func (s *soak) givesAgain(in *server, j *job) {
	for _, x := range j.exchanges {
		if j.erased {
			return
		}
		c := j.who
		c.base = in.base
		if r, err := c.interact(s.Context(), x.key, x.request); err != nil || r.status != http.StatusOK || !bytes.Equal(r.body, x.reply) {
			s.found("%s: request %s sent again to another: %v, status %d\n got: %.500s\nwant: %.500s", j, x.key, err, r.status, r.body, x.reply)
		}
	}
}

// auditJob compares the answers of a task in the log with those its client has, and counts
// the turns there are.
func (s *soak) auditJob(in *server, j *job) (turns int) {
	events := streamOf(s, in.system, j.task)
	auditTurns(s.T, events)
	key, recorded := map[int]string{}, map[string]string{}
	for _, e := range events {
		switch e := e.(type) {
		case task.PageObserved:
			key[e.Turn] = e.Request.Key
		case task.TurnEnded:
			turns++
			if recorded[key[e.Turn]] != "" {
				s.found("%s: request %s was answered twice", j, key[e.Turn])
			}
			recorded[key[e.Turn]] = string(e.Answer)
		}
	}
	for _, x := range j.exchanges {
		var envelope struct{ Data json.RawMessage }
		if err := json.Unmarshal(x.reply, &envelope); err != nil || recorded[x.key] != string(envelope.Data) {
			s.found("%s: the answer to %s is %.300s in the log, the client got %.300s (%v)", j, x.key, recorded[x.key], envelope.Data, err)
		}
	}
	if turns != len(j.exchanges) {
		s.found("%s: the log has %d answers", j, turns)
	}
	return turns
}

// provided is how the ledgers stand to what the provider has on its books.
type provided struct{ calls, billed, estimated, refused, unbilled int }

// auditMoney compares the ledgers with the provider's books, the read model with the
// ledgers, and what is booked of the budget with both.
func (s *soak) auditMoney(in *server) {
	later := time.Now().Add(time.Hour + openCall + time.Minute) // by clocks that were an hour ahead
	if err := errors.Join(in.settleOpen(s.Context(), later), in.reconcileBudgets(s.Context(), later)); err != nil {
		s.found("calls whose end was never seen: %v", err)
	}
	in.catchUp(s)
	books := s.books(in)
	arrived := int(s.model.arrived.Load())
	s.say("model calls: %+v; %d arrived at the provider, which answered %d", books, arrived, len(s.model.given()))
	if books.unbilled > books.estimated || arrived > books.calls {
		s.found("calls are not on the books: %+v; %d arrived", books, arrived)
	}
	auditSpending(s.T, in, s.tenant)
	done, err := usageview.Queries{DB: in.db}.Reconcile(s.Context(), in.events, func(d usageview.Difference) error {
		s.found("usage reconcile: %+v", d)
		return nil
	})
	s.say("usage reconcile: %d ledgers, %d calls, %d differences (%v)", done.Ledgers, done.Calls, done.Differences, err)
	if err != nil || done.Differences > 0 {
		s.found("usage reconcile: %+v, %v", done, err)
	}
}

// books takes every bill off the provider's books.
func (s *soak) books(in *server) (p provided) {
	given := map[string]modelAnswer{}
	for _, a := range s.model.given() {
		given[a.id] = a
	}
	for _, ledger := range in.ledgers(s.T) {
		for _, c := range ledger.Calls {
			p.calls++
			switch {
			case !c.Billed() || c.Charge.Cost == nil:
				s.found("call %s has no bill: %+v", c.Started.Call, c)
			case c.Report != nil && c.Report.ResponseID != "":
				p.billed++
				if err := billedAsGiven(c, given); err != nil {
					s.found("%v", err)
				}
				delete(given, c.Report.ResponseID)
			case c.Settled:
				p.estimated++
			case c.Meters != (usage.Meters{}) || *c.Charge.Cost != 0:
				s.found("call %s had no answer and is not free: %+v", c.Started.Call, c)
			default:
				p.refused++
			}
		}
	}
	p.unbilled = len(given)
	return p
}

// auditParked finds what read models and reactions have put aside.
func (s *soak) auditParked(in *server) {
	aside, err := in.runner.Parked(s.Context(), projections.ParkedFilter{})
	if err != nil {
		s.found("%v", err)
	}
	events, err := in.feed.Parking.Parked(s.Context(), "")
	if err != nil {
		s.found("%v", err)
	}
	s.say("put aside: %d by read models, %d by reactions", len(aside), len(events))
	if len(aside)+len(events) > 0 {
		s.found("put aside: %+v %+v", aside, events)
	}
}

// auditErased looks for the texts of those who were erased in every table, and in all that
// the servers and operators are told.
func (s *soak) auditErased(in *server) {
	all, err := in.erasing().Erasures(s.Context(), s.tenant)
	if err != nil || len(all) == 0 {
		s.found("erasures: %d, %v", len(all), err)
	}
	for _, e := range all {
		if e.Completed == nil {
			s.found("an erasure is not done: %+v", e.ErasureRequested)
		}
	}
	tables := leaktest.Text(leaktest.Tables(s, s.url))
	hits := zerzura().Find(s, "a table", tables)
	for _, r := range s.each {
		for _, c := range r.children {
			hits += zerzura().Find(s, "what a server said", c.said.String())
		}
	}
	s.say("%d erasures; their texts are found %d times in %d MiB of tables", len(all), hits, len(tables)/mib)
}

// same reports whether rows are the same, and finds those that are not.
func (s *soak) same(before, after []string) bool {
	is := map[string]int{}
	for _, row := range before {
		is[row]++
	}
	for _, row := range after {
		is[row]--
	}
	maps.DeleteFunc(is, func(_ string, n int) bool { return n == 0 })
	for row, n := range is {
		s.found("a row is there %d times more before a rebuild than after it: %.600s", n, row)
	}
	return len(is) == 0
}

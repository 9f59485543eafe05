package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
)

const (
	// soakWorkers are how many people are at work at a time, and soakPace how many requests
	// they make a second at most in sum: what a part of a core does.
	soakWorkers = 6
	soakPace    = 8
	// answeredWithin is how long a request is sent again before it counts as stuck: longer
	// than any fault lasts, and than a model's breaker stays open after it.
	answeredWithin = 4 * time.Minute
)

// crowd are those at work, and all they have seen.
type crowd struct {
	pace   *time.Ticker
	tenant string
	http   *http.Client
	errand []errand
	bad    []badInput

	mu   sync.Mutex
	jobs []*job
	did  map[string]int
	// statuses of requests that were to be sent again, and of those that were not.
	again, answered map[int]int
}

// errand is what somebody does, so often in proportion to the others.
type errand struct {
	name  string
	often int
	do    func(*soak, *rand.Rand)
}

func newCrowd(s *soak) *crowd {
	p := &crowd{
		pace: time.NewTicker(time.Second / soakPace), tenant: s.tenant, errand: errands(),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * soakWorkers}},
		did:  map[string]int{}, again: map[int]int{}, answered: map[int]int{},
	}
	for _, b := range badInputs() {
		if b.status != http.StatusRequestEntityTooLarge { // it ends the connection
			p.bad = append(p.bad, b)
		}
	}
	s.Cleanup(p.pace.Stop)
	return p
}

// work has everybody do errands until it is stopped, which waits until they are done.
func (p *crowd) work(s *soak) (stop func()) {
	over := make(chan struct{})
	var wg sync.WaitGroup
	for i := range soakWorkers {
		draw := s.draws(uint64(100 + i))
		wg.Go(func() {
			for n := i; n < len(p.errand) || !isClosed(over); n += soakWorkers {
				e := p.next(draw, n)
				e.do(s, draw)
				p.note(func() { p.did[e.name]++ })
			}
		})
	}
	return func() {
		close(over)
		wg.Wait()
		s.during("")
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// next draws an errand; the first ones are each of them once, which nobody leaves out.
func (p *crowd) next(draw *rand.Rand, n int) errand {
	if n < len(p.errand) {
		return p.errand[n]
	}
	sum := 0
	for _, e := range p.errand {
		sum += e.often
	}
	at := draw.IntN(sum)
	for _, e := range p.errand {
		if at -= e.often; at < 0 {
			return e
		}
	}
	panic("unreachable: the sum is of the same numbers")
}

func (p *crowd) note(what func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what()
}

// any is a job of those there are, nil while there is none.
func (p *crowd) any(draw *rand.Rand) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.jobs) == 0 {
		return nil
	}
	return p.jobs[draw.IntN(len(p.jobs))]
}

// jo is who does most.
func (s *soak) jo() client { return client{token: s.token, http: s.crowd.http} }

var errStuck = errors.New("never answered")

// ask sends a request to whichever server until it is answered with anything but the wish
// that it be sent again. What is never answered is found.
func (s *soak) ask(c client, method, path string, body any, header map[string]string) (reply, error) {
	var r reply
	var err error
	for until, try := time.Now().Add(answeredWithin), 0; time.Now().Before(until); try++ {
		<-s.crowd.pace.C
		c.base = "http://" + s.each[rand.IntN(len(s.each))].door.address //nolint:gosec // which server, no secret
		r, err = c.do(s.Context(), method, path, body, header)
		if err == nil && !toldToWait(r) {
			s.crowd.note(func() { s.crowd.answered[r.status]++ })
			return r, nil
		}
		s.crowd.note(func() { s.crowd.again[r.status]++ })
		if pause(s.Context(), min(time.Duration(try)*50*time.Millisecond, time.Second)) != nil {
			return r, errStuck
		}
	}
	s.found("stuck: %s %s: after %v: status %d, %v: %.300s", method, path, answeredWithin, r.status, err, r.body)
	return r, errStuck
}

func toldToWait(r reply) bool {
	switch r.status {
	case http.StatusServiceUnavailable, http.StatusConflict, http.StatusTooManyRequests:
		return r.header.Get("Retry-After") != ""
	}
	return false
}

func pause(ctx context.Context, d time.Duration) error {
	sleepUntil(ctx, time.Now().Add(d))
	return ctx.Err()
}

// wants is ask for what has to be answered with one of some statuses.
func (s *soak) wants(c client, method, path string, body any, statuses ...int) (reply, bool) {
	r, err := s.ask(c, method, path, body, nil)
	if err != nil {
		return r, false
	}
	for _, fine := range statuses {
		if r.status == fine {
			return r, true
		}
	}
	s.found("%s %s: status %d: %.300s", method, path, r.status, r.body)
	return r, false
}

// answerOf decodes the data of a success.
func answerOf[T any](s *soak, r reply) (v T) {
	var envelope struct{ Data T }
	if err := json.Unmarshal(r.body, &envelope); err != nil {
		s.found("%v: %.300s", err, r.body)
	}
	return envelope.Data
}

// job is a task of somebody's, one request at a time.
type job struct {
	kind string
	who  client
	// shows is what the client sees and reports after an answer, the zero one at first.
	shows func(interact.Answer) map[string]any

	mu            sync.Mutex
	task, session string
	status        string // of the last answer
	ended, erased bool
	exchanges     []exchange
}

// begin makes a job known.
func (s *soak) begin(kind string, who client, shows func(interact.Answer) map[string]any) *job {
	j := &job{kind: kind, who: who, shows: shows}
	s.crowd.note(func() { s.crowd.jobs = append(s.crowd.jobs, j) })
	return j
}

// turn sends the next request of a job, after the last answer; false says that there is
// none after it.
func (s *soak) turn(j *job, last *interact.Answer) bool {
	fields := j.shows(*last)
	if last.TaskID != "" {
		fields["taskId"], fields["sessionId"] = last.TaskID, last.SessionID
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings, lists and booleans always encode
	}
	key := domain.NewUUID()
	r, err := s.ask(j.who, http.MethodPost, "/api/agent/interact", body, map[string]string{"Idempotency-Key": key})
	if err != nil {
		return false
	}
	if r.status != http.StatusOK {
		s.found("%s: task %s: status %d: %.300s", j.kind, last.TaskID, r.status, r.body)
		return false
	}
	*last = answerOf[interact.Answer](s, r)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.task, j.session, j.status = last.TaskID, last.SessionID, last.Status
	j.exchanges = append(j.exchanges, exchange{key, body, r.body})
	j.ended = last.Status == "completed" || last.Status == "failed"
	return !j.ended
}

// mostTurns ends a task that the model, in a bad mood, leads nowhere.
const mostTurns = 30

// finish takes a job to its end.
func (s *soak) finish(j *job, last *interact.Answer) {
	for n := 0; s.turn(j, last); n++ {
		if n == mostTurns {
			s.control(j, "cancel")
			return
		}
	}
}

// control stops, resumes or cancels a job's task.
func (s *soak) control(j *job, what string) {
	if _, fine := s.wants(j.who, http.MethodPost, "/api/task/"+j.task+"/"+what, nil, http.StatusOK); fine && what == "cancel" {
		j.mu.Lock()
		j.ended = true
		j.mu.Unlock()
	}
}

// known is what others may know of a job while it goes on.
func (j *job) known() (task, session string, all []exchange, erased bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.task, j.session, j.exchanges, j.erased
}

func (j *job) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return fmt.Sprintf("%s: task %s, %d answers, the last %s", j.kind, j.task, len(j.exchanges), j.status)
}

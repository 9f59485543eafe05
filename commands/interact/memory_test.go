package interact_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// together is an intake whose append stores the content too, or nothing at all.
type together struct {
	mu      sync.Mutex
	log     eventstore.Log
	content *contents
	gone    atomic.Bool // the keys were dropped
}

func (i *together) Begin(string, string, bool) commands.Taking { return &part{together: i} }

type part struct {
	*together
	bodies []string
	beside func(context.Context) error
}

func (p *part) Key(context.Context, bool) (domain.Sealer, error) { return domaintest.Sealer{}, nil }

func (p *part) Put(_ context.Context, _ string, body []byte) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, string(body))
	return domain.DeriveUUID("content", string(body)), nil
}

func (p *part) Beside(stream string, at int64, events []eventstore.Proposed) {
	p.beside = func(ctx context.Context) error {
		slice, err := p.log.ReadStream(ctx, stream, eventstore.ReadOptions{})
		if err != nil || slice.Head != at {
			return &eventstore.WrongRevisionError{Stream: stream, Expected: at, Actual: slice.Head}
		}
		if len(events) > 0 {
			_, err = p.log.Append(ctx, stream, at, events)
		}
		return err
	}
}

func (p *part) Append(ctx context.Context, stream string, at int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.Load() {
		return eventstore.Receipt{}, domain.ErrErased
	}
	slice, err := p.log.ReadStream(ctx, stream, eventstore.ReadOptions{})
	if err != nil {
		return eventstore.Receipt{}, err
	}
	if slice.Head != at {
		return eventstore.Receipt{}, &eventstore.WrongRevisionError{Stream: stream, Expected: at, Actual: slice.Head}
	}
	if p.beside != nil {
		if err := p.beside(ctx); err != nil {
			return eventstore.Receipt{}, err
		}
	}
	p.content.mu.Lock()
	p.content.bodies = append(p.content.bodies, p.bodies...)
	p.content.mu.Unlock()
	return p.log.Append(ctx, stream, at, events)
}

// counting counts how often a handler reads a stream.
type counting struct {
	eventstore.Log
	reads atomic.Int32
}

func (c *counting) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	c.reads.Add(1)
	return c.Log.ReadStream(ctx, stream, o)
}

// pair are two processes on one log, which both trust their memory.
type pair struct {
	*rig
	intake *together
	reads  *counting
	there  *interact.Handler
}

// newPair has done so many turns here.
func newPair(t *testing.T, turns int) (pair, string) {
	t.Helper()
	r := newRig(t)
	p := pair{rig: r, intake: &together{log: r.log, content: r.content}, reads: &counting{Log: r.log}}
	r.deps.Intake, r.alive["i1"], r.alive["i2"] = p.intake, true, true
	p.there = r.other("i2")
	r.deps.Log = p.reads
	r.Handler = interact.New(r.deps)
	for range turns + 4 {
		r.reasons.acts, r.reasons.verdicts = append(r.reasons.acts, click("14")), append(r.reasons.verdicts, worked)
	}
	a, err := walkThrough(t, r, turns)
	if err != nil {
		t.Fatal(err)
	}
	return p, a.TaskID
}

func TestMemory_ATurnReadsNothingOfItsOwn(t *testing.T) {
	t.Parallel()
	p, id := newPair(t, 3)
	if reads := p.reads.reads.Load(); reads != 0 {
		t.Errorf("three turns read %d times", reads)
	}
	if n := len(p.content.bodies); n != 1 {
		t.Errorf("%d pages are stored of one that did not change", n)
	}
	if turns := slices.DeleteFunc(names(p.eventsOf(t, id)), func(n string) bool { return n != task.NameTurnEnded }); len(turns) != 3 {
		t.Errorf("%q", turns)
	}
}

// What another process has done since is found out by the claim. Then everything is decided
// anew, and what was refused is refused as if nothing had been in memory.
func TestMemory_AnotherProcessWentOn(t *testing.T) {
	t.Parallel()
	another := page.Page{Title: "Another", Elements: form.Elements}
	next := func(t *testing.T, id, body string) interact.Request {
		req := request(t, another, body)
		req.TaskID = id
		return req
	}
	for name, c := range map[string]struct {
		there func(t *testing.T, p pair, id string)
		ask   func(t *testing.T, id string) interact.Request
		kind  domain.Kind
		code  string
		// stored: the page of the request is; replayed: it gets the answer it got there.
		stored, replayed bool
	}{
		"with a turn": {there: func(t *testing.T, p pair, id string) { p.answer(t, id, "there") }, stored: true},
		"with this request": {
			there: func(t *testing.T, p pair, id string) { p.answer(t, id, "next") }, replayed: true,
		},
		"with this key": {
			there: func(t *testing.T, p pair, id string) { p.answer(t, id, "next") },
			ask: func(t *testing.T, id string) interact.Request {
				req := next(t, id, "next")
				req.BodyHash = "another"
				return req
			},
			kind: domain.Conflict, code: domain.CodeConflict,
		},
		"and is at it": {
			there: func(t *testing.T, p pair, id string) { p.claimThere(t, id) }, kind: domain.Conflict, code: domain.CodeConflict,
		},
		"and has died": {
			there: func(t *testing.T, p pair, id string) { p.claimThere(t, id); p.alive["i2"] = false }, stored: true,
		},
		"paused": {
			there: func(t *testing.T, p pair, id string) { p.pause(t, id, task.Paused) }, kind: domain.Conflict, code: domain.CodeTaskPaused,
		},
		"paused and handed back": {
			there: func(t *testing.T, p pair, id string) { p.pause(t, id, task.Paused); p.handBack(t, id, "go on") }, stored: true,
		},
		"stopped": {
			there: func(t *testing.T, p pair, id string) {
				if _, err := p.control().StopTask(t.Context(), "acme", "jo", id); err != nil {
					t.Fatal(err)
				}
			}, stored: true, // a new request resumes it
		},
		"cancelled": {
			there: func(t *testing.T, p pair, id string) {
				if _, err := p.control().CancelTask(t.Context(), "acme", "jo", id); err != nil {
					t.Fatal(err)
				}
			}, kind: domain.Conflict, code: domain.CodeTaskCompleted,
		},
		"archived its session": {
			there: func(t *testing.T, p pair, id string) {
				if _, err := (commands.ArchiveSession{Log: p.log, IDs: domain.NewUUID}).ArchiveSession(t.Context(), "acme", "jo", domain.DeriveUUID("session", id)); err != nil {
					t.Fatal(err)
				}
			}, kind: domain.Conflict, code: domain.CodeConflict,
		},
		"dropped its key": {
			there: func(_ *testing.T, p pair, _ string) { p.intake.gone.Store(true) }, kind: domain.Conflict, code: domain.CodeConflict,
		},
		"is asked by another user": {
			ask: func(t *testing.T, id string) interact.Request {
				req := next(t, id, "next")
				req.User = "eve"
				return req
			}, kind: domain.NotFound, code: domain.CodeTaskNotFound,
		},
		"is asked by another tenant": {
			ask: func(t *testing.T, id string) interact.Request {
				req := next(t, id, "next")
				req.Tenant = "globex"
				return req
			}, kind: domain.NotFound, code: domain.CodeTaskNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, id := newPair(t, 1)
			if c.there != nil {
				c.there(t, p, id)
			}
			was, content, seen := len(p.eventsOf(t, id)), len(p.content.bodies), p.rig.reads.Load()
			ask := c.ask
			if ask == nil {
				ask = func(t *testing.T, id string) interact.Request { return next(t, id, "next") }
			}
			res, err := p.Interact(t.Context(), ask(t, id))
			if stored := len(p.content.bodies) - content; stored != map[bool]int{true: 1}[c.stored] {
				t.Errorf("%d pages of it are stored", stored)
			}
			if p.rig.reads.Load() > seen+1 {
				t.Error("its page was read twice")
			}
			if c.code != "" {
				wantCode(t, err, c.kind, c.code)
				if len(p.eventsOf(t, id)) != was {
					t.Error("something was appended")
				}
				return
			}
			if err != nil || res.Replayed != c.replayed {
				t.Fatalf("replayed %v, %v", res.Replayed, err)
			}
			slice, err := p.log.ReadStream(t.Context(), task.Stream(id), eventstore.ReadOptions{})
			if err != nil || res.Revision != slice.Head || res.Position != slice.Position {
				t.Errorf("the answer is of revision %d and position %d, the stream of %d and %d", res.Revision, res.Position, slice.Head, slice.Position)
			}
		})
	}
}

// answer has the other process answer a request.
func (p pair) answer(t *testing.T, id, body string) {
	t.Helper()
	req := request(t, page.Page{Title: "Another", Elements: form.Elements}, body)
	req.TaskID = id
	if _, err := p.there.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
}

// claimThere leaves a claim of the other process open.
func (p pair) claimThere(t *testing.T, id string) {
	t.Helper()
	deps := p.deps
	deps.Log, deps.Instances = brokenAfterClaim{p.log}, instances{"i2", p.alive}
	req := request(t, form, "there")
	req.TaskID = id
	if _, err := interact.New(deps).Interact(t.Context(), req); err == nil {
		t.Fatal("the dying process answered")
	}
	if last := p.eventsOf(t, id); task.Codec.Name(last[len(last)-1]) != task.NamePageObserved {
		t.Fatalf("%q", names(last))
	}
}

// A first request that another process has answered is not a new task.
func TestMemory_AFirstRequestThatWasAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	p, _ := newPair(t, 0)
	req := request(t, form, "a")
	first, err := p.there.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Interact(t.Context(), req)
	if err != nil || !again.Replayed || again.TaskID != first.TaskID || string(again.Answer) != string(first.Answer) || again.Revision != first.Revision || again.Position != first.Position {
		t.Errorf("%+v, %v", again, err)
	}
	if len(p.content.bodies) != 1 {
		t.Errorf("%d pages are stored", len(p.content.bodies))
	}
	req.BodyHash = "another"
	_, err = p.Interact(t.Context(), req)
	wantCode(t, err, domain.Conflict, domain.CodeConflict)
}

// What looks impossible by what is in memory is not refused before the log was read.
func TestMemory_RefusesNothing(t *testing.T) {
	t.Parallel()
	p, id := newPair(t, 1)
	req := following(t, id, "next")
	req.Witness.Chain = &page.ChainProgress{LastExecuted: 1}
	_, err := p.Interact(t.Context(), req)
	wantCode(t, err, domain.Invalid, domain.CodeValidation)
	if p.reads.reads.Load() == 0 {
		t.Error("it was refused from memory")
	}
}

// The session that a client names has to be there, also for who remembers it.
func TestMemory_SessionsOfOthers(t *testing.T) {
	t.Parallel()
	p, id := newPair(t, 1)
	second := request(t, form, "second")
	second.SessionID = domain.DeriveUUID("session", id)
	if _, err := p.Interact(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	slice, err := p.log.ReadStream(t.Context(), session.Stream(second.SessionID), eventstore.ReadOptions{})
	if err != nil || len(slice.Events) != 1 {
		t.Errorf("%d events of the session, %v", len(slice.Events), err)
	}
	third := request(t, form, "third")
	third.SessionID = domain.NewUUID()
	_, err = p.Interact(t.Context(), third)
	wantCode(t, err, domain.NotFound, domain.CodeSessionNotFound)
	if diff := cmp.Diff(0, len(p.eventsOf(t, task.IDFor("acme", "jo", "key-third")))); diff != "" {
		t.Error(diff)
	}
}

// putBack loses a stream once the turn is decided, as a failover does to a standby that had
// less of the log; the revisions that are left would let the turn's end through.
type putBack struct {
	eventstore.Log
	lost atomic.Bool
}

func (l *putBack) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	if l.lost.Load() {
		return eventstore.Slice{Head: eventstore.NoRevision, Log: "another"}, nil
	}
	return l.Log.ReadStream(ctx, stream, o)
}

// A turn whose claim is not in the log any more ends nobody else's; one whose claim is there
// after a failover goes on.
func TestMemory_TheLogWasPutBack(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"without the claim": true, "nothing is lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &putBack{}
			var here *interact.Handler
			r := newRig(t, func(d *interact.Deps) {
				log.Log, d.Log = d.Log, log
				d.Hook = func(point string) {
					if point == "turn.decided" {
						log.lost.Store(lost)
						here.ForgetAll()
					}
				}
			})
			here = r.Handler
			r.reasons.acts = []any{click("14")}
			req := request(t, form, "a")
			res, err := r.Interact(t.Context(), req)
			if !lost {
				if err != nil || answerOf(t, res).Action == "" {
					t.Errorf("%s, %v", res.Answer, err)
				}
				return
			}
			wantCode(t, err, domain.Conflict, domain.CodeConflict)
			log.lost.Store(false)
			for _, name := range names(r.eventsOf(t, domain.DeriveUUID("task", req.Tenant, req.User, req.Key))) {
				if name == task.NameTurnEnded {
					t.Error("the turn ended in another history")
				}
			}
		})
	}
}

// The first answer of a new task says, as all later ones do, of which epoch of the log its
// revision is: nothing of it was read before.
func TestMemory_ANewTaskIsOfItsEpoch(t *testing.T) {
	t.Parallel()
	p, _ := newPair(t, 0)
	epoch, err := p.log.BeginEpoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, form, "first")
	for _, h := range []*interact.Handler{p.Handler, p.there} { // the second one reads it
		if res, err := h.Interact(t.Context(), r); err != nil || res.Log != epoch {
			t.Errorf("the answer is of the log %q, want %q (%v)", res.Log, epoch, err)
		}
	}
	if reads := p.reads.reads.Load(); reads != 0 {
		t.Errorf("a first turn read %d times", reads)
	}
}

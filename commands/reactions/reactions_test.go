package reactions_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/reactions"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

const sessionID = "5e55104a-0000-4000-8000-000000000001"

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// rig is the reactions over a log in memory.
type rig struct {
	log   *memory.Store
	open  []string // tasks the read model knows to be open
	stale error    // of a read model that is behind
	asked []string
	mu    sync.Mutex
	calls []string
	bills []string
	// wants says whether the tenant wants pages, seen are those it was given, and unseen
	// the tasks whose pages were taken back. During is done while a page is kept.
	wants  bool
	seen   []reactions.SeenPage
	unseen []string
	during func()
}

type keys struct{}

func (keys) NewKey(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

func (keys) Key(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

// Open implements reactions.Tasks.
func (r *rig) Open(_ context.Context, tenant, session string, asOf int64) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, fmt.Sprintf("%s %s as of %d", tenant, session, asOf))
	return r.open, r.stale
}

// Close implements reactions.Calls.
func (r *rig) Close(_ context.Context, tenant, task string, turn int, why string) error {
	r.calls = append(r.calls, fmt.Sprintf("%s %s turn %d: %s", tenant, task, turn, why))
	return nil
}

// Reconcile implements reactions.Bills.
func (r *rig) Reconcile(_ context.Context, subject, call string) error {
	r.bills = append(r.bills, subject+" "+call)
	return nil
}

func newRig() *rig { return &rig{log: memory.New(memory.Options{})} }

// react gives an event to every reaction that wants it, as a feed does.
func (r *rig) react(ctx context.Context, e eventstore.Recorded) error {
	var failed error
	for _, reaction := range reactions.All(reactions.Deps{Log: r.log, Keys: keys{}, Tasks: r, Calls: r, Bills: r, Content: r, Pages: r}) {
		if slices.Contains(reaction.Types, e.Type) {
			failed = errors.Join(failed, reaction.Handle(ctx, e))
		}
	}
	return failed
}

// everything gives the whole log to the reactions, as to a new consumer.
func (r *rig) everything(t *testing.T) {
	t.Helper()
	page, err := r.log.ReadAll(t.Context(), 0, 0, eventstore.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Events {
		if err := r.react(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *rig) head(t *testing.T) int64 {
	t.Helper()
	head, err := r.log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

func (r *rig) begin(t *testing.T, id string, events ...task.Event) {
	t.Helper()
	events = append([]task.Event{task.PageObserved{
		Tenant: "acme", User: "jo", Session: sessionID, Turn: 1, Instance: "i1", LeaseUntil: noon.Add(time.Hour),
	}}, events...)
	w := commands.Writing{
		Meta: eventstore.Metadata{Tenant: "acme", Actor: "jo", Correlation: id, Schema: 1}, ID: commands.RandomIDs(domain.NewUUID),
	}
	_, err := commands.Tasks.Append(t.Context(), r.log, task.Stream(id), domaintest.Sealer{}, commands.Tasks.Start(), w, events)
	if err != nil {
		t.Fatal(err)
	}
}

// add appends to a task that has begun.
func (r *rig) add(t *testing.T, id string, event task.Event) {
	t.Helper()
	v, err := commands.Tasks.Load(t.Context(), r.log, task.Stream(id), domaintest.Sealer{}, commands.Tasks.Start())
	if err != nil {
		t.Fatal(err)
	}
	w := commands.Writing{Meta: eventstore.Metadata{Tenant: "acme", Correlation: id, Schema: 1}, ID: commands.RandomIDs(domain.NewUUID)}
	if _, err := commands.Tasks.Append(t.Context(), r.log, task.Stream(id), domaintest.Sealer{}, v, w, []task.Event{event}); err != nil {
		t.Fatal(err)
	}
}

// archive archives the session and gives the event that says so.
func (r *rig) archive(t *testing.T) eventstore.Recorded {
	t.Helper()
	w := commands.Writing{Meta: eventstore.Metadata{Tenant: "acme"}, ID: commands.RandomIDs(domain.NewUUID)}
	stream := session.Stream(sessionID)
	if _, err := commands.Sessions.Transact(t.Context(), r.log, stream, nil, w, session.Start{Tenant: "acme", User: "jo"}); err != nil {
		t.Fatal(err)
	}
	a := commands.ArchiveSession{Log: r.log, IDs: domain.NewUUID}
	if _, err := a.ArchiveSession(t.Context(), "acme", "jo", sessionID); err != nil {
		t.Fatal(err)
	}
	events := r.events(t, stream)
	return events[len(events)-1]
}

func (r *rig) events(t *testing.T, stream string) []eventstore.Recorded {
	t.Helper()
	slice, err := r.log.ReadStream(t.Context(), stream, eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return slice.Events
}

func (r *rig) names(t *testing.T, id string) (out []string) {
	t.Helper()
	for _, e := range r.events(t, task.Stream(id)) {
		out = append(out, e.Type)
	}
	return out
}

func wantNames(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestArchived_InterruptsWhatIsOpen(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.begin(t, "waiting", task.TurnEnded{Turn: 1, Status: "action"})
	r.begin(t, "underway")
	r.begin(t, "over", task.TaskCompleted{Turn: 1}, task.TurnEnded{Turn: 1})
	r.open = []string{"waiting", "underway", "over"} // a read model may say what was
	archived := r.archive(t)
	if err := r.react(t.Context(), archived); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{fmt.Sprintf("acme %s as of %d", sessionID, archived.Position)}, r.asked); diff != "" {
		t.Error(diff)
	}
	wantNames(t, r.names(t, "waiting"), task.NamePageObserved, task.NameTurnEnded, task.NameTaskInterrupted)
	wantNames(t, r.names(t, "underway"), task.NamePageObserved, task.NameTurnAbandoned, task.NameTaskInterrupted)
	wantNames(t, r.names(t, "over"), task.NamePageObserved, task.NameTaskCompleted, task.NameTurnEnded)
	last := r.events(t, task.Stream("waiting"))[2].Metadata()
	want := eventstore.Metadata{Tenant: "acme", Actor: "system", Correlation: "waiting", Causation: archived.ID, Schema: 1}
	if last != want {
		t.Errorf("the envelope is %+v, want %+v", last, want)
	}
}

func TestArchived_WaitsForTheReadModel(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.begin(t, "waiting")
	archived := r.archive(t)
	r.open, r.stale = []string{"waiting"}, domain.Errorf(domain.Unavailable, "DATABASE_ERROR", "not there yet")
	before := r.head(t)
	if err := r.react(t.Context(), archived); domain.KindOf(err) != domain.Unavailable || r.head(t) != before {
		t.Errorf("%v, and the log went from %d to %d", err, before, r.head(t))
	}
}

func TestReactions_SeeingEverythingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.begin(t, "waiting", task.TurnEnded{Turn: 1, Status: "action"})
	r.begin(t, "underway")
	r.open = []string{"waiting", "underway"}
	r.archive(t)
	r.everything(t)
	after := r.head(t)
	wantNames(t, r.names(t, "underway"), task.NamePageObserved, task.NameTurnAbandoned, task.NameTaskInterrupted)
	for range 2 {
		r.everything(t)
	}
	if got := r.head(t); got != after {
		t.Errorf("the log went from %d to %d", after, got)
	}
}

// Two processes with the same event, as when a duty moves.
func TestArchived_InterruptsOnce(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.begin(t, "waiting")
	r.open = []string{"waiting"}
	archived := r.archive(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := r.react(t.Context(), archived); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantNames(t, r.names(t, "waiting"), task.NamePageObserved, task.NameTurnAbandoned, task.NameTaskInterrupted)
}

func TestTurnAbandoned_ClosesItsCalls(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.begin(t, "dead", task.TurnAbandoned{Turn: 1, Why: "its process is gone"})
	r.everything(t)
	if diff := cmp.Diff([]string{"acme dead turn 1: the turn that made the call was given up"}, r.calls); diff != "" {
		t.Error(diff)
	}
	broken := r.events(t, task.Stream("dead"))[1]
	broken.Data = []byte(`{"turn":"one"}`)
	if err := r.react(t.Context(), broken); err == nil {
		t.Error("an event that cannot be read was handled")
	}
}

// Names are where checkpoints are kept: they are here to be changed with thought.
func TestReactions_KeepTheirNames(t *testing.T) {
	t.Parallel()
	var got []string
	for _, reaction := range reactions.All(reactions.Deps{}) {
		got = append(got, reaction.Name)
	}
	if diff := cmp.Diff([]string{"interrupt-archived", "close-calls", "book-corrections", "see-pages"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBookCorrections_HasTheBudgetFollowTheLedger(t *testing.T) {
	t.Parallel()
	r := newRig()
	e := eventstore.Recorded{Type: usage.NameUsageCorrected, Stream: usage.Stream("t-1"), ID: domain.NewUUID()}
	e.Data = []byte(`{"call":"c-1","why":"prices were imported","meters":{},"costStatus":"priced","correctedAt":"2026-11-28T12:00:00Z"}`)
	if err := r.react(t.Context(), e); err != nil || !slices.Equal(r.bills, []string{"t-1 c-1"}) {
		t.Errorf("reconciled %v, %v", r.bills, err)
	}
	e.Data = []byte(`{"call":7}`)
	if err := r.react(t.Context(), e); err == nil {
		t.Error("a correction nobody can read was taken for handled")
	}
}

package commands_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// stores are those of a system, as far as an erasure concerns them.
type stores struct {
	keys, applied, users map[string]bool
	listed               []erasure.Listed
	settled              int
	// unlearnt are the tasks and tenants whose knowledge was forgotten.
	unlearnt []string
	audited  erasure.Erasure
	// most is the largest number of tasks that were handed over at a time.
	most int
}

func one(store string, had bool) []erasure.Count {
	c := erasure.Count{Store: store, What: "things"}
	if had {
		c.Count = 1
	}
	return []erasure.Count{c}
}

func (s *stores) Erase(_ context.Context, _, subject string) ([]erasure.Count, error) {
	had := s.keys[subject]
	s.keys[subject] = false
	return one("content", had), nil
}

func (s *stores) Applied(_ context.Context, id string) error { s.applied[id] = true; return nil }

func (s *stores) IsApplied(_ context.Context, id string) (bool, error) { return s.applied[id], nil }

func (s *stores) EraseTenant(context.Context, string) ([]erasure.Count, error) {
	had := false
	for k, v := range s.keys {
		had = had || v
		s.keys[k] = false
	}
	return one("content", had), nil
}

func (s *stores) Add(_ context.Context, entries ...erasure.Listed) error {
	for _, e := range entries {
		if !slices.Contains(s.listed, e) {
			s.listed = append(s.listed, e)
		}
	}
	return nil
}

func (s *stores) Rows(_ context.Context, tasks []string) ([]erasure.Count, error) {
	s.most = max(s.most, len(tasks))
	return nil, nil
}

func (s *stores) Forget(context.Context, string) ([]erasure.Count, error) { return nil, nil }
func (s *stores) Settle(context.Context) error                            { s.settled++; return nil }

func (s *stores) ForgetTasks(_ context.Context, _ string, tasks []string) ([]erasure.Count, error) {
	s.unlearnt = append(s.unlearnt, tasks...)
	return nil, nil
}

func (s *stores) ForgetTenant(_ context.Context, tenant string) ([]erasure.Count, error) {
	s.unlearnt = append(s.unlearnt, tenant)
	return nil, nil
}

type accounts struct{ *stores }

func (a accounts) EraseUser(_ context.Context, _, user string) ([]erasure.Count, error) {
	had := a.users[user]
	a.users[user] = false
	return one("identity", had), nil
}

func (a accounts) HasUser(_ context.Context, _, user string) (bool, error) {
	_, has := a.users[user]
	return has, nil
}

func (a accounts) Audit(_ context.Context, e erasure.Erasure) error {
	a.audited = e
	return nil
}

var eraseNoon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// eraseWorld has two users of a tenant with two tasks each.
func eraseWorld(t *testing.T) (commands.Erase, *stores) {
	t.Helper()
	log := memory.New(memory.Options{})
	s := &stores{keys: map[string]bool{}, applied: map[string]bool{}, users: map[string]bool{"jo": true, "ann": true}}
	for _, user := range []string{"jo", "ann"} {
		for i := range 2 {
			beginTask(t, log, s, user, fmt.Sprintf("%s%d", user, i))
		}
	}
	return commands.Erase{
		Log: log, Feed: log, Content: s, Accounts: accounts{s}, Views: s, Knowledge: s, List: s, Clock: func() time.Time { return eraseNoon }, IDs: domain.NewUUID,
	}, s
}

func beginTask(t *testing.T, log eventstore.Log, s *stores, user, id string) {
	t.Helper()
	w := commands.Writing{Meta: eventstore.Metadata{Tenant: "acme", Actor: user, Correlation: id}, ID: func(int) string { return domain.NewUUID() }}
	claim := task.Claim{Page: task.PageObserved{Tenant: "acme", User: user, Session: "s", Query: "q", LeaseUntil: eraseNoon.Add(time.Minute)}, Now: eraseNoon}
	if _, err := commands.Tasks.Transact(t.Context(), log, task.Stream(id), domaintest.Sealer{}, w, claim); err != nil {
		t.Fatal(err)
	}
	s.keys[id] = true
}

var askJo = erasure.ErasureRequested{Tenant: "acme", Kind: erasure.User, Subject: "jo", Reason: erasure.Asked}

// wantErased checks that jo is gone and ann is not.
func wantErased(t *testing.T, c commands.Erase, s *stores) {
	t.Helper()
	if s.audited.Subject != "jo" || s.audited.Completed == nil {
		t.Errorf("the audit has %+v", s.audited)
	}
	for id, want := range map[string]bool{"jo0": true, "jo1": true, "ann0": false, "ann1": false} {
		v, err := commands.Tasks.Load(t.Context(), c.Log, task.Stream(id), domaintest.Sealer{}, commands.Tasks.Start())
		if err != nil || v.State.Erased != want || s.keys[id] == want || want && v.State.Status != task.Interrupted {
			t.Errorf("%s: erased %v, status %s, key %v, %v", id, v.State.Erased, v.State.Status, s.keys[id], err)
		}
	}
	all, err := c.Erasures(t.Context(), "acme")
	if err != nil || len(all) != 1 || all[0].Completed == nil || all[0].By != "operator" {
		t.Errorf("the record: %+v, %v", all, err)
	}
	if s.users["jo"] || !s.users["ann"] || len(s.listed) != 1 || len(s.applied) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestErase_User(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	e, err := c.Request(t.Context(), askJo)
	if err != nil {
		t.Fatal(err)
	}
	if e, err = c.Run(t.Context(), "acme", e.ErasureRequested.Erasure); err != nil || !e.Completed.Report.Any() {
		t.Fatalf("%+v, %v", e, err)
	}
	wantErased(t, c, s)
	again, err := c.Request(t.Context(), askJo)
	if err != nil || again.At != e.At || again.Completed == nil {
		t.Errorf("asked again: %+v, %v", again, err)
	}
	head, err := c.Feed.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), "acme", e.ErasureRequested.Erasure); err != nil {
		t.Fatal(err)
	}
	if now, err := c.Feed.Head(t.Context()); err != nil || now != head {
		t.Errorf("done again it wrote to the log: %d, then %d, %v", head, now, err)
	}
}

// unread is a log of which one stream is in an archive that does not answer.
type unread struct {
	eventstore.Log
	stream string
}

func (u unread) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	if stream == u.stream {
		return eventstore.Slice{}, &eventstore.UnavailableError{Op: "read", Cause: &eventstore.ArchiveError{Segment: "a", Cause: errors.New("no answer")}}
	}
	return u.Log.ReadStream(ctx, stream, o)
}

// Keys go at once, also of what is in an archive that cannot be read; that it is erased is
// recorded once it can.
func TestErase_UnreadArchive(t *testing.T) {
	t.Parallel()
	for kind, gone := range map[erasure.Kind][]string{erasure.Task: {"jo0"}, erasure.User: {"jo0", "jo1"}, erasure.Tenant: {"jo0", "jo1", "ann0", "ann1"}} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			c, s := eraseWorld(t)
			cut := c
			cut.Log = unread{c.Log, task.Stream("jo0")}
			subject := map[erasure.Kind]string{erasure.Task: "jo0", erasure.User: "jo", erasure.Tenant: "acme"}[kind]
			e, err := c.Request(t.Context(), erasure.ErasureRequested{Tenant: "acme", Kind: kind, Subject: subject, Reason: erasure.Asked})
			if err != nil {
				t.Fatal(err)
			}
			var archived *eventstore.ArchiveError
			if _, err := cut.Run(t.Context(), "acme", e.ErasureRequested.Erasure); !errors.As(err, &archived) {
				t.Errorf("error is %v", err)
			}
			for _, id := range gone {
				if s.keys[id] {
					t.Errorf("the key of %s is there", id)
				}
			}
			if n, err := c.Resume(t.Context()); n != 1 || err != nil || s.audited.Completed == nil {
				t.Errorf("with the archive: %d, %v, %+v", n, err, s.audited)
			}
		})
	}
}

// A process that dies at any point leaves nothing that Resume does not bring to an end.
func TestErase_CrashAnywhere(t *testing.T) {
	t.Parallel()
	points := 0
	for crashAt := 1; ; crashAt++ {
		c, s := eraseWorld(t)
		dying := c
		n := 0
		dying.Hook = func(point string) {
			if n++; n == crashAt {
				panic(point)
			}
		}
		if !dies(t, dying) {
			break
		}
		points++
		if _, err := c.Resume(t.Context()); err != nil {
			t.Fatalf("crash %d: %v", crashAt, err)
		}
		wantErased(t, c, s)
	}
	if points < 8 {
		t.Errorf("%d points", points)
	}
}

func dies(t *testing.T, c commands.Erase) (died bool) {
	t.Helper()
	defer func() { died = recover() != nil }()
	e, err := c.Request(t.Context(), askJo)
	if err == nil {
		_, err = c.Run(t.Context(), "acme", e.ErasureRequested.Erasure)
	}
	if err != nil {
		t.Error(err)
	}
	return false
}

// What a request of the user that was under way has begun afterwards is found, and that it
// was there is recorded.
func TestErase_BegunAfterwards(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	dies(t, c)
	beginTask(t, c.Log, s, "jo", "late")
	if n, err := c.Resume(t.Context()); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	all, err := c.Erasures(t.Context(), "acme")
	if err != nil || s.keys["late"] || !all[0].Completed.Again {
		t.Errorf("%+v, %v", all, err)
	}
	c.Clock = func() time.Time { return eraseNoon.Add(commands.LateFor + time.Second) }
	if n, err := c.Resume(t.Context()); n != 0 || err != nil {
		t.Errorf("later: %d, %v", n, err)
	}
}

// A restored backup knows neither the record nor what was done; where the log is kept
// elsewhere, only the latter.
// What was erased by a process with a list of its own is on that of whoever looks after erasures.
func TestErase_ResumeListsWhatAnotherListHas(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	e, err := c.Request(t.Context(), askJo)
	if err == nil {
		_, err = c.Run(t.Context(), "acme", e.ErasureRequested.Erasure)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := s.listed
	s.listed = nil
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(want) != 1 || !slices.Equal(s.listed, want) {
		t.Errorf("the list is %v, want %v", s.listed, want)
	}
}

func TestErase_Reapply(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	dies(t, c)
	list := s.listed
	fresh, restored := eraseWorld(t)
	for i, want := range []int{1, 0} {
		if n, err := fresh.Reapply(t.Context(), list); n != want || err != nil {
			t.Errorf("time %d: %d, %v", i+1, n, err)
		}
	}
	wantErased(t, fresh, restored)

	s.keys["jo0"], s.applied = true, map[string]bool{}
	if n, err := c.Resume(t.Context()); n != 1 || err != nil || s.keys["jo0"] {
		t.Errorf("the database alone was restored: %d, %v, key %v", n, err, s.keys["jo0"])
	}
}

// countedLog counts how often a record is read.
type countedLog struct {
	eventstore.Log
	reads int
}

func (l *countedLog) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	if stream == erasure.Stream("acme") {
		l.reads++
	}
	return l.Log.ReadStream(ctx, stream, o)
}

// Every process goes through the list when it starts: what is known costs nothing that
// grows with what else is.
func TestErase_ReapplyReadsARecordOnce(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	for _, subject := range []string{"jo0", "jo1"} {
		e, err := c.Request(t.Context(), erasure.ErasureRequested{Tenant: "acme", Kind: erasure.Task, Subject: subject, By: "boss", Reason: erasure.Left})
		if err == nil {
			_, err = c.Run(t.Context(), "acme", e.ErasureRequested.Erasure)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	log := &countedLog{Log: c.Log}
	c.Log = log
	if n, err := c.Reapply(t.Context(), slices.Repeat(s.listed, 5)); n != 0 || err != nil || log.reads != 1 {
		t.Errorf("%d, %v; the record was read %d times for %d on the list", n, err, log.reads, 5*len(s.listed))
	}
}

func TestErase_TenantAndTask(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	run := func(kind erasure.Kind, subject string) {
		t.Helper()
		e, err := c.Request(t.Context(), erasure.ErasureRequested{Tenant: "acme", Kind: kind, Subject: subject, By: "boss", Reason: erasure.Left})
		if err == nil {
			_, err = c.Run(t.Context(), "acme", e.ErasureRequested.Erasure)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run(erasure.Task, "jo1")
	if s.keys["jo1"] || !s.keys["jo0"] || !s.users["jo"] || !slices.Equal(s.unlearnt, []string{"jo1"}) {
		t.Errorf("after a task: %+v", s)
	}
	run(erasure.Tenant, "acme")
	if !slices.Contains(s.unlearnt, "acme") {
		t.Errorf("what the tenant knew is left: %v", s.unlearnt)
	}
	for id, has := range s.keys {
		if has {
			t.Errorf("%s has a key", id)
		}
	}
	if all, err := c.AllErasures(t.Context()); err != nil || len(all) != 2 || all[0].By != "boss" {
		t.Errorf("%+v, %v", all, err)
	}
}

// However many tasks a user has, and turns a task, each is erased once and few are held at a time.
func TestErase_Many(t *testing.T) {
	t.Parallel()
	c, s := eraseWorld(t)
	const more = 1200
	for i := range more {
		beginTask(t, c.Log, s, "jo", fmt.Sprintf("more%d", i))
	}
	for i := range 3 {
		again := []eventstore.Proposed{{ID: domain.NewUUID(), Type: task.NamePageObserved, Data: []byte(`{"tenant":"acme","user":"jo"}`), Meta: eventstore.Metadata{Tenant: "acme"}.Encode()}}
		if _, err := c.Log.Append(t.Context(), task.Stream(fmt.Sprintf("more%d", i)), eventstore.Any, again); err != nil {
			t.Fatal(err)
		}
	}
	dies(t, c)
	slices.Sort(s.unlearnt)
	if once := slices.Compact(slices.Clone(s.unlearnt)); len(once) != more+2 || len(s.unlearnt) != len(once) {
		t.Errorf("%d tasks were erased, %d of them, want %d once", len(s.unlearnt), len(once), more+2)
	}
	if s.most == 0 || s.most > 500 {
		t.Errorf("%d tasks were held at a time", s.most)
	}
}

// watched counts the events it reads.
type watched struct {
	eventstore.Feed
	from []int64
}

func (w *watched) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	w.from = append(w.from, after)
	return w.Feed.ReadAll(ctx, after, limit, f)
}

// Who is erased is looked for in what is new of the log only, and in all of it after a restore.
func TestErasedTenants(t *testing.T) {
	t.Parallel()
	c, _ := eraseWorld(t)
	dies(t, c)
	log := c.Log.(*memory.Store)
	w := &watched{Feed: log}
	c.Feed, c.Known = w, &commands.ErasedTenants{}
	looks := func(want int) (from []int64) {
		t.Helper()
		w.from = nil
		if all, err := c.AllErasures(t.Context()); err != nil || len(all) != want {
			t.Errorf("%d erasures, want %d, %v", len(all), want, err)
		}
		return w.from
	}
	if from := looks(1); from[0] != 0 {
		t.Errorf("the first look begins at %v", from)
	}
	head, err := log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if from := looks(1); from[0] != head {
		t.Errorf("the second look begins at %v, want %d", from, head)
	}
	if _, err := c.Request(t.Context(), erasure.ErasureRequested{Tenant: "globex", Kind: erasure.Tenant, Subject: "globex", Reason: erasure.Left}); err != nil {
		t.Fatal(err)
	}
	if from := looks(2); from[0] != head {
		t.Errorf("after another request it begins at %v, want %d", from, head)
	}
	c.Log, w.Feed = memory.New(memory.Options{}), memory.New(memory.Options{})
	if from := looks(0); from[0] != 0 {
		t.Errorf("in another log it begins at %v", from)
	}
}

func TestErase_WhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	c, _ := eraseWorld(t)
	for _, r := range []erasure.ErasureRequested{
		{Tenant: "globex", Kind: erasure.Task, Subject: "jo0", Reason: erasure.Asked},
		{Tenant: "acme", Kind: erasure.Task, Subject: "nothing", Reason: erasure.Asked},
		{Tenant: "acme", Kind: erasure.User, Subject: "nobody", Reason: erasure.Asked},
	} {
		if _, err := c.Request(t.Context(), r); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := c.Run(t.Context(), "acme", "nothing"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("%v", err)
	}
	if head, err := c.Feed.Head(t.Context()); err != nil || head != 4 || errors.Is(err, domain.ErrErased) {
		t.Errorf("something was recorded: %d, %v", head, err)
	}
}

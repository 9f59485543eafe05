package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// everyEvent is every event from a log's beginning, as whoever follows it is given them.
func everyEvent(t *testing.T, log eventstore.Feed) (all []eventstore.Recorded) {
	t.Helper()
	for at := int64(0); ; {
		page, err := log.ReadAll(t.Context(), at, 7, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Events...)
		if page.Scanned <= at {
			return all
		}
		at = page.Scanned
	}
}

// fromTheStart runs a new consumer until it has come to the end of the log, and returns the
// events it was given.
func (s *server) fromTheStart(t *testing.T, name string) (seen []eventstore.Recorded) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	keeper := consumer.Store{DB: s.db}
	end := everyEvent(t, s.events)
	r := feed.NewRunner(feed.RunnerConfig{
		Config:  feed.Config{Source: s.tail, Checkpoints: keeper, Leads: s.alive.Leads, Log: s.log},
		Parking: keeper, IsOutage: isOutage,
		Reactions: []feed.Reaction{{Name: name, Topic: "task", Handle: func(_ context.Context, e eventstore.Recorded) error {
			seen = append(seen, e)
			if e.Position >= lastOf(end, "task").Position {
				cancel()
			}
			return nil
		}}},
	})
	if err := r.Run(ctx); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return seen
}

func lastOf(all []eventstore.Recorded, category string) (last eventstore.Recorded) {
	for _, e := range all {
		if eventstore.Category(e.Stream) == category {
			last = e
		}
	}
	return last
}

// With everything archived: the log is, event by event, what it was; a rebuild of all read
// models from the beginning gives what they were; a consumer that is new is given every event
// once; and a copy of the log into an empty database has all of it, in the database.
func TestArchive_Followed(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, newFakeGemini(t).env())
	l := s.pursued(t, newModelPursuit(), newModelPursuit())
	s.reacted(t)
	before := everyEvent(t, s.events)
	status := s.archives(t)
	s.isArchived(t, task.Stream(l.task), task.Stream(l.other), usage.Stream(l.task))
	same := func(what string, got []eventstore.Recorded, among func(eventstore.Recorded) bool) {
		t.Helper()
		want := slices.DeleteFunc(slices.Clone(before), func(e eventstore.Recorded) bool { return !among(e) })
		if !slices.EqualFunc(got, want, sameEvent) {
			t.Errorf("%s: %d events, want %d", what, len(got), len(want))
		}
	}
	same("the log", everyEvent(t, s.events), func(eventstore.Recorded) bool { return true })
	s.rebuiltTheSame(t)
	ofTasks := func(e eventstore.Recorded) bool { return eventstore.Category(e.Stream) == "task" }
	same("a new consumer", s.fromTheStart(t, "newcomer"), ofTasks)

	copied := pgtest.Database(t, "empty", nil)
	out, err := s.toolWith(t, map[string]string{"STORE_FROM": s.url, "STORE_TO": copied}, "store", "copy")
	if err != nil || !strings.Contains(out, "the logs are the same") {
		t.Fatalf("%v: %s", err, out)
	}
	to, err := openLog(t.Context(), testConfig(copied, "").DatabaseURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	got := everyEvent(t, to)
	if len(got) != len(before) || status.Events == 0 {
		t.Errorf("%d events were copied of %d, of which %d are archived", len(got), len(before), status.Events)
	}
}

func sameEvent(a, b eventstore.Recorded) bool {
	return a.Position == b.Position && a.Stream == b.Stream && a.Revision == b.Revision && a.ID == b.ID && a.Type == b.Type &&
		a.RecordedAt.Equal(b.RecordedAt) && string(a.Data) == string(b.Data) && string(a.Meta) == string(b.Meta)
}

package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore"
)

// revisionsInTable are those the database has of a stream, tombstones included.
func revisionsInTable(t testing.TB, c *pgx.Conn, stream string) []int64 {
	t.Helper()
	rows, err := c.Query(t.Context(), `select revision from log.events where stream = $1 order by revision`, stream)
	if err != nil {
		t.Fatal(err)
	}
	revisions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	return revisions
}

func mustScavenge(t testing.TB, s *Store, limit int, want int64) {
	t.Helper()
	if n, err := s.Scavenge(t.Context(), limit); n != want || err != nil {
		t.Errorf("%d events were removed, %v; want %d", n, err, want)
	}
}

func TestScavenge(t *testing.T) {
	t.Parallel()
	old := func(t *testing.T, c *pgx.Conn) {
		t.Helper()
		mustExec(t, c, `update log.events set recorded_at = recorded_at - interval '2 days'`)
	}
	t.Run("what is hidden leaves the database, the last event and a tombstone never", func(t *testing.T) {
		t.Parallel()
		s, url, _ := archived(t)
		admin := connect(t, url)
		for _, stream := range []string{"counted", "cut", "deleted", "ended", "aged", "whole"} {
			mustAppend(t, s, stream, eventstore.NoStream, events(6)...)
		}
		for stream, keep := range map[string]eventstore.Retention{"counted": {MaxCount: 2}, "cut": {TruncateBefore: 5}, "aged": {MaxAge: 36 * time.Hour}} {
			if err := s.SetRetention(t.Context(), stream, keep); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Delete(t.Context(), "deleted", 5); err != nil {
			t.Fatal(err)
		}
		if err := s.Tombstone(t.Context(), "ended", 5); err != nil {
			t.Fatal(err)
		}
		mustScavenge(t, s, 1000, 0) // all are of today
		old(t, admin)
		before := readOn(t, s, 0)
		mustScavenge(t, s, 1000, 4+5+5+5+5)
		for stream, want := range map[string][]int64{
			"counted": {4, 5}, "cut": {5}, "deleted": {5}, "ended": {5, 6}, "aged": {5}, "whole": {0, 1, 2, 3, 4, 5},
		} {
			if diff := gocmp.Diff(want, revisionsInTable(t, admin, stream)); diff != "" {
				t.Errorf("revisions of %s (-want +got):\n%s", stream, diff)
			}
		}
		if diff := gocmp.Diff(before, readOn(t, s, 0)); diff != "" {
			t.Errorf("the log (-before +after):\n%s", diff)
		}
		mustScavenge(t, s, 1000, 0)
		mustAppend(t, s, "deleted", 5, events(1)...)
		for stream, expected := range map[string]int64{"counted": 3, "cut": eventstore.NoStream, "deleted": 5} {
			if _, err := s.Append(t.Context(), stream, expected, events(1)); !eventstore.IsWrongRevision(err) {
				t.Errorf("append to %s, expecting %d: %v", stream, expected, err)
			}
		}
	})
	t.Run("the schema that knows of what was removed stays", func(t *testing.T) {
		t.Parallel()
		s, url, _ := archived(t)
		admin := connect(t, url)
		mustAppend(t, s, "task-1", eventstore.NoStream, events(6)...)
		if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxCount: 1}); err != nil {
			t.Fatal(err)
		}
		old(t, admin)
		mustScavenge(t, s, 1000, 5)
		var kept bool
		if err := admin.QueryRow(t.Context(), Schema.Downs[5].Kept).Scan(&kept); err != nil || !kept {
			t.Errorf("is kept: %v, %v", kept, err)
		}
		if err := Schema.To(t.Context(), url, 4); err == nil {
			t.Error("it was taken back")
		}
		if _, err := open(t, url, Options{}).Append(t.Context(), "task-1", eventstore.NoStream, events(1)); !eventstore.IsWrongRevision(err) {
			t.Errorf("a stream of which events were removed is taken for new: %v", err)
		}
	})
	t.Run("no more than asked for, a batch at a time", func(t *testing.T) {
		t.Parallel()
		s, url, _ := archived(t)
		admin := connect(t, url)
		for i := range 5 {
			mustAppend(t, s, fmt.Sprintf("task-%d", i), eventstore.NoStream, events(4)...)
			if err := s.Delete(t.Context(), fmt.Sprintf("task-%d", i), eventstore.Any); err != nil {
				t.Fatal(err)
			}
		}
		old(t, admin)
		for _, want := range []int64{4, 4, 4, 3, 0} {
			mustScavenge(t, s, 4, want)
		}
		if _, err := s.Scavenge(t.Context(), 0); err == nil {
			t.Error("a limit of 0 is accepted")
		}
	})
	t.Run("what was removed does not come back with another retention", func(t *testing.T) {
		t.Parallel()
		s, url, _ := archived(t)
		mustAppend(t, s, "task-1", eventstore.NoStream, events(6)...)
		if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{TruncateBefore: 3}); err != nil {
			t.Fatal(err)
		}
		old(t, connect(t, url))
		mustScavenge(t, s, 2, 2)
		if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{}); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff([]int64{2, 3, 4, 5}, revisionsOf(mustReadStream(t, s, "task-1", eventstore.ReadOptions{}).Events)); diff != "" {
			t.Errorf("revisions (-want +got):\n%s", diff)
		}
	})
	t.Run("a segment with nothing visible leaves the index, and its file when it is swept", func(t *testing.T) {
		t.Parallel()
		s, url, folder := archived(t)
		admin := connect(t, url)
		for _, stream := range []string{"task-1", "task-2"} {
			mustAppend(t, s, stream, eventstore.NoStream, events(6)...)
		}
		mustArchive(t, s, "task-1", "task-2")
		for i, stream := range []string{"task-1", "task-2"} {
			if err := s.Tombstone(t.Context(), stream, eventstore.Any); err != nil {
				t.Fatal(err)
			}
			mustExec(t, admin, `update log.segments set created_at = created_at - interval '2 days'`)
			mustScavenge(t, s, 100, 0)
			if stats, err := s.ArchiveStats(t.Context()); err != nil || stats.Segments != int64(1-i) {
				t.Errorf("after the end of %s the archive is %+v, %v", stream, stats, err)
			}
		}
		s.sweepAfter = 0
		if n, _, err := s.SweepArchive(t.Context()); n != 1 || err != nil || len(segmentsOf(t, folder)) != 0 {
			t.Errorf("%d objects were removed, %v", n, err)
		}
		if got := readOn(t, s, 0); len(got) != 0 {
			t.Errorf("the log is %v", got)
		}
	})
}

// Another process remembers where a stream is. That some of it is removed does not let it give a revision twice.
func TestScavenge_appendsGoOn(t *testing.T) {
	t.Parallel()
	s, url, _ := archived(t)
	other := open(t, url, Options{})
	mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
	mustAppend(t, other, "task-1", 1, events(4)...)
	if err := other.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxCount: 1}); err != nil {
		t.Fatal(err)
	}
	mustExec(t, connect(t, url), `update log.events set recorded_at = recorded_at - interval '2 days'`)
	mustScavenge(t, other, 100, 5)
	if _, err := s.Append(t.Context(), "task-1", 1, events(1)); !eventstore.IsWrongRevision(err) {
		t.Errorf("error is %v", err)
	}
	if r := mustAppend(t, s, "task-1", 5, events(1)...); r.Revision != 6 {
		t.Errorf("receipt is %+v", r)
	}
}

// Whatever is hidden, archived and removed in whatever order, readers see what they would see if nothing were ever
// removed.
func TestScavenge_changesNothingReadersSee(t *testing.T) {
	t.Parallel()
	moved, _, _ := archived(t)
	moved.scavengeAfter = 0
	both := &twin{whole: open(t, database(t), Options{}), moved: moved, forgetting: true}
	rapid.Check(t, func(t *rapid.T) {
		both.begin(t)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			both.step(t)
			if _, err := moved.Scavenge(context.Background(), rapid.IntRange(1, 10).Draw(t, "limit")); err != nil {
				t.Fatal(err)
			}
		}
		both.compare(t)
	})
}

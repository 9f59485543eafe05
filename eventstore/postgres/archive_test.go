package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
	"github.com/stepledger/stepledger/eventstore/storetest"
)

// archiving is a store whose streams are archived after each append, so that whatever is read or appended next
// meets the archive.
type archiving struct {
	*Store
	t    testing.TB
	busy *sync.Mutex
}

func (a archiving) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	r, err := a.Store.Append(ctx, stream, expected, events)
	if err == nil {
		a.archive(stream)
	}
	return r, err
}

// archive moves what a stream has. Of appends at the same time one archives.
func (a archiving) archive(stream string) {
	if !a.busy.TryLock() {
		return
	}
	defer a.busy.Unlock()
	_, err := a.Store.Archive(context.WithoutCancel(a.t.Context()), []string{stream})
	if err != nil && !errors.Is(err, errClosed) {
		a.t.Errorf("archive %s: %v", stream, err)
	}
}

func folderPlace(t testing.TB, folder string) archive.Place {
	t.Helper()
	p, err := archive.Open(folder, archive.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStore_archiving is the contract for a store that archives everything at once.
func TestStore_archiving(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Subject{
		Name: "postgres",
		Open: func(t testing.TB) eventstore.Store {
			return archiving{open(t, database(t), Options{Archive: folderPlace(t, t.TempDir())}), t, &sync.Mutex{}}
		},
		Log:  database,
		Dial: dial,
	})
}

// archived opens a store with an archive of its own.
func archived(t testing.TB) (s *Store, url, folder string) {
	t.Helper()
	url, folder = database(t), t.TempDir()
	return open(t, url, Options{Archive: folderPlace(t, folder)}), url, folder
}

func mustArchive(t testing.TB, s *Store, streams ...string) ArchiveReport {
	t.Helper()
	report, err := s.Archive(t.Context(), streams)
	if err != nil {
		t.Fatalf("archive %v: %v", streams, err)
	}
	return report
}

// segmentsOf lists the files in an archive.
func segmentsOf(t testing.TB, folder string) (paths []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestArchive(t *testing.T) {
	t.Parallel()
	t.Run("all but the last event leave the database, and are read as before", func(t *testing.T) {
		t.Parallel()
		s, url, folder := archived(t)
		for i := range 3 {
			mustAppend(t, s, fmt.Sprintf("task-%d", i), eventstore.NoStream, events(7)...)
		}
		before := readOn(t, s, 0)
		report := mustArchive(t, s, "task-0", "task-1", "task-none")
		if report.Streams != 2 || report.Events != 12 || report.Segments != 1 || report.Left != 1 || report.Bytes == 0 {
			t.Errorf("report is %+v", report)
		}
		var left int
		if err := connect(t, url).QueryRow(t.Context(), `select count(*) from log.events`).Scan(&left); err != nil || left != 9 {
			t.Errorf("%d events are in the database, %v; want 9", left, err)
		}
		if diff := cmp.Diff(before, readOn(t, s, 0)); diff != "" {
			t.Errorf("the log (-before +after):\n%s", diff)
		}
		if n := len(segmentsOf(t, folder)); n != 1 {
			t.Errorf("%d files are in the archive", n)
		}
		stats, err := s.ArchiveStats(t.Context())
		if want := (ArchiveStats{Segments: 1, Streams: 2, Events: 12, Bytes: report.Bytes}); err != nil || stats != want {
			t.Errorf("stats are %+v, %v; want %+v", stats, err, want)
		}
		for stream, want := range map[string]bool{"task-0": true, "task-2": false, "task-none": false} {
			if got, err := s.Archived(t.Context(), stream); err != nil || got != want {
				t.Errorf("%s is archived: %v, %v", stream, got, err)
			}
		}
	})
	t.Run("what was archived may not be archived again, what came since may", func(t *testing.T) {
		t.Parallel()
		s, _, _ := archived(t)
		mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
		mustArchive(t, s, "task-1")
		if report := mustArchive(t, s, "task-1"); report.Events != 0 || report.Left != 1 {
			t.Errorf("the second report is %+v", report)
		}
		mustAppend(t, s, "task-1", 4, events(3)...)
		before := readOn(t, s, 0)
		if report := mustArchive(t, s, "task-1", "task-1"); report.Events != 3 || report.Streams != 1 {
			t.Errorf("the third report is %+v", report)
		}
		if diff := cmp.Diff(before, readOn(t, s, 0)); diff != "" || len(before) != 8 {
			t.Errorf("the log (-before +after):\n%s", diff)
		}
	})
	t.Run("a stream larger than a segment is in several", func(t *testing.T) {
		t.Parallel()
		s, _, _ := archived(t)
		large := bytes.Repeat([]byte("x"), 900_000)
		for i := range int64(40) {
			e := event()
			e.Data = fmt.Appendf(nil, `{"n":%d,"text":%q}`, i, large)
			mustAppend(t, s, "task-1", i-1, e)
		}
		before := mustReadStream(t, s, "task-1", eventstore.ReadOptions{})
		report := mustArchive(t, s, "task-1")
		if report.Segments < 2 || report.Streams != 1 || report.Events != 39 {
			t.Errorf("report is %+v", report)
		}
		after := mustReadStream(t, s, "task-1", eventstore.ReadOptions{})
		if !reflect.DeepEqual(before, after) {
			t.Error("the stream is another than before")
		}
	})
	t.Run("what retention hides, and what is ended, is left", func(t *testing.T) {
		t.Parallel()
		s, _, folder := archived(t)
		for _, stream := range []string{"short", "deleted", "ended"} {
			mustAppend(t, s, stream, eventstore.NoStream, events(5)...)
		}
		err := errors.Join(
			s.SetRetention(t.Context(), "short", eventstore.Retention{MaxCount: 2}),
			s.Delete(t.Context(), "deleted", eventstore.Any), s.Tombstone(t.Context(), "ended", eventstore.Any))
		if err != nil {
			t.Fatal(err)
		}
		if report := mustArchive(t, s, "short", "deleted", "ended"); report.Left != 3 || report.Events != 0 {
			t.Errorf("report is %+v", report)
		}
		if files := segmentsOf(t, folder); len(files) > 0 {
			t.Errorf("the archive has %v", files)
		}
	})
	t.Run("a store without an archive does not archive", func(t *testing.T) {
		t.Parallel()
		s := open(t, database(t), Options{})
		mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
		_, err := s.Archive(t.Context(), []string{"task-1"})
		wantArchiveError(t, err, errNoArchive)
	})
	t.Run("two who archive the same move it once", func(t *testing.T) {
		t.Parallel()
		s, url, folder := archived(t)
		other := open(t, url, Options{Archive: folderPlace(t, folder)})
		for i := range 20 {
			mustAppend(t, s, fmt.Sprintf("task-%d", i), eventstore.NoStream, events(20)...)
		}
		before := readOn(t, s, 0)
		var archiving sync.WaitGroup
		var streams []string
		for i := range 20 {
			streams = append(streams, fmt.Sprintf("task-%d", i))
		}
		for _, store := range []*Store{s, other} {
			archiving.Go(func() {
				if _, err := store.Archive(t.Context(), streams); err != nil && !errors.Is(err, errMoved) {
					t.Errorf("archive: %v", err)
				}
			})
		}
		archiving.Wait()
		if diff := cmp.Diff(before, readOn(t, s, 0)); diff != "" {
			t.Errorf("the log (-before +after):\n%s", diff)
		}
		if stats, err := s.ArchiveStats(t.Context()); err != nil || stats.Events != 380 {
			t.Errorf("stats are %+v, %v", stats, err)
		}
	})
}

func mustReadStream(t testing.TB, s eventstore.Log, stream string, o eventstore.ReadOptions) eventstore.Slice {
	t.Helper()
	slice, err := s.ReadStream(bounded(t), stream, o)
	if err != nil {
		t.Fatal(err)
	}
	return slice
}

func wantArchiveError(t testing.TB, err, cause error) {
	t.Helper()
	var down *eventstore.UnavailableError
	var of *eventstore.ArchiveError
	if !errors.As(err, &down) || !errors.As(err, &of) || of.Segment == "" || !errors.Is(err, cause) {
		t.Errorf("error is %v, want an *ArchiveError of %v", err, cause)
	}
}

// Whoever remembers a stream, or takes it for new, relies on what the database has. What was moved is not there to
// object.
func TestArchive_appendsGoOn(t *testing.T) {
	t.Parallel()
	// Two processes: one of them archives, the other one appends by what it remembers.
	start := func(t *testing.T) (writer, mover *Store, in []eventstore.Proposed) {
		url, folder := database(t), t.TempDir()
		writer, mover = open(t, url, Options{Archive: folderPlace(t, folder)}), open(t, url, Options{Archive: folderPlace(t, folder)})
		in = events(4)
		for i, e := range in {
			mustAppend(t, writer, "task-1", int64(i)-1, e)
		}
		return writer, mover, in
	}
	t.Run("a stream is begun once", func(t *testing.T) {
		t.Parallel()
		_, mover, in := start(t)
		mustArchive(t, mover, "task-1")
		_, err := mover.Append(t.Context(), "task-1", eventstore.NoStream, events(1))
		if want := (&eventstore.WrongRevisionError{Stream: "task-1", Expected: eventstore.NoStream, Actual: 3}); !cmp.Equal(err, error(want)) {
			t.Errorf("error is %v, want %v", err, want)
		}
		wantOnce(t, mover, in)
	})
	t.Run("a revision that was moved is not given again", func(t *testing.T) {
		t.Parallel()
		writer, mover, in := start(t)
		more := events(3)
		mustAppend(t, mover, "task-1", 3, more...)
		mustArchive(t, mover, "task-1")
		_, err := writer.Append(t.Context(), "task-1", 3, events(1)) // which is where the writer left it
		if want := (&eventstore.WrongRevisionError{Stream: "task-1", Expected: 3, Actual: 6}); !cmp.Equal(err, error(want)) {
			t.Errorf("error is %v, want %v", err, want)
		}
		wantOnce(t, writer, append(in, more...))
	})
	t.Run("a repeat is recognized, whatever it expects", func(t *testing.T) {
		t.Parallel()
		writer, mover, in := start(t)
		mustArchive(t, mover, "task-1")
		for _, s := range []*Store{writer, mover} {
			for i, e := range in {
				for _, expected := range []int64{eventstore.Any, int64(i) - 1} {
					r, err := s.Append(t.Context(), "task-1", expected, []eventstore.Proposed{e})
					if err != nil || r.Revision != int64(i) {
						t.Errorf("the repeat of %d, expecting %d, gave %+v, %v", i, expected, r, err)
					}
				}
			}
			if r, err := s.Append(t.Context(), "task-1", eventstore.Any, in); err != nil || r.Revision != 3 {
				t.Errorf("the repeat of all gave %+v, %v", r, err)
			}
		}
		wantOnce(t, writer, in)
	})
	t.Run("an archived id is not given to another event", func(t *testing.T) {
		t.Parallel()
		writer, mover, in := start(t)
		mustArchive(t, mover, "task-1")
		other := event()
		other.ID = in[1].ID
		for _, expected := range []int64{eventstore.Any, 3, 0} {
			_, err := writer.Append(t.Context(), "task-1", expected, []eventstore.Proposed{other})
			if want := (&eventstore.IDConflictError{Stream: "task-1", ID: other.ID}); !cmp.Equal(err, error(want)) {
				t.Errorf("expecting %d the error is %v, want %v", expected, err, want)
			}
		}
		wantOnce(t, writer, in)
	})
	t.Run("what goes along with an append that turns out to be wrong is not there", func(t *testing.T) {
		t.Parallel()
		writer, mover, in := start(t)
		more := events(1)
		mustAppend(t, mover, "task-1", 3, more...)
		mustArchive(t, mover, "task-1")
		_, err := writer.AppendAlong(t.Context(), "task-1", 3, events(1), along())
		if !eventstore.IsWrongRevision(err) {
			t.Errorf("error is %v", err)
		}
		wantOnce(t, writer, append(in, more...))
	})
	for name, expected := range map[string]int64{"its revision": 3, "any revision": eventstore.Any} {
		t.Run("what goes along with an append to an archived stream is there once, with it, expecting "+name, func(t *testing.T) {
			t.Parallel()
			writer, mover, in := start(t)
			mustArchive(t, mover, "task-1")
			more, beside := events(1), events(1)
			if r, err := writer.AppendAlong(t.Context(), "task-1", expected, more, Along{Beside: []Beside{{Stream: "session-2", At: eventstore.NoStream, Events: beside}}}); err != nil || r.Revision != 4 {
				t.Fatalf("%+v, %v", r, err)
			}
			got := append(mustReadStream(t, writer, "task-1", eventstore.ReadOptions{}).Events, mustReadStream(t, writer, "session-2", eventstore.ReadOptions{}).Events...)
			if n := len(in); len(got) != n+2 || got[n].ID != more[0].ID || got[n+1].ID != beside[0].ID {
				t.Errorf("the streams: %+v", got)
			}
		})
	}
	t.Run("an archived stream goes on, also where it is remembered", func(t *testing.T) {
		t.Parallel()
		writer, mover, in := start(t)
		for i := range 6 {
			mustArchive(t, mover, "task-1")
			more := events(2)
			if r := mustAppend(t, writer, "task-1", int64(3+2*i), more...); r.Revision != int64(5+2*i) {
				t.Fatalf("receipt %d is %+v", i, r)
			}
			in = append(in, more...)
		}
		wantOnce(t, writer, in)
	})
}

func TestArchive_trouble(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (url, folder string, live int64) {
		s, url, folder := archived(t)
		mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
		mustArchive(t, s, "task-1")
		return url, folder, mustAppend(t, s, "live-1", eventstore.NoStream, events(3)...).Position
	}
	read := func(t *testing.T, s *Store, cause error) {
		t.Helper()
		_, err := s.ReadStream(t.Context(), "task-1", eventstore.ReadOptions{})
		wantArchiveError(t, err, cause)
		_, err = s.ReadAll(t.Context(), 0, 0, eventstore.Filter{})
		wantArchiveError(t, err, cause)
		_, err = s.Append(t.Context(), "task-1", eventstore.Any, events(1))
		wantArchiveError(t, err, cause)
		if slice := mustReadStream(t, s, "live-1", eventstore.ReadOptions{}); len(slice.Events) != 3 {
			t.Errorf("the live stream is %+v", slice)
		}
		if slice := mustReadStream(t, s, "task-1", eventstore.ReadOptions{From: 4}); len(slice.Events) != 1 {
			t.Errorf("the live end is %+v", slice)
		}
		mustAppend(t, s, "live-1", 2, events(1)...)
	}
	t.Run("a process without an archive", func(t *testing.T) {
		t.Parallel()
		url, _, _ := start(t)
		read(t, open(t, url, Options{}), errNoArchive)
	})
	t.Run("a segment that is gone", func(t *testing.T) {
		t.Parallel()
		url, folder, _ := start(t)
		for _, path := range segmentsOf(t, folder) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		read(t, open(t, url, Options{Archive: folderPlace(t, folder)}), archive.ErrNotFound)
	})
	t.Run("a segment with one bit changed", func(t *testing.T) {
		t.Parallel()
		url, folder, _ := start(t)
		path := segmentsOf(t, folder)[0]
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/3] ^= 1
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, url, Options{Archive: folderPlace(t, folder)})
		read(t, s, errChecksum)
		var found int
		for segment, err := range s.VerifyArchive(t.Context(), 0) {
			found++
			wantArchiveError(t, err, errChecksum)
			if filepath.Base(segment.Object) != filepath.Base(path) {
				t.Errorf("the segment is %+v", segment)
			}
		}
		if found != 1 {
			t.Errorf("%d segments were verified", found)
		}
	})
	t.Run("an archive that stores something else", func(t *testing.T) {
		t.Parallel()
		url, folder := database(t), t.TempDir()
		s := open(t, url, Options{Archive: lossy{folderPlace(t, folder)}})
		mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
		_, err := s.Archive(t.Context(), []string{"task-1"})
		wantArchiveError(t, err, errChecksum)
		if got := readOn(t, open(t, url, Options{}), 0); len(got) != 5 {
			t.Errorf("%d events are left in the database", len(got))
		}
	})
}

// lossy is a place that says it has stored what it has not.
type lossy struct{ archive.Place }

func (l lossy) Put(ctx context.Context, name string, content []byte) error {
	return l.Place.Put(ctx, name, content[:len(content)-1])
}

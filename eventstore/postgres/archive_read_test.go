package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore"
)

// TestArchive_whileOthersAreAtIt has writers, readers from everywhere and one who archives at the same time: nobody
// loses, repeats or reorders an event.
func TestArchive_whileOthersAreAtIt(t *testing.T) {
	t.Parallel()
	s, url, folder := archived(t)
	st := startStorm(s, 6)
	st.goOn(t, 300)
	var archiving, following sync.WaitGroup
	var end atomic.Int64 // of the log, once nobody writes any more
	mover := open(t, url, Options{Archive: folderPlace(t, folder)})
	far := make(chan struct{}) // closed once the archive came far, or ends before
	archiving.Go(func() {
		come := sync.OnceFunc(func() { close(far) })
		defer come()
		for rounds, moved := 0, 0; end.Load() == 0; {
			streams, err := streamsOf(t.Context(), mover)
			if err == nil {
				var r ArchiveReport
				r, err = mover.Archive(t.Context(), streams)
				moved += r.Events
			}
			switch {
			case err == nil:
				rounds++
			case !toBeTriedAgain(err):
				t.Errorf("archive: %v", err)
				return
			}
			if rounds > 5 && moved >= 100 {
				come()
			}
		}
	})
	began := headOf(t, s)
	followed := make([][]eventstore.Recorded, 6)
	from := make([]int64, len(followed))
	for i := range followed {
		reader := open(t, url, Options{Archive: folderPlace(t, folder)})
		from[i] = began * int64(i) / int64(len(followed))
		following.Go(func() {
			for after := from[i]; end.Load() == 0 || after < end.Load(); {
				p, err := reader.ReadAll(t.Context(), after, 37+i, eventstore.Filter{})
				if toBeTriedAgain(err) {
					continue
				}
				if err != nil {
					t.Errorf("read after %d: %v", after, err)
					return
				}
				followed[i], after = append(followed[i], p.Events...), p.Scanned
			}
		})
	}
	<-far // however long that takes on a busy machine
	st.end()
	end.Store(headOf(t, s))
	archiving.Wait()
	following.Wait()
	for i, got := range followed {
		if diff := gocmp.Diff(readOn(t, s, from[i]), got); diff != "" || len(got) == 0 {
			t.Errorf("from %d on %d events are another log than is read afterwards", from[i], len(got))
		}
	}
	wantOnce(t, s, st.acked)
	if stats, err := s.ArchiveStats(t.Context()); err != nil || stats.Events < 100 {
		t.Errorf("stats are %+v, %v: little was archived", stats, err)
	}
}

// toBeTriedAgain is so of a statement that was too slow beside the others, not of a segment
// that cannot be read.
func toBeTriedAgain(err error) bool {
	var unavailable *eventstore.UnavailableError
	var segment *eventstore.ArchiveError
	return errors.As(err, &unavailable) && !errors.As(err, &segment)
}

// streamsOf lists the streams that have events.
func streamsOf(ctx context.Context, s *Store) (streams []string, err error) {
	rows, err := s.readers.Query(ctx, `select distinct stream from log.events`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var stream string
		if err := rows.Scan(&stream); err != nil {
			return nil, err
		}
		streams = append(streams, stream)
	}
	return streams, rows.Err()
}

// TestArchive_readsAsIfNothingWereArchived compares two logs with the same appends, of which one is archived now and
// then, in every way of reading.
func TestArchive_readsAsIfNothingWereArchived(t *testing.T) {
	t.Parallel()
	moved, _, _ := archived(t)
	whole := open(t, database(t), Options{})
	both := &twin{whole: whole, moved: moved}
	rapid.Check(t, func(t *rapid.T) {
		both.begin(t)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			both.step(t)
		}
		both.compare(t)
	})
}

type twin struct {
	whole, moved *Store
	// forgetting says that hidden events are removed, so that a retention may only be made stricter.
	forgetting bool
	runs       int
	streams    []string
	heads, cut map[string]int64 // where streams are, and before what they were cut
	after      int64            // the end of the log before the run
}

func (w *twin) begin(t *rapid.T) {
	w.runs++
	w.heads = make(map[string]int64)
	w.streams, w.cut = nil, make(map[string]int64)
	for _, kind := range []string{"task", "task", "usage"} {
		name := fmt.Sprintf("%s-%d-%d", kind, w.runs, len(w.streams))
		w.streams, w.heads[name] = append(w.streams, name), eventstore.NoRevision
	}
	var err error
	if w.after, err = w.whole.Head(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func (w *twin) step(t *rapid.T) {
	ctx := context.Background()
	stream := rapid.SampledFrom(w.streams).Draw(t, "stream")
	same := func(first, second error) {
		if diff := gocmp.Diff(portError(first), portError(second)); diff != "" {
			t.Fatalf("error (-whole +archived):\n%s", diff)
		}
	}
	switch rapid.SampledFrom([]string{"append", "append", "append", "archive", "archive", "keep", "delete"}).Draw(t, "step") {
	case "append":
		in := events(rapid.IntRange(1, 5).Draw(t, "events"))
		for i := range in {
			in[i].Type = fmt.Sprintf("test.happened%d.v1", i%2)
		}
		r, err := w.whole.Append(ctx, stream, w.heads[stream], in)
		_, again := w.moved.Append(ctx, stream, w.heads[stream], in)
		same(err, again)
		w.heads[stream] = r.Revision
	case "archive":
		if _, err := w.moved.Archive(ctx, w.streams[:rapid.IntRange(1, 3).Draw(t, "streams")]); err != nil {
			t.Fatal(err)
		}
	case "keep":
		keep := eventstore.Retention{TruncateBefore: rapid.Int64Range(0, 9).Draw(t, "truncate before")}
		if w.forgetting {
			keep.TruncateBefore = max(keep.TruncateBefore, w.cut[stream])
		} else {
			keep.MaxCount = rapid.Int64Range(0, 9).Draw(t, "max count")
		}
		w.cut[stream] = keep.TruncateBefore
		same(w.whole.SetRetention(ctx, stream, keep), w.moved.SetRetention(ctx, stream, keep))
	case "delete":
		same(w.whole.Delete(ctx, stream, eventstore.Any), w.moved.Delete(ctx, stream, eventstore.Any))
	}
}

// compare reads every stream and the log in every way. Clocks and ids of logs differ.
func (w *twin) compare(t *rapid.T) {
	ctx := context.Background()
	for _, stream := range w.streams {
		for from := eventstore.End; from <= w.heads[stream]+1; from++ {
			for _, direction := range []eventstore.Direction{eventstore.Forwards, eventstore.Backwards} {
				if from < 0 && direction == eventstore.Forwards {
					continue
				}
				o := eventstore.ReadOptions{From: from, Direction: direction, Limit: rapid.IntRange(0, 6).Draw(t, "limit")}
				want, err1 := w.whole.ReadStream(ctx, stream, o)
				got, err2 := w.moved.ReadStream(ctx, stream, o)
				if diff := gocmp.Diff(timeless(want), timeless(got)); diff != "" || err1 != nil || err2 != nil {
					t.Fatalf("read %+v of %s, %v, %v (-whole +archived):\n%s", o, stream, err1, err2, diff)
				}
			}
		}
	}
	for _, f := range []eventstore.Filter{{}, {Categories: []string{"usage"}}, {Types: []string{"test.happened1.v1"}}} {
		from := w.after + rapid.Int64Range(0, 20).Draw(t, "after")
		limit := rapid.IntRange(1, 9).Draw(t, "page")
		want, err1 := pages(ctx, w.whole, from, limit, f)
		got, err2 := pages(ctx, w.moved, from, limit, f)
		if diff := gocmp.Diff(want, got); diff != "" || err1 != nil || err2 != nil {
			t.Fatalf("read after %d of %+v, %v, %v (-whole +archived):\n%s", from, f, err1, err2, diff)
		}
	}
}

// pages reads the log page by page to its end.
func pages(ctx context.Context, s *Store, after int64, limit int, f eventstore.Filter) (out []eventstore.Page, err error) {
	for {
		p, err := s.ReadAll(ctx, after, limit, f)
		if err != nil || p.Scanned == after {
			return out, err
		}
		after = p.Scanned
		p.Events = slices.Clone(p.Events)
		p.Log = ""
		for i := range p.Events {
			p.Events[i].RecordedAt = time.Time{}
		}
		out = append(out, p)
	}
}

func timeless(s eventstore.Slice) eventstore.Slice {
	s.Log = ""
	s.Events = slices.Clone(s.Events)
	for i := range s.Events {
		s.Events[i].RecordedAt = time.Time{}
	}
	return s
}

// Age hides archived events as it hides others.
func TestArchive_age(t *testing.T) {
	t.Parallel()
	s, url, _ := archived(t)
	admin := connect(t, url)
	mustAppend(t, s, "task-1", eventstore.NoStream, events(10)...)
	mustExec(t, admin, `update log.events set recorded_at = now() - interval '1 hour' * (10 - revision)`)
	mustArchive(t, s, "task-1")
	for _, c := range []struct {
		age   time.Duration
		first int64
	}{{24 * time.Hour, 0}, {5*time.Hour + 30*time.Minute, 5}, {90 * time.Minute, 9}, {time.Minute, 10}} {
		if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxAge: c.age}); err != nil {
			t.Fatal(err)
		}
		want := revisionsFrom(c.first, 10)
		forwards := revisionsOf(mustReadStream(t, s, "task-1", eventstore.ReadOptions{}).Events)
		backwards := revisionsOf(mustReadStream(t, s, "task-1", eventstore.ReadOptions{From: eventstore.End, Direction: eventstore.Backwards}).Events)
		slices.Reverse(backwards)
		all := revisionsOf(readOn(t, s, 0))
		for way, got := range map[string][]int64{"forwards": forwards, "backwards": backwards, "all": all} {
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s with an age of %v (-want +got):\n%s", way, c.age, diff)
			}
		}
	}
}

func revisionsFrom(first, end int64) (out []int64) {
	for r := first; r < end; r++ {
		out = append(out, r)
	}
	return out
}

func revisionsOf(events []eventstore.Recorded) (out []int64) {
	for _, e := range events {
		out = append(out, e.Revision)
	}
	return out
}

package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
)

func TestSweepArchive(t *testing.T) {
	t.Parallel()
	s, _, folder := archived(t)
	mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
	mustArchive(t, s, "task-1")
	before := readOn(t, s, 0)
	named := segmentsOf(t, folder)
	orphan := filepath.Join(filepath.Dir(named[0]), "orphan.parquet")
	stranger := filepath.Join(folder, "another-log", "segment.parquet")
	if err := errors.Join(os.WriteFile(orphan, []byte("12345"), 0o600), os.Mkdir(filepath.Dir(stranger), 0o700), os.WriteFile(stranger, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if n, _, err := s.SweepArchive(t.Context()); n != 0 || err != nil {
		t.Errorf("%d young objects were removed, %v", n, err)
	}
	long := time.Now().Add(-25 * time.Hour)
	for _, path := range []string{orphan, stranger, named[0]} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if n, size, err := s.SweepArchive(t.Context()); n != 1 || size != 5 || err != nil {
		t.Errorf("%d objects of %d bytes were removed, %v", n, size, err)
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Errorf("another log's object: %v", err)
	}
	s.segments = newRemembered[*archive.Segment](1)
	if diff := cmp.Diff(before, readOn(t, s, 0)); diff != "" {
		t.Errorf("the log (-before +after):\n%s", diff)
	}
}

// A copy of a log does not name what the other one has archived since, and sweeps nothing of it.
func TestSweepArchive_OfACopy(t *testing.T) {
	t.Parallel()
	s, url, folder := archived(t)
	mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
	mustArchive(t, s, "task-1")
	id := mustID(t, s)
	mustExec(t, connect(t, url), `insert into log.epoch (epoch, word, incarnation, began_at, noticed_at)
		select 2, 7, incarnation, (select max(position) from log.events), now() - interval '3 days' from log.epoch`)
	copied := open(t, url, Options{Archive: folderPlace(t, folder)})
	mustAppend(t, copied, "task-2", eventstore.NoStream, events(5)...)
	mustArchive(t, copied, "task-2")
	if own := segmentsOf(t, filepath.Join(folder, mustID(t, copied), "..")); len(own) != 2 {
		t.Fatalf("segments: %q", own)
	}
	other := filepath.Join(folder, id, "other.parquet")
	for written, refused := range map[time.Duration]bool{-4 * 24 * time.Hour: false, -2 * 24 * time.Hour: true} {
		if err := os.WriteFile(other, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(written)
		if err := os.Chtimes(other, at, at); err != nil {
			t.Fatal(err)
		}
		n, _, err := copied.SweepArchive(t.Context())
		var shared *SharedArchiveError
		if errors.As(err, &shared) != refused || (n == 1) == refused {
			t.Errorf("written %s before now: %d were removed, %v", -written, n, err)
		}
	}
}

func TestVerifyArchive(t *testing.T) {
	t.Parallel()
	s, url, _ := archived(t)
	for i := range 4 {
		stream := fmt.Sprintf("task-%d", i)
		mustAppend(t, s, stream, eventstore.NoStream, events(5)...)
		mustArchive(t, s, stream)
	}
	verify := func() (wrong []int64) {
		var ids []int64
		for segment, err := range s.VerifyArchive(t.Context(), 0) {
			ids = append(ids, segment.ID)
			if err != nil {
				wrong = append(wrong, segment.ID)
			}
		}
		if len(ids) != 4 || !slices.IsSorted(ids) {
			t.Errorf("the segments %v were verified", ids)
		}
		return wrong
	}
	if wrong := verify(); wrong != nil {
		t.Errorf("something speaks against %v", wrong)
	}
	mustExec(t, connect(t, url), `update log.archived set first_row = 1, to_revision = 2 where stream = 'task-2'`)
	if wrong := verify(); len(wrong) != 1 {
		t.Errorf("something speaks against %v, want the one whose index is wrong", wrong)
	}
}

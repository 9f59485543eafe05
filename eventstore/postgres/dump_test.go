package postgres

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// A dump, taken while many write and restored into a new cluster, is the log as it
// was at one moment, and goes on as the same log.
func TestDumpAndRestore(t *testing.T) {
	t.Parallel()
	old := pgtest.StartServer(t, pgtest.ServerDir(t))
	if err := Migrate(t.Context(), old.URL()); err != nil {
		t.Fatal(err)
	}
	pgDump, pgRestore := pgtest.Program(t, old.URL(), "pg_dump"), pgtest.Program(t, old.URL(), "pg_restore")
	source := open(t, old.URL(), Options{})
	first := events(3)
	receipt := mustAppend(t, source, "first", eventstore.NoStream, first...)
	mustAppend(t, source, "short", eventstore.NoStream, events(9)...)
	if err := source.SetRetention(t.Context(), "short", eventstore.Retention{MaxCount: 2}); err != nil {
		t.Fatal(err)
	}
	if err := source.Tombstone(t.Context(), "ended", eventstore.NoStream); err != nil {
		t.Fatal(err)
	}
	st := startStorm(source, 8)
	st.goOn(t, 200)
	checkpoint := headOf(t, source)
	dump := filepath.Join(pgtest.ServerDir(t), "dump")
	run(t, pgDump, "--format=custom", "--file="+dump, old.URL())
	st.end()
	before := readOn(t, source, 0)

	fresh := pgtest.StartServer(t, pgtest.ServerDir(t)).URL() // which counts its transactions from the beginning
	run(t, pgRestore, "--exit-on-error", "--dbname="+fresh, dump)
	if err := Migrate(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	s := open(t, fresh, Options{})
	restored := readOn(t, s, 0)
	if len(restored) < 400 || len(restored) > len(before) {
		t.Fatalf("%d events of %d were restored", len(restored), len(before))
	}
	if diff := cmp.Diff(before[:len(restored)], restored); diff != "" {
		t.Errorf("events (-in the old cluster +in the new):\n%s", diff)
	}
	id, err := source.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What the old cluster has more is not in the new one.
	for position, want := range map[int64]bool{checkpoint: true, headOf(t, s): true, headOf(t, s) + 1: false, headOf(t, source): false} {
		now, goesOn, err := eventstore.GoesOn(t.Context(), s, id, position)
		if err != nil || goesOn != want || eventstore.EpochNumber(now) != 2 {
			t.Errorf("in the log %s a follower at %d goes on: %v, %v; want %v", now, position, goesOn, err, want)
		}
	}

	// Those who had read the old one go on in the new one.
	head := headOf(t, s)
	f := startFollower(t, s)
	receipt.Log = mustID(t, s)
	if again := mustAppend(t, s, "first", eventstore.NoStream, first...); again != receipt {
		t.Errorf("repeated: receipt is %+v, want %+v", again, receipt)
	}
	more := mustAppend(t, s, "first", receipt.Revision, events(1)...)
	if more.Position <= head {
		t.Errorf("position %d comes after %d", more.Position, head)
	}
	want := slices.DeleteFunc(restored, func(e eventstore.Recorded) bool { return e.Position <= checkpoint })
	rest := readOn(t, s, checkpoint)
	if diff := cmp.Diff(want, rest[:len(rest)-1]); diff != "" || rest[len(rest)-1].Position != more.Position {
		t.Errorf("a reader that goes on after %d is handed (-want +got):\n%s", checkpoint, diff)
	}
	_, err = s.Append(t.Context(), "ended", eventstore.NoStream, events(1))
	if diff := cmp.Diff(error(&eventstore.DeletedError{Stream: "ended"}), err); diff != "" {
		t.Errorf("an ended stream (-want +got):\n%s", diff)
	}
	f.wantAll(t, s)
}

// A dump restored in place of its log, under a process that goes on: what that
// process remembers of the streams is of a log that is no more.
func TestRestoreInPlace(t *testing.T) {
	t.Parallel()
	server := pgtest.StartServer(t, pgtest.ServerDir(t))
	address, err := server.Database(t.Context(), "app")
	if err != nil {
		t.Fatal(err)
	}
	if err := Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	pgDump, pgRestore := pgtest.Program(t, address, "pg_dump"), pgtest.Program(t, address, "pg_restore")
	s := open(t, address, Options{Timeout: patience})
	kept := events(3)
	mustAppend(t, s, "task-1", eventstore.NoStream, kept...)
	dump := filepath.Join(pgtest.ServerDir(t), "dump")
	run(t, pgDump, "--format=custom", "--file="+dump, address)
	mustAppend(t, s, "task-1", 2, events(2)...) // will be lost

	admin := connect(t, server.URL())
	mustExec(t, admin, `drop database app with (force)`)
	mustExec(t, admin, `create database app`)
	for _, section := range []string{"pre-data", "data", "post-data"} {
		run(t, pgRestore, "--exit-on-error", "--section="+section, "--dbname="+address, dump)
		if section != "post-data" { // it is not the log yet: an epoch begun in it would stand in the way of those that come
			c := connect(t, address)
			if err := s.meet(t.Context(), c, true); err == nil {
				t.Errorf("a writer has met the log after %s", section)
			}
		}
	}
	next := event()
	if r := mustAppend(t, s, "task-1", eventstore.Any, next); r.Revision != 3 {
		t.Errorf("revision is %d, want 3", r.Revision)
	}
	wantOnce(t, s, append(kept, next))
	if known, head := s.news.known(), headOf(t, s); known > head {
		t.Errorf("the log is believed to reach %d, beyond its head %d: no wait would last", known, head)
	}
}

func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(bounded(t), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

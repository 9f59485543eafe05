package postgres

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// A copied database is met by many processes at once: one of them begins the epoch,
// for all of them, before any of them appends, and all hear of it.
func TestEpoch_BegunOnce(t *testing.T) {
	t.Parallel()
	address := database(t)
	s := open(t, address, Options{})
	mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
	head, id := headOf(t, s), mustID(t, s)
	s.Close()
	copied := copyDatabase(t, address)
	var mu sync.Mutex
	heard := map[eventstore.Epoch]int{}
	ids := map[string]bool{}
	var running sync.WaitGroup
	for range 6 {
		running.Go(func() {
			s, err := Open(t.Context(), copied, Options{Timeout: patience, OnEpoch: func(e eventstore.Epoch) {
				mu.Lock()
				defer mu.Unlock()
				heard[e]++
			}})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			now, err := s.ID(t.Context())
			if _, appended := s.Append(t.Context(), "task-"+domain.NewUUID(), eventstore.NoStream, events(1)); err != nil || appended != nil {
				t.Error(err, appended)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[now] = true
		})
	}
	running.Wait()
	if len(heard) != 1 || len(ids) != 1 || ids[id] {
		t.Errorf("epochs heard of: %+v; the log is called %v, was %s", heard, ids, id)
	}
	for e, stores := range heard {
		if e.Number != 2 || e.BeganAt != head || stores < 6 {
			t.Errorf("%d stores heard of %+v, want 6 or more of epoch 2 at %d", stores, e, head)
		}
	}
	again := open(t, copied, Options{})
	if !ids[mustID(t, again)] {
		t.Errorf("opened once more it is %s", mustID(t, again))
	}
	again.Close()
	if original := open(t, address, Options{}); mustID(t, original) != id {
		t.Error("the original has another id as well")
	}
}

func mustID(t testing.TB, s *Store) string {
	t.Helper()
	id, err := s.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// copyDatabase gives a copy of a database nobody is connected to.
func copyDatabase(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	admin := connect(t, pgtest.AdminURL(t))
	mustExec(t, admin, `create database `+name+`_copy template `+name)
	t.Cleanup(func() {
		if _, err := admin.Exec(context.Background(), `drop database `+name+`_copy with (force)`); err != nil {
			t.Error(err)
		}
	})
	u.Path += "_copy"
	return u.String()
}

// A user without any special right can tell histories of the log apart.
func TestEpoch_OrdinaryRole(t *testing.T) {
	t.Parallel()
	address := database(t)
	name := "sl_ordinary_" + strings.ReplaceAll(domain.NewUUID(), "-", "")[:12]
	admin := connect(t, pgtest.AdminURL(t))
	mustExec(t, admin, `create role `+name+` login`)
	c := connect(t, address)
	mustExec(t, c, `grant usage on schema log to `+name)
	mustExec(t, c, `grant select, insert, update on all tables in schema log to `+name)
	mustExec(t, c, `grant all on all sequences in schema log to `+name)
	t.Cleanup(func() {
		_, owned := c.Exec(context.Background(), `drop owned by `+name)
		_, dropped := admin.Exec(context.Background(), `drop role `+name)
		if err := errors.Join(owned, dropped); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(name)
	s := open(t, u.String(), Options{})
	mustAppend(t, s, "task-1", eventstore.NoStream, events(1)...)
	if n := eventstore.EpochNumber(mustID(t, s)); n != 1 {
		t.Errorf("epoch %d", n)
	}
	s.Close()
}

// A restart begins no epoch. A disk put back from a snapshot looks like a restart:
// a process that has seen more of the log than there is begins one.
func TestEpoch_Snapshot(t *testing.T) {
	t.Parallel()
	dir := pgtest.ServerDir(t)
	server := pgtest.StartServer(t, dir)
	if err := Migrate(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	s := open(t, server.URL(), Options{Timeout: patience})
	kept := events(3)
	mustAppend(t, s, "task-1", eventstore.NoStream, kept...)
	id, head := mustID(t, s), headOf(t, s)
	stop := func() {
		t.Helper()
		if err := server.Stop(bounded(t)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	snapshot := filepath.Join(pgtest.ServerDir(t), "snapshot")
	if err := os.CopyFS(snapshot, os.DirFS(filepath.Join(dir, "pgdata"))); err != nil {
		t.Fatal(err)
	}
	server = pgtest.StartServer(t, dir)
	mustAppend(t, s, "task-1", 2, events(2)...) // will be lost
	if now := mustID(t, s); now != id {
		t.Fatalf("after a restart the log is %s, was %s", now, id)
	}
	stop()
	if err := os.RemoveAll(filepath.Join(dir, "pgdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "pgdata"), os.DirFS(snapshot)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "pgdata"), 0o700); err != nil {
		t.Fatal(err)
	}
	pgtest.GiveLike(t, filepath.Join(dir, "pgdata"), filepath.Join(dir, "stepledger.lock"))
	if err := os.Remove(filepath.Join(dir, "pgdata", "stepledger.lock")); err != nil {
		t.Fatal(err)
	}
	pgtest.StartServer(t, dir)
	next := event()
	if r := mustAppend(t, s, "task-1", eventstore.Any, next); r.Revision != 3 {
		t.Errorf("revision is %d, want 3", r.Revision)
	}
	wantOnce(t, s, slices.Concat(kept, []eventstore.Proposed{next}))
	for position, want := range map[int64]bool{head: true, head + 1: false} {
		now, goesOn, err := eventstore.GoesOn(t.Context(), s, id, position)
		if err != nil || goesOn != want || now == id {
			t.Errorf("in the log %s a follower of %s at %d goes on: %v, %v; want %v", now, id, position, goesOn, err, want)
		}
	}
}

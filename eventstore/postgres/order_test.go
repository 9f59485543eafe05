package postgres

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// A transaction that draws its position early and commits late is what readers of
// Postgres logs have lost events to. Here it plays another process, on the very
// statements of an append, stopped between its insert and its commit.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	url := database(t)
	s, reader := open(t, url, Options{}), open(t, url, Options{})
	early, late, after := events(1), event(), events(8)
	if _, err := s.Append(t.Context(), "early", eventstore.NoStream, early); err != nil {
		t.Fatal(err)
	}
	tx := holdAppend(t, connect(t, url), "late", late)

	var writers sync.WaitGroup
	for i, e := range after {
		writers.Go(func() {
			if _, err := s.Append(bounded(t), fmt.Sprintf("after-%d", i), eventstore.NoStream, []eventstore.Proposed{e}); err != nil {
				t.Errorf("append: %v", err)
			}
		})
	}
	waitForLock(t, connect(t, url))
	// The reader polls while the late one is in flight and others wait behind it.
	seen, position := poll(t, reader, 0)
	if len(seen) != 1 || seen[0] != early[0].ID {
		t.Fatalf("the reader was given %v, want the early event only", seen)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	writers.Wait()
	rest, _ := poll(t, reader, position)
	if len(rest) != 1+len(after) || rest[0] != late.ID {
		t.Errorf("the reader was given %v after the late commit, want %s first of %d", rest, late.ID, 1+len(after))
	}
	wantOnce(t, reader, append(append(early, late), after...))
}

// The same interleaving without the lock loses the late event: this is what
// TestLateCommit would look like if it failed.
func TestLateCommit_withoutTheLock(t *testing.T) {
	t.Parallel()
	url := database(t)
	late, other := connect(t, url), connect(t, url)
	mustExec(t, other, `create table naive (position bigint generated always as identity primary key, name text not null)`)
	tx, err := late.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `insert into naive (name) values ('late')`); err != nil {
		t.Fatal(err)
	}
	mustExec(t, other, `insert into naive (name) values ('other')`)
	read := func(after int64) (names []string, last int64) {
		rows, _ := other.Query(t.Context(), `select name, position from naive where position > $1 order by position`, after)
		var name string
		if _, err := pgx.ForEachRow(rows, []any{&name, &last}, func() error {
			names = append(names, name)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return names, max(last, after)
	}
	first, position := read(0)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, _ := read(position)
	if len(first) != 1 || first[0] != "other" || len(second) != 0 {
		t.Errorf("a naive reader saw %v and then %v; it was to miss the late one", first, second)
	}
}

// holdAppend runs the statements of an append and does not commit.
func holdAppend(t testing.TB, c *pgx.Conn, stream string, e eventstore.Proposed) pgx.Tx {
	t.Helper()
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var id pgtype.UUID
	if err := id.Scan(e.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), goOnOneSQL, stream, 0, id, e.Type, []byte(e.Data), []byte(e.Meta), 0); err != nil {
		t.Fatalf("append of the other process: %v", err)
	}
	return tx
}

// waitForLock returns once an append waits at the lock.
func waitForLock(t testing.TB, c *pgx.Conn) {
	t.Helper()
	eventually(t, "an append waits for the lock", func() bool {
		var waiting bool
		err := c.QueryRow(t.Context(), `
			select exists (select from pg_locks where locktype = 'advisory' and not granted
			               and database = (select oid from pg_database where datname = current_database()))`).Scan(&waiting)
		return err == nil && waiting
	})
}

// poll reads on from a position to the end.
func poll(t testing.TB, s *Store, after int64) (ids []string, position int64) {
	t.Helper()
	for {
		p, err := s.ReadAll(t.Context(), after, 3, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Events {
			ids = append(ids, e.ID)
		}
		if p.Scanned == after {
			return ids, after
		}
		after = p.Scanned
	}
}

// Three processes' worth of writers, and a reader that polls as fast as it can and
// never looks back.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 100
	url := database(t)
	reader := open(t, url, Options{})
	stores := []*Store{open(t, url, Options{}), open(t, url, Options{}), open(t, url, Options{})}
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()

	var appending sync.WaitGroup
	all := make([][]eventstore.Proposed, writers)
	for w := range writers {
		all[w] = events(each)
		appending.Go(func() {
			for i, e := range all[w] {
				// Half of the writers share streams across processes.
				stream := fmt.Sprintf("task-%d", w%8)
				if _, err := stores[(w+i)%len(stores)].Append(ctx, stream, eventstore.Any, []eventstore.Proposed{e}); err != nil {
					t.Errorf("append: %v", err)
					return
				}
			}
		})
	}
	var seen []string
	var polling sync.WaitGroup
	polling.Go(func() {
		for after := int64(0); len(seen) < writers*each && ctx.Err() == nil; {
			p, err := reader.ReadAll(ctx, after, 7, eventstore.Filter{})
			if err != nil {
				t.Errorf("read: %v", err)
				return
			}
			for _, e := range p.Events {
				seen = append(seen, e.ID)
			}
			after = p.Scanned
		}
	})
	appending.Wait()
	if t.Failed() {
		cancel()
	}
	polling.Wait()
	var want []eventstore.Proposed
	for _, in := range all {
		want = append(want, in...)
	}
	if len(seen) != len(want) {
		t.Errorf("the reader saw %d events of %d", len(seen), len(want))
	}
	wantOnce(t, reader, want)
}

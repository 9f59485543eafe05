package postgres

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/eventstore"
)

// Transactions of others that begin and do not end. Whatever decides by snapshots
// or by transaction ids what may be read stands still with them.
func TestStuckTransactions(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string][]string{
		"one that has written elsewhere": {
			`begin`, `insert into elsewhere values (1)`,
		},
		"one that keeps a snapshot": {
			`begin isolation level repeatable read`, `select * from log.events`, `insert into elsewhere values (1)`,
		},
		"one that has locked another table": {
			`begin`, `lock table elsewhere in access exclusive mode`,
		},
		"one that has locked the log against changes of its schema": {
			`begin`, `lock table log.events, log.retention in access share mode`,
		},
		"one that has failed": {
			`begin`, `insert into elsewhere values (1)`, `select 1/0`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			s, other := open(t, url, Options{}), open(t, url, Options{})
			early := events(1)
			mustAppend(t, s, "early", eventstore.NoStream, early...)
			stuck := connect(t, url)
			mustExec(t, stuck, `create table elsewhere (n int)`)
			for _, sql := range begin {
				_, _ = stuck.Exec(t.Context(), sql) // one of them fails on purpose
			}
			if stuck.PgConn().TxStatus() == 'I' {
				t.Fatal("no transaction is stuck")
			}
			st, f := startStorm(s, 4), startFollower(t, other)
			st.goOn(t, 50)
			st.end()
			if len(st.unknown) > 0 {
				t.Errorf("%d events were given up", len(st.unknown))
			}
			wantOnce(t, other, append(early, st.acked...))
			f.wantAll(t, other)
		})
	}
}

// A trigger that sleeps keeps one event from sight while its position is drawn and
// others come after it. A reader that trusts positions alone would pass it.
func TestSlowInsert(t *testing.T) {
	t.Parallel()
	url := database(t)
	slow, fast, reader := open(t, url, Options{}), open(t, url, Options{}), open(t, url, Options{})
	c := connect(t, url)
	mustExec(t, c, `
		create function linger() returns trigger language plpgsql as $$
		begin
			if new.stream = 'slow' then
				perform pg_sleep(0.5);
			end if;
			return new;
		end $$;
		create trigger linger before insert on log.events for each row execute function linger()`)
	f := startFollower(t, reader)
	write := func(s *Store, stream string) {
		if _, err := s.Append(bounded(t), stream, eventstore.Any, events(1)); err != nil {
			t.Errorf("append: %v", err)
		}
	}
	var writers sync.WaitGroup
	for round := range 2 {
		writers.Go(func() { write(slow, "slow") })
		eventually(t, "the insert lingers", func() bool {
			var n int
			err := c.QueryRow(t.Context(), `select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`).Scan(&n)
			return err == nil && n == 1
		})
		for w := range 11 {
			writers.Go(func() { write(fast, fmt.Sprintf("fast-%d", w)) })
		}
		writers.Wait()
		f.wantAll(t, reader)
		if n := len(readOn(t, reader, 0)); n != 12*(round+1) {
			t.Errorf("%d events in the log, want %d", n, 12*(round+1))
		}
	}
}

// A position whose transaction was rolled back is never filled. Nobody waits for it.
func TestUnfilledPosition(t *testing.T) {
	t.Parallel()
	url := database(t)
	s, c := open(t, url, Options{}), connect(t, url)
	first := mustAppend(t, s, "task-1", eventstore.NoStream, events(1)...)
	f := startFollower(t, s)
	for range 3 {
		if err := holdAppend(t, c, "lost", event()).Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	last := mustAppend(t, s, "task-1", 0, events(1)...)
	if last.Position < first.Position+4 {
		t.Errorf("positions are %d and %d: none is unfilled", first.Position, last.Position)
	}
	f.wantAll(t, s)
	if p, err := s.ReadAll(t.Context(), first.Position, 1, eventstore.Filter{}); err != nil || len(p.Events) != 1 || p.Scanned != last.Position {
		t.Errorf("the page after it is %+v, %v", p, err)
	}
}

package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// expiredRows are what retention and the schedule remove, many times what goes in one
// transaction, by table.
var expiredRows = []struct{ table, sql string }{
	{"identity.tokens", `insert into identity.tokens (hash, user_id, expires_at)
		select sha256(n::text::bytea), (select id from identity.users limit 1), now() - interval '1 day' from generate_series(1, $1) n`},
	{"identity.audit", `insert into identity.audit (action, at) select 'login.refused', now() - interval '40 days' from generate_series(1, $1) n`},
	{"identity.rate_limits", `insert into identity.rate_limits (key, tat) select 'k' || n, now() - interval '1 day' from generate_series(1, $1) n`},
	{"billing.booking", `insert into billing.booking (call, tenant, month, subject, reserved, unsure_since)
		select gen_random_uuid(), 't', date_trunc('month', now() - interval '9 months'), 's', 0, null from generate_series(1, $1) n`},
	{"content.blobs", `insert into content.blobs (tenant, subject, ref, kind, chain, seq, size, body, created_at)
		select 't', 's', 'r' || n, 'page', 'c' || n, 0, 1, 'x', now() - interval '40 days' from generate_series(1, $1) n`},
}

// noteDeleted records how many rows each statement deletes of a table.
const noteDeleted = `
	create table if not exists public.deleted (name text, n bigint);
	create or replace function public.note_deleted() returns trigger language plpgsql security definer as $$ begin
		insert into public.deleted select tg_table_schema || '.' || tg_table_name, count(*) from gone;
		return null;
	end $$;
	create trigger noted after delete on %s referencing old table as gone for each statement execute function public.note_deleted()`

// However many rows are too old, a transaction deletes a bounded number of them: nobody waits
// long for what it holds, and what is too old is gone in the end.
func TestRetention_BoundedBatches(t *testing.T) {
	t.Parallel()
	const rows, most = 2500, 1000
	s := newServer(t, hooks{})
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := s.db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, e := range expiredRows {
		run(fmt.Sprintf(noteDeleted, e.table))
		run(e.sql, rows)
	}
	run(fmt.Sprintf(noteDeleted, "log.events"))
	stream := "test-" + domain.NewUUID()
	var events []eventstore.Proposed
	for range rows {
		events = append(events, eventstore.Proposed{ID: domain.NewUUID(), Type: "test.happened.v1", Data: []byte(`{}`), Meta: []byte(`{}`)})
	}
	if _, err := s.events.Append(t.Context(), stream, eventstore.Any, events); err != nil {
		t.Fatal(err)
	}
	if err := s.events.SetRetention(t.Context(), stream, eventstore.Retention{TruncateBefore: rows - 1}); err != nil {
		t.Fatal(err)
	}
	run(`update log.events set recorded_at = now() - interval '2 days' where stream = $1`, stream)

	if err := s.sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"identity.tokens", "identity.audit", "identity.rate_limits", "billing.booking", "content.blobs", "log.events"} {
		var gone, largest int64
		if err := s.db.QueryRow(t.Context(), `select coalesce(sum(n), 0), coalesce(max(n), 0) from public.deleted where name = $1`, name).Scan(&gone, &largest); err != nil {
			t.Fatal(err)
		}
		if gone < rows-1 || largest > most {
			t.Errorf("of %s %d rows were deleted, at most %d at a time; want %d, and at most %d", name, gone, largest, rows, most)
		}
	}
}

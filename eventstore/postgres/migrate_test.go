package postgres

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	t.Run("up, down and up again is up", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Database(t, "empty", nil)
		up := func() []string {
			t.Helper()
			if err := Migrate(bounded(t), url); err != nil {
				t.Fatal(err)
			}
			return schemaOf(t, url)
		}
		first := up()
		if len(first) < 10 {
			t.Errorf("the schema has %d columns", len(first))
		}
		if err := Schema.To(bounded(t), url, 0); err != nil {
			t.Fatal(err)
		}
		if left := schemaOf(t, url); len(left) != 0 {
			t.Errorf("down leaves %v", left)
		}
		if diff := cmp.Diff(first, up()); diff != "" {
			t.Errorf("schema (-first +again):\n%s", diff)
		}
	})
	t.Run("processes that start together all find it done", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Database(t, "empty", nil)
		var starting sync.WaitGroup
		for range 4 {
			starting.Go(func() {
				if err := Migrate(bounded(t), url); err != nil {
					t.Error(err)
				}
			})
		}
		starting.Wait()
		s := open(t, url, Options{})
		if _, err := s.Append(t.Context(), "task-1", eventstore.NoStream, events(1)); err != nil {
			t.Error(err)
		}
	})
	t.Run("a stream ended before tombstones were rows stays ended", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Database(t, "empty", nil)
		if err := Schema.To(bounded(t), url, 1); err != nil {
			t.Fatal(err)
		}
		admin := connect(t, url)
		mustExec(t, admin, `
			insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
			select nextval('log.position'), 0, now(), gen_random_uuid(), 'task-1', 'test.happened.v1', '{}', ''`)
		mustExec(t, admin, `insert into log.retention (stream, deleted_before, tombstoned) values ('task-1', 1, true), ('never-1', 0, true)`)
		if err := Migrate(bounded(t), url); err != nil {
			t.Fatal(err)
		}
		s := open(t, url, Options{})
		for stream, head := range map[string]int64{"task-1": 0, "never-1": eventstore.NoRevision} {
			for _, expected := range []int64{eventstore.Any, head} {
				_, err := s.Append(t.Context(), stream, expected, events(1))
				if want := (&eventstore.DeletedError{Stream: stream}); !cmp.Equal(err, error(want)) {
					t.Errorf("expecting %d the error is %v, want %v", expected, err, want)
				}
			}
			slice, err := s.ReadStream(t.Context(), stream, eventstore.ReadOptions{})
			if err != nil || len(slice.Events) > 0 || slice.Head != head {
				t.Errorf("%s reads as %+v, %v", stream, slice, err)
			}
		}
		if page, err := s.ReadAll(t.Context(), 0, 0, eventstore.Filter{}); err != nil || len(page.Events) > 0 {
			t.Errorf("the log reads as %+v, %v", page, err)
		}
	})
	t.Run("each log has an id of its own", func(t *testing.T) {
		t.Parallel()
		ids := make(map[string]bool)
		for range 2 {
			url := pgtest.Database(t, "empty", nil)
			if err := Migrate(bounded(t), url); err != nil {
				t.Fatal(err)
			}
			id, err := open(t, url, Options{}).ID(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ids[id] = true
		}
		if len(ids) != 2 {
			t.Errorf("two logs have the ids %v", ids)
		}
	})
}

// schemaOf lists the columns of the schema log, those of goose left out.
func schemaOf(t testing.TB, url string) []string {
	t.Helper()
	rows, _ := connect(t, url).Query(t.Context(), `
		select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
		from information_schema.columns
		where table_schema = 'log' and table_name <> 'goose_db_version'
		order by 1`)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

package postgres

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// What message-db's own installer loads, in its order, as far as writing needs it.
var messageDBFiles = []string{
	"schema/message-store.sql", "extensions/pgcrypto.sql", "tables/messages.sql", "types/message.sql",
	"functions/hash-64.sql", "functions/category.sql", "functions/is-category.sql", "functions/id.sql",
	"functions/cardinal-id.sql", "functions/acquire-lock.sql", "functions/stream-version.sql", "functions/write-message.sql",
	"indexes/messages-id.sql", "indexes/messages-stream.sql", "indexes/messages-category.sql",
}

// messageDB loads message-db's SQL from a checkout. Its functions find each other
// by a search path, which comes with the database.
func messageDB(b *testing.B, pool *pgxpool.Pool, dir string) way {
	b.Helper()
	benchExec(b, pool, `do $$ begin execute format('alter database %I set search_path = message_store, public', current_database()); end $$`)
	pool.Reset()
	for _, name := range messageDBFiles {
		sql, err := os.ReadFile(filepath.Join(dir, "database", filepath.FromSlash(name)))
		if err != nil {
			b.Fatalf("MESSAGE_DB is to be a checkout of message-db: %v", err)
		}
		benchExec(b, pool, string(sql))
	}
	return way{"messagedb", func(stream string, version int64) error {
		e := benchEvent()
		_, err := pool.Exec(context.Background(), `select message_store.write_message($1, $2, $3, $4::jsonb, $5::jsonb, $6)`,
			e.ID, stream, e.Type, e.Data, e.Meta, version-1)
		return err
	}}
}

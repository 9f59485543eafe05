package postgres

import (
	"context"
	"embed"

	"github.com/stepledger/stepledger/internal/pgmigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Advisory locks of the database, beside the one of those who listen.
const (
	// WritersLock makes the writers of the log, whatever process they are in, take turns. It
	// is held in a transaction, for milliseconds. The number is "log" in ASCII.
	WritersLock = 7106407
	// SchemaLock is held while the schema is migrated.
	SchemaLock = 7106408
)

// Schema is log, for whoever goes back to an earlier version of it.
var Schema = pgmigrate.Schema{
	Name: "log", Files: migrations, Versions: "log.goose_db_version", Lock: SchemaLock,
	Downs: map[int64]pgmigrate.Down{
		2: {},
		3: {}, // the index it makes again refuses an id that is in two streams
		4: {
			Kept: `select count(*) > 1 from log.epoch`,
			Why:  "the log has had more than one history, and without the table it would have the id of its first again: whoever followed another would take its positions for theirs",
		},
		5: {
			Kept: `select exists (select from log.segments) or exists (select from log.retention where deleted_before > 0) and pg_sequence_last_value('log.removals') > 0`,
			Why:  "events were moved to the archive or removed, and without the tables that say so nobody would find them, or would take their streams for new ones",
		},
	},
}

// Migrate brings the schema log of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return Schema.Up(ctx, url) }

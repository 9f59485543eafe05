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

var schema = pgmigrate.Schema{Name: "log", Files: migrations, Versions: "log.goose_db_version", Lock: SchemaLock}

// Migrate brings the schema log of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return schema.Up(ctx, url) }

// CheckSchema returns a *pgmigrate.OldError if Migrate has something to do. A newer schema
// is one that this version can work with too.
func CheckSchema(ctx context.Context, url string) error { return schema.Check(ctx, url) }

package consumer

import (
	"context"
	"embed"

	"github.com/stepledger/stepledger/internal/pgmigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaLock is the advisory lock that is held while the schema is migrated.
const SchemaLock = 7106411

// Schema is feed, for whoever goes back to an earlier version of it.
var Schema = pgmigrate.Schema{
	Name: "feed", Files: migrations, Versions: "feed.goose_db_version", Lock: SchemaLock,
}

// Migrate brings the schema feed of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return Schema.Up(ctx, url) }

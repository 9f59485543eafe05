package identity

import (
	"context"
	"embed"

	"github.com/stepledger/stepledger/internal/pgmigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaLock is the advisory lock that is held while the schema is migrated.
const SchemaLock = pgmigrate.SharedLock

var schema = pgmigrate.Schema{Name: "identity", Files: migrations, Versions: "identity.goose_version", Lock: SchemaLock}

// Migrate brings the schema identity of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return schema.Up(ctx, url) }

// CheckSchema returns a *pgmigrate.OldError if Migrate has something to do. A newer schema
// is one that this version can work with too.
func CheckSchema(ctx context.Context, url string) error { return schema.Check(ctx, url) }

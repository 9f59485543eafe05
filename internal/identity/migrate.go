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

// Schema is identity, for whoever goes back to an earlier version of it.
var Schema = pgmigrate.Schema{
	Name: "identity", Files: migrations, Versions: "identity.goose_version", Lock: SchemaLock,
	Downs: map[int64]pgmigrate.Down{
		2: {
			Kept: `select exists (select from identity.users) or exists (select from identity.audit)`,
			Why:  "there are users: without their roles all of them would be admins, and the account of who changed what is kept",
		},
		3: {Loses: "the limits of single tenants; those of their tier hold"},
	},
}

// Migrate brings the schema identity of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return Schema.Up(ctx, url) }

package billing

import (
	"context"
	"embed"

	"github.com/stepledger/stepledger/internal/pgmigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaLock is the advisory lock that is held while the schema is migrated.
const SchemaLock = pgmigrate.SharedLock

// Schema is billing, for whoever goes back to an earlier version of it.
var Schema = pgmigrate.Schema{
	Name: "billing", Files: migrations, Versions: "billing.goose_version", Lock: SchemaLock,
	Downs: map[int64]pgmigrate.Down{
		10: {Kept: `select exists (select from billing.statement)`, Why: "statements are kept for good"},
		11: {},
		12: {},
		13: {
			Kept: `select exists (select from billing.price where long_above <> 200000)`,
			Why:  "prices have another threshold than 200,000 tokens, and would be charged by the wrong rates",
		},
		14: {},
	},
}

// Migrate brings the schema billing of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return Schema.Up(ctx, url) }

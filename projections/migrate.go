package projections

import (
	"context"
	"embed"

	"github.com/stepledger/stepledger/internal/pgmigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaLock is the advisory lock that is held while the schema is migrated.
const SchemaLock = 7106410

// Schema is read, for whoever goes back to an earlier version of it.
var Schema = pgmigrate.Schema{
	Name: "read", Files: migrations, Versions: "read.goose_db_version", Lock: SchemaLock,
	Downs: map[int64]pgmigrate.Down{
		2: {},
		3: {Loses: "whose the events are that were put aside: only operators see them from then on"},
		4: {}, // the wall is raised at the next start
		5: {
			Kept: `select exists (select from read.past)`,
			Why:  "statements and checkpoints of earlier histories of the log are read by it",
		},
	},
}

// Migrate brings the schema read of a database to the version this package needs,
// making it if there is none. The tables of the projections are not in it:
// Runner.Prepare makes those. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return Schema.Up(ctx, url) }

package content

import (
	"context"
	"embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgmigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaLock is the advisory lock that is held while the schema is migrated.
const SchemaLock = 7106412

// Schema is content, for whoever goes back to an earlier version of it.
var Schema = pgmigrate.Schema{
	Name: "content", Files: migrations, Versions: "content_migrations", Lock: SchemaLock,
	Downs: map[int64]pgmigrate.Down{
		3: {},
		2: {
			Kept: `select exists (select from content.former_tenant_keys) or exists (select from content.erasures)
				or exists (select from content.tenant_keys where number > 1 or wrapped is null)
				or exists (select from content.tenant_keys where master <> '') or exists (select from content.master_check where master <> '')`,
			Why: "it knows which key is wrapped under which other, who was erased, and whose key was dropped for good",
		},
	},
}

// Migrate brings the schema content of a database to the version this package needs,
// making it if there is none. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string) error { return Schema.Up(ctx, url) }

// Finish lets whoever opens the store from now on write the newest form of this version. No
// version before can read what is written then.
func Finish(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `update content.format set writes = greatest(writes, $1)`, newestFormat); err != nil {
		return fmt.Errorf("content: allow the newest form: %w", err)
	}
	return nil
}

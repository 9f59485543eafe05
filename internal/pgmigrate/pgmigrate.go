// Package pgmigrate brings a Postgres schema to the version its adapter needs.
//
// Each adapter owns one schema, the SQL files that make it, and a table in which
// goose notes which of them were run. It promises that of several processes that
// start together one does the work while the others wait, and that a schema which
// a newer program has migrated is left as it is.
package pgmigrate

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"math"

	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
)

// SharedLock is the lock goose takes by itself, under which two schemas have been
// migrated from their beginning.
const SharedLock = 4097083626

// Schema is one adapter's part of a database. Databases in use depend on Versions
// and Lock: another table would run every file once more, another lock would let a
// process of the version before migrate at the same time.
type Schema struct {
	// Name of the schema, made where it is missing.
	Name string
	// Files has the SQL files in a folder called migrations.
	Files fs.FS
	// Versions is goose's table for this schema.
	Versions string
	// Lock is the advisory lock held while migrating.
	Lock int64
	// Downs says of each file but the first what undoing it takes.
	Downs map[int64]Down
}

// newest is a version no schema reaches.
const newest = math.MaxInt64

// Up runs the files that this database has not seen. Several processes may call it
// at the same time.
func (s Schema) Up(ctx context.Context, url string) error { return s.To(ctx, url, newest) }

// To runs files, up or down, until the schema has a version; 0 takes everything
// away but goose's table. It asks nobody: operators go Back.
func (s Schema) To(ctx context.Context, url string, version int64) error {
	err := s.alone(ctx, url, func(db *sql.DB) error { return s.run(ctx, db, version) })
	if err != nil {
		return fmt.Errorf("migrate schema %s: %w", s.Name, err)
	}
	return nil
}

// alone does something while nobody else migrates the schema, which is there then.
func (s Schema) alone(ctx context.Context, url string, f func(*sql.DB) error) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close()
	locked, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer locked.Close()
	if _, err := locked.ExecContext(ctx, `select pg_advisory_lock($1)`, s.Lock); err != nil {
		return err
	}
	defer locked.ExecContext(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, s.Lock) //nolint:errcheck // closing the session unlocks too
	// Not in a file, because goose's table may live in it.
	if _, err := locked.ExecContext(ctx, `create schema if not exists `+s.Name); err != nil {
		return err
	}
	return f(db)
}

// OldError says that a schema lacks files that this program has.
type OldError struct {
	Schema string
	// Has is the version of the schema, 0 for none, Needs that of the newest file.
	Has, Needs int64
}

// Error implements error.
func (e *OldError) Error() string {
	return fmt.Sprintf("schema %s has version %d, this program needs %d", e.Schema, e.Has, e.Needs)
}

// Check changes nothing. It returns an *OldError if Up has files to run: a program works
// with a newer schema, since files only add to what the version before uses.
func (s Schema) Check(ctx context.Context, url string) error {
	has, needs, err := s.versions(ctx, url)
	if err != nil {
		return fmt.Errorf("check schema %s: %w", s.Name, err)
	}
	if has < needs {
		return &OldError{s.Name, has, needs}
	}
	return nil
}

func (s Schema) versions(ctx context.Context, url string) (has, needs int64, err error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	p, err := s.provider(db)
	if err != nil {
		return 0, 0, err
	}
	files := p.ListSources()
	needs = files[len(files)-1].Version
	var there bool
	if err := db.QueryRowContext(ctx, `select to_regclass($1) is not null`, s.Versions).Scan(&there); err != nil || !there {
		return 0, needs, err
	}
	// A file that was taken back has a row that says so.
	err = db.QueryRowContext(ctx, `
		select coalesce(max(version_id), 0) from (
			select distinct on (version_id) version_id, is_applied from `+s.Versions+` order by version_id, id desc) as latest
		where is_applied`).Scan(&has)
	return has, needs, err
}

func (s Schema) provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(s.Files, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(s.Versions), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
}

func (s Schema) run(ctx context.Context, db *sql.DB, version int64) error {
	p, err := s.provider(db)
	if err != nil {
		return err
	}
	now, err := p.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	if version < now {
		_, err = p.DownTo(ctx, version)
	} else {
		_, err = p.UpTo(ctx, version)
	}
	return err
}

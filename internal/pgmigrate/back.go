package pgmigrate

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
)

// Down says what it takes to undo a file.
type Down struct {
	// Loses is what is gone afterwards, for whoever decides on it; "" is nothing that the
	// program does not make anew.
	Loses string
	// Kept is a query that yields true while there is something that must not be lost. Then
	// the file stays, and Why says what it is.
	Kept, Why string
}

// Loss is what undoing a file takes with it.
type Loss struct {
	Schema  string
	Version int64
	Loses   string
}

// KeptError says that a file cannot be undone.
type KeptError struct {
	Schema  string
	Version int64
	Why     string
}

// Error implements error.
func (e *KeptError) Error() string {
	return fmt.Sprintf("file %d of schema %s stays: %s", e.Version, e.Schema, e.Why)
}

// Losses lists what Back would undo, the newest file first. It changes nothing. It returns
// a *KeptError for the first file that would not be undone.
func (s Schema) Losses(ctx context.Context, url string, version int64) (all []Loss, err error) {
	err = s.locked(ctx, url, func(db *sql.DB, p *goose.Provider) error {
		applied, err := s.above(ctx, p, version)
		if err != nil {
			return err
		}
		for _, v := range applied {
			down, err := s.down(ctx, db, v)
			if err != nil {
				return err
			}
			all = append(all, Loss{s.Name, v, down.Loses})
		}
		return nil
	})
	return all, err
}

// Back undoes files, the newest first, until the schema has a version, which is 1 at least:
// who wants nothing to be left drops the database. It returns a *KeptError where something
// would be lost that must not be; what was undone before stays undone.
func (s Schema) Back(ctx context.Context, url string, version int64) error {
	return s.locked(ctx, url, func(db *sql.DB, p *goose.Provider) error {
		applied, err := s.above(ctx, p, version)
		if err != nil {
			return err
		}
		for _, v := range applied {
			if _, err := s.down(ctx, db, v); err != nil {
				return err
			}
			if _, err := p.ApplyVersion(ctx, v, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// above are the files above a version that were run, the newest first.
func (s Schema) above(ctx context.Context, p *goose.Provider, version int64) (applied []int64, err error) {
	if version < 1 {
		return nil, &KeptError{s.Name, 1, "without it there is no schema; drop the database instead"}
	}
	now, err := p.GetDBVersion(ctx)
	if err != nil {
		return nil, err
	}
	files := p.ListSources()
	if newest := files[len(files)-1].Version; now > newest {
		return nil, &KeptError{s.Name, now, fmt.Sprintf("a newer program made it; this one has files up to %d", newest)}
	}
	all, err := p.Status(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0 && all[i].Source.Version > version; i-- {
		if all[i].State == goose.StateApplied {
			applied = append(applied, all[i].Source.Version)
		}
	}
	return applied, nil
}

// down is how a file is undone, or a *KeptError.
func (s Schema) down(ctx context.Context, db *sql.DB, version int64) (Down, error) {
	d, ok := s.Downs[version]
	if !ok {
		return d, &KeptError{s.Name, version, "nobody has said what undoing it loses"}
	}
	if d.Kept == "" {
		return d, nil
	}
	var kept bool
	if err := db.QueryRowContext(ctx, d.Kept).Scan(&kept); err != nil {
		return d, fmt.Errorf("look whether file %d may be undone: %w", version, err)
	}
	if kept {
		return d, &KeptError{s.Name, version, d.Why}
	}
	return d, nil
}

// locked works on a schema while nobody else migrates it.
func (s Schema) locked(ctx context.Context, url string, f func(*sql.DB, *goose.Provider) error) error {
	err := s.alone(ctx, url, func(db *sql.DB) error {
		p, err := s.provider(db)
		if err != nil {
			return err
		}
		return f(db, p)
	})
	if err != nil {
		return fmt.Errorf("undo files of schema %s: %w", s.Name, err)
	}
	return nil
}

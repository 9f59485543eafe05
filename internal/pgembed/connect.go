package pgembed

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// URL is the address of the server's maintenance database for its superuser,
// in the form pgx and libpq read. It is the same after every restart.
func (s *Server) URL() string { return s.dir.url("postgres") }

// Database returns the URL of the named database, created when missing.
func (s *Server) Database(ctx context.Context, name string) (string, error) {
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return "", fmt.Errorf("create database %s: %w", name, err)
	}
	defer conn.Close(ctx)
	var exists bool
	err = conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, name).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, `create database `+pgx.Identifier{name}.Sanitize())
	}
	if err != nil && !isDuplicate(err) {
		return "", fmt.Errorf("create database %s: %w", name, err)
	}
	return s.dir.url(name), nil
}

// isDuplicate says that another process created the database first: found by
// createdb's own check, or by the unique index of pg_database.
func isDuplicate(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "42P04" || pg.Code == "23505")
}

// url addresses a database of the server through its socket.
func (d dataDir) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database}
	// The port is the default one, which PGPORT would change.
	u.RawQuery = url.Values{"host": {d.socketDir}, "port": {"5432"}}.Encode()
	return u.String()
}

// answers tries one connection.
func (d dataDir) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := pgconn.Connect(ctx, d.url("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

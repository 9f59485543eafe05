package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgembed"
)

const (
	dirPrefix = "stepledger-test-"
	// lockName is the file by which pgembed locks a directory and knows it for its own.
	lockName = "stepledger.lock"
	// startTimeout includes fetching Postgres on a machine that has none.
	startTimeout = 6 * time.Minute
)

// cluster is the server the tests of this process share.
type cluster struct {
	url url.URL // of the maintenance database
	// id marks the databases of this process: "sltest_" and 8 hex digits. The
	// admin connection carries it as its application name, which tells another
	// process that the databases are in use.
	id  string
	seq atomic.Int64
	// strategy is how to copy: since 15 Postgres writes a new database through
	// the log unless told otherwise, which takes six times as long.
	strategy string
	// admin holds the one connection that creates and drops databases, which
	// the server does largely one after another anyway; whoever works with it
	// takes it out.
	admin chan *pgx.Conn

	mu        sync.Mutex
	templates map[string]func() (string, error)
}

// connect opens the server of this process and removes what earlier processes
// left on it.
func connect() (*cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	address := os.Getenv("DATABASE_URL")
	if address == "" {
		s, err := startPrivate(ctx)
		if err != nil {
			return nil, err
		}
		address = s.URL()
	}
	c, err := newCluster(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", redact(address), err)
	}
	return c, c.dropAbandoned(ctx)
}

// startPrivate starts a server that nobody stops: the kernel does when this
// process ends. Its directory is removed then by a child, else by the next run.
func startPrivate(ctx context.Context) (*pgembed.Server, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if _, err := pgembed.RemoveAbandoned(filepath.Join(parentDir, ownPrefix()+"*")); err != nil {
		log.Warn("clusters of earlier test runs are left", "error", err)
	}
	dir, err := os.MkdirTemp(parentDir, ownPrefix())
	if err != nil {
		return nil, err
	}
	if _, err := removeWhenClosed(dir); err != nil {
		log.Warn("the cluster of this test run is left to the next", "error", err)
	}
	return pgembed.Start(ctx, pgembed.Config{
		DataDir: dir, Ephemeral: !benchmarking(), Log: log,
		Settings: map[string]string{"max_connections": "400"}, // many servers with their pools at once
	})
}

// parentDir holds the clusters: reachable by the account a root's server runs
// as, and on a disk where /tmp often is not.
const parentDir = "/var/tmp"

// ownPrefix begins the names of this user's directories.
func ownPrefix() string { return fmt.Sprintf("%s%d-", dirPrefix, os.Geteuid()) }

func benchmarking() bool {
	f := flag.Lookup("test.bench")
	return f != nil && f.Value.String() != ""
}

func newCluster(ctx context.Context, address string) (*cluster, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return nil, errors.New("not a postgres:// address")
	}
	cfg, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	var random [4]byte
	rand.Read(random[:])
	c := &cluster{
		url: *u, id: fmt.Sprintf("sltest_%x", random),
		admin: make(chan *pgx.Conn, 1), templates: map[string]func() (string, error){},
	}
	cfg.RuntimeParams["application_name"] = c.id
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var version int
	if err := conn.QueryRow(ctx, `select current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return nil, err
	}
	if version >= 15_00_00 {
		c.strategy = " strategy file_copy"
	}
	c.admin <- conn
	return c, nil
}

// withAdmin lends the admin connection. The context bounds the wait for it
// only, because pgx closes a connection whose context ends in mid-statement.
func (c *cluster) withAdmin(ctx context.Context, do func(ctx context.Context, conn *pgx.Conn) error) error {
	select {
	case conn := <-c.admin:
		defer func() { c.admin <- conn }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return do(ctx, conn)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *cluster) exec(ctx context.Context, sql string) error {
	return c.withAdmin(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

// template returns the name of the migrated template of a key, made by the
// first caller while the others wait. It outlives that caller's test.
func (c *cluster) template(key string, migrate func(context.Context, string) error) (string, error) {
	c.mu.Lock()
	once, ok := c.templates[key]
	if !ok {
		once = sync.OnceValues(func() (string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			name, err := c.create(ctx, "template1")
			if err != nil || migrate == nil {
				return name, err
			}
			return name, migrate(ctx, c.databaseURL(name))
		})
		c.templates[key] = once
	}
	c.mu.Unlock()
	return once()
}

// create makes a database from a template and returns its name.
func (c *cluster) create(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s_%d", c.id, c.seq.Add(1))
	return name, c.exec(ctx, `create database `+quote(name)+` template `+quote(template)+c.strategy)
}

// drop removes a database and disconnects whoever is still there.
func (c *cluster) drop(ctx context.Context, name string) error {
	return c.exec(ctx, `drop database if exists `+quote(name)+` with (force)`)
}

// dropAbandoned drops the databases of processes that are gone: templates are
// never dropped by the process that made them, since no test knows to be last.
func (c *cluster) dropAbandoned(ctx context.Context) error {
	const abandoned = `
		select d.datname
		from pg_database d
		where d.datname ~ '^sltest_[0-9a-f]{8}_'
			and not exists (
				select from pg_stat_activity a
				where a.application_name = substring(d.datname from 1 for 15))`
	var names []string
	err := c.withAdmin(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, abandoned)
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("find abandoned test databases: %w", err)
	}
	for _, name := range names {
		if err := c.drop(ctx, name); err != nil {
			return fmt.Errorf("drop abandoned test database %s: %w", name, err)
		}
	}
	return nil
}

func (c *cluster) databaseURL(name string) string {
	u := c.url
	u.Path = "/" + name
	return u.String()
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// redact keeps the password of an address out of error texts.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "DATABASE_URL"
	}
	return u.Redacted()
}

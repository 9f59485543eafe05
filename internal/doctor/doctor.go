// Package doctor looks at the Postgres a program works on and says what is wrong with it
// and what to do: settings, room, sessions that hold others up, locks, the archive, the
// disk, the clock, and what stands between the program and the server.
//
// It changes nothing that lasts, and takes no more than four connections. What it may not
// look at (other users' sessions, files of another machine) it says it has not seen.
// Every question is bounded in time.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// State is what a check comes to.
type State string

// The states, from good to bad. Warn is what works and may not for long.
const (
	OK   State = "ok"
	Warn State = "warn"
	Fail State = "fail"
)

// Finding is what a check found. Do is what to do about it, "" where nothing is.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

// Limits say from when on something is noted.
type Limits struct {
	// Idle in a transaction: a warning, and a failure.
	Idle, LongIdle time.Duration
	// Transaction is how long one may last, LockWait how long a session may wait for a
	// lock, and Held how long one of the program's own locks may be held.
	Transaction, LockWait, Held time.Duration
	// Archived is how old the last archived segment may be.
	Archived time.Duration
	// Kept is how much write-ahead log an unused slot may keep, in bytes.
	Kept int64
	// Free is how much of the disk has to be free, in bytes: below it is a warning, below
	// a quarter of it a failure.
	Free int64
	// Skew is how far two clocks may be apart; ten times that is a failure.
	Skew time.Duration
	// Within bounds a question.
	Within time.Duration
}

// DefaultLimits are those for production.
func DefaultLimits() Limits {
	return Limits{
		Idle: time.Minute, LongIdle: 5 * time.Minute, Transaction: time.Hour, LockWait: 10 * time.Second, Held: 10 * time.Second,
		Archived: 15 * time.Minute, Kept: 1 << 30, Free: 4 << 30, Skew: time.Second, Within: 10 * time.Second,
	}
}

// Patient is a database to look at.
type Patient struct {
	// URL is the address the program works by, Direct the one that leads to the server
	// itself; "" is the same.
	URL, Direct string
	// Processes are how many of the program work on it. Each may take so many Connections,
	// of which DirectConnections go to the server itself.
	Processes, Connections, DirectConnections int
	// WritersLock is the program's advisory lock that is held for moments, MigrationLocks
	// are those it holds while it migrates.
	WritersLock    int64
	MigrationLocks []int64
	// Now is this machine's clock.
	Now func() time.Time
	Limits
}

// check is a look at one thing. An error says that it could not be looked at.
type check struct {
	name string
	look func(context.Context, *session) (Finding, error)
}

// session is what checks look through.
type session struct {
	Patient
	// direct is a connection by the address Direct.
	direct *pgx.Conn
	// used is the way URL leads to the server, straight that of Direct; "" until asked.
	used, straight way
}

var checks = []check{
	{"version", version}, {"writable", writable}, {"durability", durability}, {"standbys", standbys}, {"isolation", isolation},
	{"connections", connections}, {"time zone", timeZone}, {"archive", archive}, {"replication slots", slots}, {"disk", disk},
	{"idle transactions", idleTransactions}, {"long transactions", longTransactions}, {"waits for locks", lockWaits}, {"own locks", ownLocks},
	{"clock", clock}, {"pooler", pooler}, {"prepared statements", prepared}, {"listen", listen},
}

// Look looks at everything, in order. The error says that the database could not be
// reached at all.
func Look(ctx context.Context, p Patient) ([]Finding, error) {
	if p.Direct == "" {
		p.Direct = p.URL
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	s := &session{Patient: p}
	var err error
	if s.direct, err = s.connect(ctx, p.Direct); err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	defer s.direct.Close(context.WithoutCancel(ctx))
	var all []Finding
	for _, c := range checks {
		all = append(all, s.run(ctx, c))
	}
	return all, ctx.Err()
}

// run makes a finding of a check that could not look, too.
func (s *session) run(ctx context.Context, c check) Finding {
	ctx, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	f, err := c.look(ctx, s)
	if err != nil {
		f = Finding{State: Warn, Found: "could not look: " + err.Error()}
		if s.direct.IsClosed() { // a question that took too long has cost the connection
			if again, err := s.connect(context.WithoutCancel(ctx), s.Direct); err == nil {
				s.direct = again
			}
		}
	}
	f.Check = c.name
	return f
}

// connect opens a connection that prepares nothing, as a pooler may have it.
func (s *session) connect(ctx context.Context, url string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	return pgx.ConnectConfig(ctx, c)
}

func ok(found string, args ...any) (Finding, error) {
	return Finding{State: OK, Found: fmt.Sprintf(found, args...)}, nil
}

func noted(state State, do, found string, args ...any) (Finding, error) {
	return Finding{State: state, Found: fmt.Sprintf(found, args...), Do: do}, nil
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

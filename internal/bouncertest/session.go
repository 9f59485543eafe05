package bouncertest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// backend is a session on the server.
type backend struct {
	*pgproto3.Frontend
	conn net.Conn
	// has are the statements that are prepared in it.
	has map[string]bool
	// parses and closes are those that are under way: what each answer is to.
	parses []parsing
	closes []bool
}

// parsing is a statement on its way; own is not the client's, who is not told.
type parsing struct {
	name string
	own  bool
}

func dialBackend(ctx context.Context, server string) (*backend, error) {
	c, err := pgconn.Connect(ctx, server)
	if err != nil {
		return nil, err
	}
	h, err := c.Hijack()
	if err != nil {
		return nil, err
	}
	return &backend{Frontend: h.Frontend, conn: h.Conn, has: map[string]bool{}}, nil
}

func (b *backend) close() { _ = b.conn.Close() }

// client is one connection to the pooler.
type client struct {
	*pgproto3.Backend
	// statements are those it has prepared, by its names for them.
	statements map[string]*pgproto3.Parse
}

// pass does what a client says with its session. It reports whether the session is idle
// then, and the next transaction may be another's.
func (c *client) pass(m pgproto3.FrontendMessage, b *backend) (idle bool, err error) {
	switch m := m.(type) {
	case *pgproto3.Parse:
		own := *m
		own.ParameterOIDs = append([]uint32(nil), m.ParameterOIDs...)
		c.statements[m.Name] = &own
		b.parse(&own, false)
	case *pgproto3.Bind:
		c.prepared(m.PreparedStatement, b)
		m.PreparedStatement = c.nameOf(m.PreparedStatement)
		b.Send(m)
	case *pgproto3.Describe:
		if m.ObjectType == 'S' {
			c.prepared(m.Name, b)
			m.Name = c.nameOf(m.Name)
		}
		b.Send(m)
	case *pgproto3.Close:
		if m.ObjectType == 'S' {
			delete(c.statements, m.Name)
			m.Name = "none" // another client may go on with it
		}
		b.closes = append(b.closes, false)
		b.Send(m)
	case *pgproto3.Sync, *pgproto3.Query:
		b.Send(m)
		if err := b.Flush(); err != nil {
			return false, err
		}
		return c.answer(b)
	case *pgproto3.Execute:
		b.Send(m)
	default:
		return false, fmt.Errorf("a pooler for tests does not know %T", m)
	}
	return false, nil
}

// prepared makes sure that a session has a statement of the client's.
func (c *client) prepared(name string, b *backend) {
	if p, ok := c.statements[name]; ok && name != "" && !b.has[serverName(p)] {
		b.parse(p, true)
	}
}

func (c *client) nameOf(name string) string {
	if p, ok := c.statements[name]; ok && name != "" {
		return serverName(p)
	}
	return name
}

// serverName is the same for all clients that have a statement.
func serverName(p *pgproto3.Parse) string {
	if p.Name == "" {
		return ""
	}
	return fmt.Sprintf("pooled_%x", sha256.Sum256(fmt.Append(nil, p.Query, p.ParameterOIDs)))[:40]
}

// parse prepares a statement, in the place of one of its name.
func (b *backend) parse(p *pgproto3.Parse, own bool) {
	name := serverName(p)
	if name != "" {
		b.closes = append(b.closes, true)
		b.Send(&pgproto3.Close{ObjectType: 'S', Name: name})
	}
	b.parses = append(b.parses, parsing{name, own})
	b.Send(&pgproto3.Parse{Name: name, Query: p.Query, ParameterOIDs: p.ParameterOIDs})
}

// answer passes on what the server says until it is ready.
func (c *client) answer(b *backend) (idle bool, err error) {
	for {
		m, err := b.Receive()
		if err != nil {
			return false, err
		}
		switch m := m.(type) {
		case *pgproto3.ParseComplete:
			p := b.parses[0]
			b.parses = b.parses[1:]
			b.has[p.name] = p.name != ""
			if p.own {
				continue
			}
		case *pgproto3.CloseComplete:
			own := b.closes[0]
			b.closes = b.closes[1:]
			if own {
				continue
			}
		case *pgproto3.CopyInResponse, *pgproto3.CopyOutResponse:
			return false, errors.New("a pooler for tests copies nothing")
		case *pgproto3.ReadyForQuery:
			b.parses, b.closes = nil, nil // what came behind an error was passed over
			c.Send(m)
			return m.TxStatus == 'I', c.Flush()
		}
		c.Send(m)
		if err := c.Flush(); err != nil {
			return false, err
		}
	}
}

// leftSQL is what a session has that it did not have when it began.
const leftSQL = `
	select 'setting ' || name || ' = ' || setting from pg_settings where source = 'session' and name not in ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable')
	union all select 'role ' || current_user where current_user <> session_user
	union all select 'lock ' || classid || ' ' || objid from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'
	union all select 'listens to ' || c from pg_listening_channels() c
	union all select 'table ' || relname from pg_class where relpersistence = 't' and relnamespace = pg_my_temp_schema()`

// left asks a session what was left in it.
func (b *backend) left() (left []string, err error) {
	_ = b.conn.SetDeadline(time.Now().Add(10 * time.Second))
	defer func() { _ = b.conn.SetDeadline(time.Time{}) }()
	b.Send(&pgproto3.Query{String: leftSQL})
	if err := b.Flush(); err != nil {
		return nil, err
	}
	for {
		m, err := b.Receive()
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			left = append(left, string(m.Values[0]))
		case *pgproto3.ErrorResponse:
			return nil, errors.New(m.Message)
		case *pgproto3.ReadyForQuery:
			return left, nil
		}
	}
}

package postgres

import (
	"bytes"
	"context"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// at calls the hook of crash tests.
func (s *Store) at(point string) {
	if s.o.Hook != nil {
		s.o.Hook(point)
	}
}

// hookWrites calls the hook once an append has gone out to the server: only the
// connection knows that moment, between the request and its answer.
func hookWrites(dial pgconn.DialFunc, hook func(string)) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &hookedConn{c, hook}, nil
	}
}

type hookedConn struct {
	net.Conn
	hook func(string)
}

// Write tells appends from the setting up of the session by the first message:
// they bind a prepared statement ('B'), the others parse or authenticate.
func (c *hookedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err == nil && bytes.HasPrefix(p, []byte{'B'}) {
		c.hook("append.sent")
	}
	return n, err
}

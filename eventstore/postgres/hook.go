package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
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
// they bind a prepared statement ('B'), the others parse or authenticate. An append
// with statements that go along is cut in two after the first of them.
func (c *hookedConn) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(p, []byte{'B'}) {
		return c.Conn.Write(p)
	}
	first := firstOfSeveral(p)
	if first > 0 {
		if n, err := c.Conn.Write(p[:first]); err != nil {
			return n, err
		}
		c.hook("append.partly")
	}
	n, err := c.Conn.Write(p[first:])
	if err == nil {
		c.hook("append.sent")
	}
	return first + n, err
}

// firstOfSeveral returns where the first of several statements ends in what is sent, 0 if
// there is only one. Messages are a letter and a length that counts itself.
func firstOfSeveral(p []byte) (end int) {
	for at := 0; at+5 <= len(p); at += 1 + int(binary.BigEndian.Uint32(p[at+1:])) {
		if p[at] == 'B' && at > 0 {
			return at
		}
	}
	return 0
}

package bouncertest

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// sessions are how many a Strict has on the server.
const sessions = 12

// Strict is a pooler in this process.
type Strict struct {
	// URL is where it is reached, for the database and user of the server's address.
	URL    string
	server string
	// free are the sessions nobody uses, longest ago first.
	free chan *backend

	mu      sync.Mutex
	refused []string // startup parameters
	clients map[net.Conn]bool
}

// NewStrict starts a pooler before the server at an address. It ends with the test, which
// fails if something was refused.
func NewStrict(t testing.TB, server string) *Strict {
	t.Helper()
	s := &Strict{server: server, free: make(chan *backend, sessions), clients: map[net.Conn]bool{}}
	for range sessions {
		b, err := dialBackend(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		s.free <- b
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.URL = urlAt(t, server, l.Addr().String())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.hangUp()
		serving.Wait()
		for range sessions {
			(<-s.free).close()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, name := range s.refused {
			t.Errorf("a client asked for %s at startup, which poolers refuse", name)
		}
	})
	return s
}

// urlAt is the address of a server's database at another place.
func urlAt(t testing.TB, server, place string) string {
	t.Helper()
	c, err := pgx.ParseConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(c.User, c.Password), Host: place, Path: c.Database, RawQuery: "sslmode=disable"}
	return u.String()
}

func (s *Strict) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		_ = c.Close()
	}
}

// Left tells what was left behind in the sessions: settings that were made for one, locks
// it holds, channels it listens to, tables of its own. No client may be at work.
func (s *Strict) Left(t testing.TB) (left []string) {
	t.Helper()
	for range sessions {
		b := <-s.free
		found, err := b.left()
		if err != nil {
			t.Error(err)
		}
		left = append(left, found...)
		s.free <- b
	}
	return left
}

// serve is the life of one client.
func (s *Strict) serve(conn net.Conn) {
	defer conn.Close()
	s.mu.Lock()
	s.clients[conn] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.clients, conn)
		s.mu.Unlock()
	}()
	c := &client{Backend: pgproto3.NewBackend(conn, conn), statements: map[string]*pgproto3.Parse{}}
	if err := s.welcome(conn, c); err != nil {
		return
	}
	var b *backend
	for {
		m, err := c.Receive()
		if err != nil {
			s.abandon(b)
			return
		}
		if _, ends := m.(*pgproto3.Terminate); ends {
			s.abandon(b)
			return
		}
		if b == nil {
			b = <-s.free
		}
		idle, err := c.pass(m, b)
		if err != nil {
			s.abandon(b)
			return
		}
		if idle {
			s.free <- b
			b = nil
		}
	}
}

// abandon replaces a session whose client has left in the middle of something.
func (s *Strict) abandon(b *backend) {
	if b == nil {
		return
	}
	b.close()
	fresh, err := dialBackend(context.Background(), s.server)
	if err != nil {
		fresh = b // it is closed: whoever gets it hears so
	}
	s.free <- fresh
}

// allowed are the startup parameters that PgBouncer takes.
var allowed = map[string]bool{
	"user": true, "database": true, "application_name": true, "client_encoding": true, "DateStyle": true, "TimeZone": true,
	"standard_conforming_strings": true, "IntervalStyle": true,
}

var errRefused = errors.New("refused")

func (s *Strict) welcome(conn net.Conn, c *client) error {
	for {
		m, err := c.ReceiveStartupMessage()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *pgproto3.SSLRequest, *pgproto3.GSSEncRequest:
			if _, err := conn.Write([]byte("N")); err != nil {
				return err
			}
		case *pgproto3.StartupMessage:
			return s.start(c, m)
		default:
			return errRefused
		}
	}
}

func (s *Strict) start(c *client, m *pgproto3.StartupMessage) error {
	for name := range m.Parameters {
		if allowed[name] {
			continue
		}
		s.mu.Lock()
		s.refused = append(s.refused, name)
		s.mu.Unlock()
		c.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: " + name})
		_ = c.Flush()
		return errRefused
	}
	c.Send(&pgproto3.AuthenticationOk{})
	for name, value := range map[string]string{"server_version": "15.0", "client_encoding": "UTF8", "standard_conforming_strings": "on", "DateStyle": "ISO, MDY"} {
		c.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	c.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	c.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	return c.Flush()
}

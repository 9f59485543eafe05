package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// proxy stands on loopback between a store and its server. It cuts connections,
// holds them up as a network that loses every packet does, and counts round trips.
type proxy struct {
	url             string
	network, server string

	mu    sync.Mutex
	conns map[*proxied]bool
	// held is closed when what is held up may go on; nil while nothing is.
	held chan struct{}
	hold hold
	// gap gives how many pieces of what is said pass before every connection is cut
	// again; nil never cuts. left counts down to it.
	gap  func() int
	left int
}

// hold says what the proxy holds up.
type hold int

const (
	nothing hold = iota
	everything
	answers   // of the server
	listeners // all that is said on connections that listen
)

// proxied is one connection of a client and its other half.
type proxied struct {
	client, server net.Conn
	trips          atomic.Int64
	listens        atomic.Bool
}

func newProxy(t testing.TB, address string) *proxy {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: config.Database}
	u.RawQuery = "sslmode=disable" // what is encrypted cannot be counted
	p := &proxy{url: u.String(), conns: make(map[*proxied]bool)}
	p.network, p.server = pgconn.NetworkAddress(config.Host, config.Port)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.resume()
		p.cut()
		serving.Wait()
	})
	return p
}

// serve passes on what both sides of a connection say until one of them ends it.
func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := (&net.Dialer{}).DialContext(context.Background(), p.network, p.server)
	if err != nil {
		return
	}
	defer server.Close()
	c := &proxied{client: client, server: server}
	p.mu.Lock()
	p.conns[c] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.conns, c)
		p.mu.Unlock()
	}()
	var passing sync.WaitGroup
	passing.Go(func() {
		p.pass(c, server, client, answers)
		client.Close()
	})
	passing.Go(func() {
		p.pass(c, client, server, nothing)
		server.Close()
	})
	passing.Wait()
}

// pass copies one direction; as says what it would be held up as, besides
// everything.
func (p *proxy) pass(c *proxied, from io.Reader, to io.Writer, as hold) {
	count := messages{}
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if as != answers {
			if bytes.Contains(buffer[:n], []byte("listen ")) {
				c.listens.Store(true)
			}
			c.trips.Add(count.read(buffer[:n]))
		}
		p.wait(c, as)
		p.cutInTime()
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// wait waits while a connection is held up.
func (p *proxy) wait(c *proxied, as hold) {
	for {
		p.mu.Lock()
		held := p.held
		if p.hold != everything && p.hold != as && (p.hold != listeners || !c.listens.Load()) {
			held = nil
		}
		p.mu.Unlock()
		if held == nil {
			return
		}
		<-held
	}
}

// stall holds up, as of now, new connections among it.
func (p *proxy) stall(what hold) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold, p.held = what, make(chan struct{})
}

// resume lets everything go on.
func (p *proxy) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held != nil {
		close(p.held)
	}
	p.hold, p.held = nothing, nil
}

// cutAfter cuts every connection each time gap() pieces have passed, as of now. In
// pieces and not in time, so that a slow machine gets as far between two cuts as a
// fast one.
func (p *proxy) cutAfter(gap func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gap, p.left = gap, gap()
}

// cutInTime counts a piece that is about to pass.
func (p *proxy) cutInTime() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gap == nil {
		return
	}
	if p.left--; p.left < 0 {
		p.left = p.gap()
		p.cutLocked()
	}
}

// cut ends every connection there is, in the middle of whatever it says.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutLocked()
}

func (p *proxy) cutLocked() {
	for c := range p.conns {
		if tcp, ok := c.client.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // as a lost host does: what is on its way is lost too
		}
		c.client.Close()
		c.server.Close()
	}
}

// trips is how often a client has waited for the server, those left out that
// listen. It counts connections that there are.
func (p *proxy) trips() (n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if !c.listens.Load() {
			n += c.trips.Load()
		}
	}
	return n
}

// messages finds the ends of round trips in what a client says: a sync, or a simple
// query.
type messages struct {
	started bool
	head    []byte // of the message at hand
	left    int    // of its body
}

func (m *messages) read(b []byte) (trips int64) {
	for len(b) > 0 {
		if m.left > 0 {
			n := min(m.left, len(b))
			m.left, b = m.left-n, b[n:]
			continue
		}
		m.head, b = append(m.head, b[0]), b[1:]
		size := 5 // a letter and the length
		if !m.started {
			size = 4 // the first message has no letter
		}
		if len(m.head) < size {
			continue
		}
		m.left = int(binary.BigEndian.Uint32(m.head[size-4:])) - 4
		if m.started && (m.head[0] == 'S' || m.head[0] == 'Q') {
			trips++
		}
		m.started, m.head = true, m.head[:0]
	}
	return trips
}

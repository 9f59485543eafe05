package main

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// door is an address that leads to wherever dial does at the time, and whose connections
// can be cut.
type door struct {
	address string
	dial    func(context.Context) (net.Conn, error)
	mu      sync.Mutex
	open    map[net.Conn]bool // those of who came
}

func newDoor(t testing.TB, dial func(context.Context) (net.Conn, error)) *door {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{address: l.Addr().String(), dial: dial, open: map[net.Conn]bool{}}
	ctx := t.Context()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go d.pass(ctx, c)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		d.cut()
	})
	return d
}

// pass carries what is said both ways, until one side ends.
func (d *door) pass(ctx context.Context, in net.Conn) {
	defer in.Close()
	out, err := d.dial(ctx)
	if err != nil {
		return
	}
	defer out.Close()
	d.note(in, true)
	defer d.note(in, false)
	go func() {
		_, _ = io.Copy(out, in)
		out.Close()
	}()
	_, _ = io.Copy(in, out)
}

func (d *door) note(c net.Conn, here bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if here {
		d.open[c] = true
	} else {
		delete(d.open, c)
	}
}

// cut ends all connections and says how many there were.
func (d *door) cut() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		c.Close()
	}
	return len(d.open)
}

// count is how many connections there are.
func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

package history

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// Opened holds the streams that were looked at last, opened, for whoever steps from
// revision to revision; every question still asks the log whether that is all there is, and
// for the key. A stream is held for a minute, and given to nobody once its key is gone or
// the store hands out another sealer for it. The zero value is ready, and safe for
// concurrent use.
type Opened struct {
	mu   sync.Mutex
	held []*openedStream
}

// Bounds on what is held: how long, how many streams, and their size as they are stored. That of a
// task of fifty steps is a megabyte.
const (
	heldFor      = time.Minute
	maxHeld      = 8
	maxHeldBytes = 4 << 20
)

// openedStream is a stream of a tenant.
type openedStream struct {
	tenant string
	stream
}

func (s *openedStream) is(tenant, id string) bool { return s.tenant == tenant && s.id == id }

// get returns a stream that is held and has had no event since, nil if there is none.
func (o *Opened) get(tenant, id, log string, head int64, key domain.Sealer) *openedStream {
	if o == nil || !reflect.TypeOf(key).Comparable() {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, h := range o.held {
		if h.is(tenant, id) {
			o.held = slices.Delete(o.held, i, i+1)
			if h.key != key || h.head != head || h.log != log {
				return nil
			}
			o.held = append(o.held, h)
			return h
		}
	}
	return nil
}

// head is that of a stream that is held, before its first event if it is not.
func (o *Opened) head(tenant, id string) int64 {
	if o == nil {
		return Beginning
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, h := range o.held {
		if h.is(tenant, id) {
			return h.head
		}
	}
	return Beginning
}

// put holds a stream; those held longest go.
func (o *Opened) put(tenant string, of stream) {
	size := 0
	for _, e := range of.events {
		size += len(e.Data)
	}
	if o == nil || size > maxHeldBytes || !reflect.TypeOf(of.key).Comparable() {
		return
	}
	h := &openedStream{tenant, of}
	h.folds = sync.OnceValues(func() ([]task.Event, error) { return of.foldables(len(of.events)) })
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = append(slices.DeleteFunc(o.held, func(other *openedStream) bool { return other.is(tenant, of.id) }), h)
	if len(o.held) > maxHeld {
		o.held = slices.Delete(o.held, 0, len(o.held)-maxHeld)
	}
	time.AfterFunc(heldFor, func() { o.forget(h) })
}

// Forget drops a task's stream, whichever tenant it is of.
func (o *Opened) Forget(task string) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = slices.DeleteFunc(o.held, func(h *openedStream) bool { return h.id == task })
}

func (o *Opened) forget(h *openedStream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = slices.DeleteFunc(o.held, func(other *openedStream) bool { return other == h })
}

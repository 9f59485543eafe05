package feed

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// keepSaving saves the mark every now and then, until ctx ends. An error says
// that this process may not go on: nobody can tell any more how far it came.
func (d *delivery) keepSaving(ctx context.Context, m *mark, as Consumer, term int64) error {
	tick := time.NewTicker(d.SaveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		leads, err := d.Leads(ctx, d.duty())
		if err == nil && !leads {
			err = &LostError{Consumer: d.consumer}
		}
		if err == nil {
			err = d.save(ctx, m, as, term)
		}
		if err != nil {
			return err
		}
	}
}

func (d *delivery) save(ctx context.Context, m *mark, as Consumer, term int64) error {
	at, isNew := m.unsaved()
	if !isNew {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if err := d.Checkpoints.Save(ctx, as, term, at); err != nil {
		return fmt.Errorf("save the checkpoint of %s: %w", d.consumer, err)
	}
	m.wasSaved(at)
	return nil
}

// mark is the position up to which everything is acknowledged.
type mark struct {
	mu        sync.Mutex
	at, saved int64
}

func (m *mark) move(to int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = max(m.at, to)
}

func (m *mark) unsaved() (at int64, isNew bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at, m.at > m.saved
}

func (m *mark) wasSaved(at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved = at
}

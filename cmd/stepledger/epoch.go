package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/content"
)

// epochs is what the program does when its log was put back to an earlier state under it.
type epochs struct {
	number  prometheus.Gauge
	begun   chan struct{} // holds one
	mu      sync.Mutex
	beganAt int64         // the position the present epoch goes on after
	turned  chan struct{} // closed when the next begins
	handler atomic.Pointer[interact.Handler]
	content atomic.Pointer[content.Store]
}

func newEpochs(r prometheus.Registerer) *epochs {
	e := &epochs{
		begun: make(chan struct{}, 1), turned: make(chan struct{}),
		number: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "stepledger_log_epoch",
			Help: "Histories of the log between two restores or failovers, this one included; 1 without any.",
		}),
	}
	e.number.Set(1)
	r.MustRegister(e.number)
	return e
}

func (e *epochs) turn(beganAt int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.turned)
	e.beganAt, e.turned = beganAt, make(chan struct{})
}

// present is where the present epoch began, and what is closed at its end.
func (e *epochs) present() (beganAt int64, over <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.beganAt, e.turned
}

// enterEpoch forgets what is in memory of tasks: it may be of a future that is lost. It is
// called before anything is appended in the epoch.
func (s *system) enterEpoch(e eventstore.Epoch) {
	s.log.Warn("the log goes on in another epoch: its database was restored, or a standby took over",
		"epoch", e.Number, "goes_on_after_position", e.BeganAt)
	s.epochs.number.Set(float64(e.Number))
	s.epochs.turn(e.BeganAt)
	if h := s.epochs.handler.Load(); h != nil {
		h.ForgetAll()
	}
	if c := s.epochs.content.Load(); c != nil {
		c.ForgetAll()
	}
	select {
	case s.epochs.begun <- struct{}{}:
	default: // it is about to look already
	}
}

// followEpochs erases again what a restored database does not know to be erased, until ctx
// ends. A service that starts has done so before it serves; this is for one that was
// running.
func (s *system) followEpochs(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.epochs.begun:
		}
		for ctx.Err() == nil {
			err := s.reapplyErasures(ctx)
			if err == nil {
				break
			}
			s.log.Error("erasures of a restored database are not carried out yet", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(newsAgain):
			}
		}
	}
}

// Package fork has the events of a fork: a recorded turn decided anew with something
// changed, as an experiment. A fork has a stream of its own, "fork-<uuid>". No read model,
// bill or skill is made of it; its personal text is sealed under the key of the task it
// was made of, so that what erases the task erases its forks.
package fork

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/domain/usage"
)

// Stream returns the name of a fork's stream.
func Stream(id string) string { return "fork-" + id }

// Event is an event of a fork.
type Event interface{ isForkEvent() }

// Stored names. They never change.
const (
	NameForkStarted = "fork.fork_started.v1"
	NameModelCalled = "fork.model_called.v1"
	NameForkEnded   = "fork.fork_ended.v1"
)

// Codec reads and writes the stored form of the events.
var Codec = codec.New(map[string]Event{
	NameForkStarted: ForkStarted{},
	NameModelCalled: ModelCalled{},
	NameForkEnded:   ForkEnded{},
})

// ForkStarted: a turn of a task is decided anew. Settings are those that were changed,
// NewPage and NewAnswer say that a page or the first answer was given in place of the
// recorded one. Estimate is what it was thought to cost, nil if no price was known.
type ForkStarted struct {
	Tenant    string            `json:"tenant"`
	Actor     string            `json:"actor"`
	Task      string            `json:"task"`
	Turn      int               `json:"turn"`
	Revision  int64             `json:"revision"`
	Settings  map[string]string `json:"settings,omitempty"`
	Live      bool              `json:"live"`
	NewPage   bool              `json:"newPage,omitempty"`
	NewAnswer bool              `json:"newAnswer,omitempty"`
	Estimate  *usage.Pico       `json:"estimate,omitempty"`
	StartedAt time.Time         `json:"startedAt"`
}

// ModelCalled: a model was asked for the fork. It is on no tenant's bill. Cost is nil if
// its price is not known.
type ModelCalled struct {
	Call     string        `json:"call"`
	Purpose  string        `json:"purpose"`
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	Outcome  usage.Outcome `json:"outcome"`
	Meters   usage.Meters  `json:"meters"`
	Cost     *usage.Pico   `json:"cost,omitempty"`
}

// ForkEnded: the turn was decided, or could not be. Decided are the events it would have
// led to, as JSON.
type ForkEnded struct {
	Same  bool        `json:"same"`
	Spent *usage.Pico `json:"spent,omitempty"`

	Error   string          `json:"error,omitzero" sealed:"true"`
	Decided json.RawMessage `json:"decided,omitzero" sealed:"true"`
}

func (ForkStarted) isForkEvent() {}
func (ModelCalled) isForkEvent() {}
func (ForkEnded) isForkEvent()   {}

// State is what is remembered of a fork: nothing but that it is there.
type State struct{ Started, Ended bool }

// Decider is the aggregate. Its commands are its events: nobody decides against an
// experiment.
var Decider = domain.Decider[State, Event, Event]{
	Initial: func() State { return State{} },
	Decide: func(c Event, s State) ([]Event, error) {
		if s.Ended {
			return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "this fork has ended")
		}
		return []Event{c}, nil
	},
	Evolve: func(s State, e Event) State {
		switch e.(type) {
		case ForkStarted:
			s.Started = true
		case ForkEnded:
			s.Ended = true
		}
		return s
	},
}

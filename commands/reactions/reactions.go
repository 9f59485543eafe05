// Package reactions is where the system talks to itself: an event comes in, a
// command goes out. A reaction is a plain function of an event; who delivers it
// is none of its business.
//
// Events come at least once, and all of them again to whoever starts over. So
// every command is one whose wish may hold already, which changes nothing, and
// what it writes has ids derived from the event's.
package reactions

import (
	"context"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Reaction is what the system does by itself on events of some types. Its name
// never changes: how far it has come is kept under it.
type Reaction struct {
	Name   string
	Types  []string
	Handle func(ctx context.Context, e eventstore.Recorded) error
}

// Deps is what reactions need from outside.
type Deps struct {
	Log   eventstore.Log
	Keys  commands.Keys
	Tasks Tasks
	Calls Calls
	Bills Bills
}

// All are the reactions there are.
func All(d Deps) []Reaction {
	return []Reaction{d.interruptArchived(), d.closeCalls(), d.bookCorrections()}
}

// subject is the id of what a stream is about.
func subject(stream string) string {
	_, id, _ := strings.Cut(stream, "-")
	return id
}

// writing gives what a reaction writes about a task its envelope and ids.
func writing(reaction string, e eventstore.Recorded, task string) commands.Writing {
	return commands.Writing{
		Meta: eventstore.Metadata{
			Tenant: e.Metadata().Tenant, Actor: "system", Correlation: task, Causation: e.ID, Schema: 1,
		},
		ID: func(i int) string { return domain.DeriveUUID(reaction, e.ID, task, strconv.Itoa(i)) },
	}
}

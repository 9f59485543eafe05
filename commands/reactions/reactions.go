// Package reactions turns events into commands: it is where the system talks to
// itself. A reaction is a plain function of an event and does not know who delivers
// it.
//
// Events arrive at least once, and all of them again for a consumer that starts over.
// So every command is idempotent, and everything it writes has ids derived from the
// event's.
package reactions

import (
	"context"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Reaction handles events of some types. Its name never changes, because its
// checkpoint is stored under it.
type Reaction struct {
	Name   string
	Types  []string
	Handle func(ctx context.Context, e eventstore.Recorded) error
}

// Deps are the dependencies of reactions.
type Deps struct {
	Log   eventstore.Log
	Keys  commands.Keys
	Tasks Tasks
	Calls Calls
	Bills Bills
	// Content has the pages of tasks, Pages wants some of them.
	Content commands.Content
	Pages   Pages
}

// All returns all reactions.
func All(d Deps) []Reaction {
	return []Reaction{d.interruptArchived(), d.closeCalls(), d.bookCorrections(), d.seePages()}
}

// subject returns the id in a stream's name.
func subject(stream string) string {
	_, id, _ := strings.Cut(stream, "-")
	return id
}

// writing returns the envelope and ids of what a reaction writes about a task.
func writing(reaction string, e eventstore.Recorded, task string) commands.Writing {
	return commands.Writing{
		Meta: eventstore.Metadata{
			Tenant: e.Metadata().Tenant, Actor: "system", Correlation: task, Causation: e.ID, Schema: 1,
		},
		ID: func(i int) string { return domain.DeriveUUID(reaction, e.ID, task, strconv.Itoa(i)) },
	}
}

// Package session is the Session aggregate: a conversation of a user over one or more
// tasks. Its stream records only that it began and that it was archived; messages and
// status are projections of the tasks' events. A session without a visible task is
// not shown.
package session

import (
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
)

// Stream returns the name of a session's stream.
func Stream(id string) string { return "session-" + id }

// Event is an event of a session.
type Event interface{ isSessionEvent() }

// Stored names. They never change.
const (
	NameSessionStarted  = "session.session_started.v1"
	NameSessionArchived = "session.session_archived.v1"
)

// Codec reads and writes the stored form of the events.
var Codec = codec.New(map[string]Event{
	NameSessionStarted:  SessionStarted{},
	NameSessionArchived: SessionArchived{},
})

// SessionStarted: a user opened a conversation.
type SessionStarted struct {
	Tenant string `json:"tenant"`
	User   string `json:"user"`
}

// SessionArchived: the conversation is kept for auditing only; no task may be
// added to it.
type SessionArchived struct {
	By string `json:"by"`
}

func (SessionStarted) isSessionEvent()  {}
func (SessionArchived) isSessionEvent() {}

// State is the state of a session.
type State struct {
	Exists   bool
	Tenant   string
	User     string
	Archived bool
}

// Command is a command to a session.
type Command interface{ isSessionCommand() }

// Start opens a session for a user.
type Start struct{ Tenant, User string }

// Archive archives a session.
type Archive struct{ Tenant, User string }

func (Start) isSessionCommand()   {}
func (Archive) isSessionCommand() {}

// Decider is the aggregate.
var Decider = domain.Decider[State, Command, Event]{
	Initial: func() State { return State{} },
	Decide:  Decide,
	Evolve:  Evolve,
}

// Decide returns the events of a command. It returns SESSION_NOT_FOUND for another
// user's session.
func Decide(c Command, s State) ([]Event, error) {
	switch c := c.(type) {
	case Start:
		return start(c, s)
	case Archive:
		if !s.Exists || s.Tenant != c.Tenant || s.User != c.User {
			return nil, NotFound()
		}
		if s.Archived {
			return nil, nil
		}
		return []Event{SessionArchived{By: c.User}}, nil
	}
	return nil, nil
}

func start(c Start, s State) ([]Event, error) {
	switch {
	case !s.Exists:
		return []Event{SessionStarted(c)}, nil
	case s.Tenant != c.Tenant || s.User != c.User:
		return nil, NotFound()
	case s.Archived:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict,
			"this session is archived; start a new one by leaving sessionId out").At("sessionId")
	}
	return nil, nil
}

// NotFound is the error for a session that does not exist for the caller.
func NotFound() error {
	return domain.Errorf(domain.NotFound, domain.CodeSessionNotFound, "there is no such session").At("sessionId")
}

// Evolve applies an event.
func Evolve(s State, e Event) State {
	switch e := e.(type) {
	case SessionStarted:
		s.Exists, s.Tenant, s.User = true, e.Tenant, e.User
	case SessionArchived:
		s.Archived = true
	}
	return s
}

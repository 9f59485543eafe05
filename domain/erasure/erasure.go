// Package erasure is the record of who was forgotten: one stream per tenant,
// "erasure-<tenant>", that says what was asked for, by whom, when and why, and what was
// erased where. It holds ids, counts and words of our own lists, and never a text about
// anybody, so that the record can be kept for ever.
//
// It decides only whether there is something to do. The work is that of package commands.
package erasure

import (
	"maps"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
)

// Category is that of the streams.
const Category = "erasure"

// Stream returns the name of a tenant's stream.
func Stream(tenant string) string { return Category + "-" + tenant }

// Kind says what is erased.
type Kind string

// The kinds.
const (
	// User is everything of one user: tasks, account, preferences.
	User Kind = "user"
	// Tenant is everything of a tenant, all its users included.
	Tenant Kind = "tenant"
	// Task is the content of one task.
	Task Kind = "task"
)

// Kinds are all of them.
var Kinds = []Kind{User, Tenant, Task}

// Reason is why something is erased: a word, since what somebody writes about a person
// who wants to be forgotten could not be kept.
type Reason string

// The reasons.
const (
	// Asked: the person, or whoever speaks for them, asked for it.
	Asked Reason = "asked"
	// Left: they do not use the system any more.
	Left Reason = "left"
	// Law: a court or an authority wants it.
	Law Reason = "law"
	// Mistake: it should never have been here.
	Mistake Reason = "mistake"
)

// Reasons are all of them.
var Reasons = []Reason{Asked, Left, Law, Mistake}

// ID is the id of an erasure. There is one for each subject, so that asking for it again
// is asking for the same.
func ID(tenant string, kind Kind, subject string) string {
	return domain.DeriveUUID("erasure", tenant, string(kind), subject)
}

// Event is an event of the record.
type Event interface{ isErasureEvent() }

// Stored names. They never change.
const (
	NameErasureRequested = "erasure.erasure_requested.v1"
	NameErasureCompleted = "erasure.erasure_completed.v1"
)

// Codec reads and writes the stored form of the events.
var Codec = codec.New(map[string]Event{
	NameErasureRequested: ErasureRequested{},
	NameErasureCompleted: ErasureCompleted{},
})

// ErasureRequested: from now on nothing of the subject is kept. Subject is the id of the
// user, tenant or task; By the id of the user who asked, or "operator".
type ErasureRequested struct {
	Erasure string    `json:"erasure"`
	Tenant  string    `json:"tenant"`
	Kind    Kind      `json:"kind"`
	Subject string    `json:"subject"`
	By      string    `json:"by"`
	Reason  Reason    `json:"reason"`
	At      time.Time `json:"at"`
}

// ErasureCompleted: it is done. Again says that it had been done before: a restored
// backup had brought something back, or a request that was under way had left something.
type ErasureCompleted struct {
	Erasure string    `json:"erasure"`
	At      time.Time `json:"at"`
	Again   bool      `json:"again,omitempty"`
	Report  Report    `json:"report"`
}

// Report is what was erased where, and what stays and why.
type Report struct {
	Erased []Count `json:"erased"`
	Kept   []Kept  `json:"kept"`
}

// Count is how much of something there was in a store.
type Count struct {
	Store string `json:"store"`
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// Kept is something that stays.
type Kept struct {
	Store string `json:"store"`
	What  string `json:"what"`
	Why   string `json:"why"`
}

func (ErasureRequested) isErasureEvent() {}
func (ErasureCompleted) isErasureEvent() {}

// Erasure is one entry of the record.
type Erasure struct {
	ErasureRequested
	// Completed is the newest report, nil as long as there is work to do.
	Completed *ErasureCompleted
}

// Listed is an erasure as it is listed outside the database, so that a restored backup can
// be told what was erased since. It holds ids only.
type Listed struct {
	Erasure string    `json:"erasure"`
	Tenant  string    `json:"tenant"`
	Kind    Kind      `json:"kind"`
	Subject string    `json:"subject"`
	Reason  Reason    `json:"reason"`
	At      time.Time `json:"at"`
}

// Listed is the entry for the list.
func (e ErasureRequested) Listed() Listed {
	return Listed{e.Erasure, e.Tenant, e.Kind, e.Subject, e.Reason, e.At}
}

// State is the record of a tenant. States are never changed in place.
type State struct {
	Erasures map[string]Erasure
}

// InOrder lists the entries by the time they were asked for.
func (s State) InOrder() []Erasure {
	return slices.SortedFunc(maps.Values(s.Erasures), func(a, b Erasure) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return slices.Compare([]byte(a.Erasure), []byte(b.Erasure))
	})
}

// Command is a command to the record.
type Command interface{ isErasureCommand() }

// Request asks for an erasure. What was asked for before leads to no event. Requested is
// the event to append without its id.
type Request struct{ Requested ErasureRequested }

// Complete records that one is done. Done again, it is recorded only if something was
// found, or if Restored says that the database had lost its knowledge of it.
type Complete struct {
	Erasure  string
	At       time.Time
	Report   Report
	Restored bool
}

func (Request) isErasureCommand()  {}
func (Complete) isErasureCommand() {}

// Decider is the aggregate.
var Decider = domain.Decider[State, Command, Event]{
	Initial: func() State { return State{} },
	Decide:  Decide,
	Evolve:  Evolve,
}

// Decide returns the events of a command. It returns a validation error for a request
// with an unknown kind or reason, and RESOURCE_CONFLICT for the end of what nobody asked
// for.
func Decide(c Command, s State) ([]Event, error) {
	switch c := c.(type) {
	case Request:
		return request(c.Requested, s)
	case Complete:
		return complete(c, s)
	}
	return nil, nil
}

func request(r ErasureRequested, s State) ([]Event, error) {
	switch {
	case !slices.Contains(Kinds, r.Kind):
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "what is erased is a user, a tenant or a task").At("kind")
	case !slices.Contains(Reasons, r.Reason):
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "the reason is one of %v", Reasons).At("reason")
	case r.Kind == Tenant && r.Subject != r.Tenant:
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "a tenant's record is about that tenant").At("subject")
	}
	r.Erasure, r.At = ID(r.Tenant, r.Kind, r.Subject), r.At.UTC()
	if _, known := s.Erasures[r.Erasure]; known {
		return nil, nil
	}
	return []Event{r}, nil
}

func complete(c Complete, s State) ([]Event, error) {
	known, ok := s.Erasures[c.Erasure]
	if !ok {
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "nobody asked for this erasure")
	}
	again := known.Completed != nil
	if again && !c.Restored && !c.Report.Any() {
		return nil, nil
	}
	return []Event{ErasureCompleted{c.Erasure, c.At.UTC(), again, c.Report}}, nil
}

// Any reports whether anything was erased.
func (r Report) Any() bool {
	return slices.ContainsFunc(r.Erased, func(c Count) bool { return c.Count > 0 })
}

// Evolve applies an event.
func Evolve(s State, e Event) State {
	switch e := e.(type) {
	case ErasureRequested:
		return s.with(Erasure{ErasureRequested: e})
	case ErasureCompleted:
		known := s.Erasures[e.Erasure]
		known.Completed = &e
		return s.with(known)
	}
	return s
}

func (s State) with(e Erasure) State {
	next := maps.Clone(s.Erasures)
	if next == nil {
		next = map[string]Erasure{}
	}
	next[e.ErasureRequested.Erasure] = e
	return State{next}
}

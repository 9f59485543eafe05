package commands

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Ports: what the use cases need from outside, in domain values.

// Keys returns the sealer of a subject's personal text. A subject is a task, or what
// a stream is about in place of one.
type Keys interface {
	// NewKey creates the subject's data key unless it has one or ever had one.
	NewKey(ctx context.Context, tenant, subject string) (domain.Sealer, error)
	// Key returns the sealer for reading. If the key was dropped or never existed,
	// every Open of the sealer returns domain.ErrErased.
	Key(ctx context.Context, tenant, subject string) (domain.Sealer, error)
}

// Content stores pages, screenshots, prompts and answers outside the log, sealed
// under the subject's key and addressed by hash. What Put stored is durable no later
// than any event appended after it returned.
type Content interface {
	Put(ctx context.Context, tenant, subject, kind string, body []byte) (ref string, err error)
	Get(ctx context.Context, tenant, subject, ref string) ([]byte, error)
}

// Intake takes in what requests bring, content and the events that refer to it.
type Intake interface {
	// Begin begins to take in something of a subject; it waits for nothing. With trust the
	// subject's key may come from memory, and one for a new subject is made on the way:
	// Append then finds out whether that was right.
	Begin(tenant, subject string, trust bool) Taking
}

// Taking collects content and ends with one append. No event is ever in the log without
// the content it refers to, and with trust none that is sealed under a key that is gone.
type Taking interface {
	// Key is Keys.Key, or Keys.NewKey for a subject that is new. It comes before Put.
	Key(ctx context.Context, isNew bool) (domain.Sealer, error)
	// Put is Content.Put, except that the content may be stored by Append. It is safe for
	// concurrent use.
	Put(ctx context.Context, kind string, body []byte) (ref string, err error)
	// Beside makes Append append events to another stream first, which has to stand at a
	// revision; without events it only has to stand there.
	Beside(stream string, at int64, events []eventstore.Proposed)
	// Append has the errors of eventstore.Log, of which a WrongRevisionError may be about a
	// stream beside, and domain.ErrErased if the key is gone.
	Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error)
}

// PageReader reads a capture into a page, and returns the capture without the values
// of secret fields, as it may be stored.
type PageReader interface {
	ReadRedacted(c page.Capture) (page.Page, page.Capture, error)
}

// Reasoner answers the questions of the graph.
type Reasoner interface {
	Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error)
	Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error)
	Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error)
	Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error)
}

// Planner answers the questions that take a model: how to go about a task, and whether
// an action makes sense. Nothing depends on its answers: without them the task goes on.
type Planner interface {
	Plan(ctx context.Context, q reasoning.PlanQuestion) (reasoning.PlanAnswer, error)
	CheckPlan(ctx context.Context, q reasoning.PlanCheckQuestion) (reasoning.PlanCheck, error)
	Critique(ctx context.Context, q reasoning.CritiqueQuestion) (reasoning.Critique, error)
}

// Skills finds the skills for a goal on a site.
type Skills interface {
	Find(ctx context.Context, tenant, site, goal string) ([]reasoning.Skill, error)
}

// Search searches the web. Its results were written by strangers.
type Search interface {
	// Find returns at most q.Max results, best first. It ends with its context.
	Find(ctx context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error)
}

// Knowledge finds what documents say, those of a tenant's organisation and public ones.
type Knowledge interface {
	// Find returns pieces that fit a task on the page with this address, best first, and
	// whether the organisation knows anything about that site. The task may be the name of
	// a value that is missing. It ends with its context.
	Find(ctx context.Context, tenant, address, task string) (chunks []reasoning.Chunk, known bool, err error)
}

// Instances reports whether the process that claimed a turn is alive.
type Instances interface {
	// Own is the instance id of this process.
	Own() string
	Alive(ctx context.Context, instance string) (bool, error)
}

// Prices returns the current price book, with everything imported before the call to
// Book.
type Prices interface {
	Book(ctx context.Context) (*usage.Book, error)
}

// Budget holds what tenants may spend in a month and what they have spent.
type Budget interface {
	// Reserve sets an amount aside and returns the month the call belongs to, like
	// 2026-11. It returns QUOTA_EXCEEDED if the budget has no room; that holds across
	// processes. Repeating it for the same call reserves nothing more.
	Reserve(ctx context.Context, r usage.Reservation) (month string, err error)
	// Release frees the reservation of a call that was never made.
	Release(ctx context.Context, call string) error
	// Charge books a call's bill in place of its reservation or an earlier bill. A
	// bill older than the booked one changes nothing.
	Charge(ctx context.Context, b usage.Booking) error
}

// Clock returns the current time.
type Clock func() time.Time

// IDs returns a random id.
type IDs func() string

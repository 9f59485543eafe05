package commands

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/usage"
)

// Ports: what the use cases need from outside, in domain values.

// Keys gives the sealer for a subject's personal text (a subject is a task, or
// what stands in its place in a stream).
type Keys interface {
	// NewKey makes the subject's data key if it has none and never had one.
	NewKey(ctx context.Context, tenant, subject string) (domain.Sealer, error)
	// Key is the sealer to read with. Where the key was dropped, or never was,
	// the sealer answers domain.ErrErased to every Open.
	Key(ctx context.Context, tenant, subject string) (domain.Sealer, error)
}

// Content keeps pages, screenshots, prompts and answers outside the log,
// sealed under the subject's key and addressed by hash. Put is durable no later
// than any event appended after it returned.
type Content interface {
	Put(ctx context.Context, tenant, subject, kind string, body []byte) (ref string, err error)
	Get(ctx context.Context, tenant, subject, ref string) ([]byte, error)
}

// PageReader reads a capture into a page, and gives the capture with the values
// of secret fields cut out: the form in which it may be stored.
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

// Skills finds what was learnt for a goal on a site.
type Skills interface {
	Find(ctx context.Context, tenant, site, goal string) ([]reasoning.Skill, error)
}

// Instances tells whether the process that claimed a turn is still alive.
type Instances interface {
	// Own is this process's instance id.
	Own() string
	Alive(ctx context.Context, instance string) (bool, error)
}

// Prices gives the price book as it is now: what was imported before the call
// to Book is in it.
type Prices interface {
	Book(ctx context.Context) (*usage.Book, error)
}

// Budget keeps what tenants may spend in a month, and what they have spent.
type Budget interface {
	// Reserve sets an amount aside, or refuses with QUOTA_EXCEEDED: of callers at
	// once, in whatever process, no more are let through than the budget has room
	// for. It gives the month the call belongs to, like 2026-11. The same call
	// again sets nothing more aside.
	Reserve(ctx context.Context, r usage.Reservation) (month string, err error)
	// Release gives back what was set aside for a call that was never made.
	Release(ctx context.Context, call string) error
	// Charge counts a call's bill in place of what was set aside for it, or of an
	// earlier bill. What is older than what it has changes nothing.
	Charge(ctx context.Context, b usage.Booking) error
}

// Clock is the time.
type Clock func() time.Time

// IDs draws random ids.
type IDs func() string

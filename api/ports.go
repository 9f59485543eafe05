package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/account"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// Deps is what the api needs from outside. All fields are required unless they
// say otherwise.
type Deps struct {
	Identity   Identity
	Interactor Interactor
	Archiver   Archiver
	Sessions   Sessions
	Tasks      Tasks
	Usage      Usage
	Billing    Billing
	History    History
	Parking    Parking
	Log        LogHead
	Waiter     Waiter
	// Checks are what health is made of.
	Checks []Check
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Origins may call from a browser, each as scheme://host[:port], an extension as
	// chrome-extension://id; AnyExtension is all of them.
	Origins []string
	// TrustedProxies are the networks (CIDR) whose X-Forwarded-For is believed;
	// none means that the peer is the client.
	TrustedProxies []string
	// Web serves what is not below /api and not the OpenAPI files; nil means 404.
	Web http.Handler
	// Version of this build, shown in the OpenAPI description.
	Version string
}

// Identity is everything about who calls.
type Identity interface {
	Tokens
	Limits
	Preferences
	Users
}

// Tokens lets people in and out. Refusals are *domain.Error with the codes
// INVALID_CREDENTIALS, ACCOUNT_DISABLED and UNAUTHORIZED.
type Tokens interface {
	Login(ctx context.Context, email string, password account.Secret) (account.Login, error)
	Authenticate(ctx context.Context, token account.Secret) (account.Principal, error)
	// Logout revokes a token at once, on all replicas.
	Logout(ctx context.Context, token account.Secret) error
}

// Limits counts requests across replicas.
type Limits interface {
	// TakeLogin counts an attempt by account and network address.
	TakeLogin(ctx context.Context, email, address string) (account.Quota, error)
	// Take counts a request of the caller's tenant.
	Take(ctx context.Context, p account.Principal, class account.Class) (account.Quota, error)
	// TakeBytes counts what the body of such a request weighs.
	TakeBytes(ctx context.Context, p account.Principal, class account.Class, n int64) (account.Quota, error)
	// TakeAddress counts a request of nobody known by its network address.
	TakeAddress(ctx context.Context, address string) (account.Quota, error)
	// Refund gives one taken request back.
	Refund(ctx context.Context, p account.Principal, class account.Class) error
}

// Preferences keeps one JSON object per user and tenant.
type Preferences interface {
	// Preferences is {} before anything was saved.
	Preferences(ctx context.Context, p account.Principal) (json.RawMessage, error)
	SavePreferences(ctx context.Context, p account.Principal, doc json.RawMessage) error
}

// Users says who belongs to a tenant.
type Users interface {
	HasUser(ctx context.Context, tenantID, userID string) (bool, error)
}

// Interactor runs the interact turn.
type Interactor interface {
	// Interact answers a request. Beside an error there may be a result: the
	// error is the stored answer of a turn then, and the result says which. The
	// deadline of ctx is for what comes before a turn; once it has begun it takes
	// the time it needs.
	Interact(ctx context.Context, r interact.Request) (interact.Result, error)
}

// Archiver archives a session and gives the log position after it. Twice is no
// error.
type Archiver interface {
	ArchiveSession(ctx context.Context, tenant, user, session string) (position int64, err error)
}

// Sessions are the queries of the projection of that name.
type Sessions interface {
	List(ctx context.Context, f sessions.Filter) (sessions.Page, error)
	Latest(ctx context.Context, tenant, user, status string) (sessions.Session, error)
	Messages(ctx context.Context, tenant, user, session string, f sessions.MessageFilter) (sessions.Messages, error)
}

// Tasks are the queries of the projection of that name.
type Tasks interface {
	Active(ctx context.Context, tenant, user, session, url string) (tasks.View, error)
	List(ctx context.Context, f tasks.Filter) ([]tasks.View, error)
}

// Usage are the queries of the projection of that name.
type Usage interface {
	Summary(ctx context.Context, f usage.SummaryFilter) (usage.Summary, error)
	Calls(ctx context.Context, f usage.CallFilter) (usage.Calls, error)
}

// Billing is what finance has beside the projection.
type Billing interface {
	// Zone is a tenant's time zone.
	Zone(ctx context.Context, tenant string) (string, error)
	// Export writes calls as CSV. An error before anything is written may be told.
	Export(ctx context.Context, w io.Writer, e ledger.Export) error
}

// History folds a task's stream as it is asked.
type History interface {
	Events(ctx context.Context, tenant, task string, from int64, limit int) (history.Events, error)
	StateAt(ctx context.Context, tenant, task string, revision int64) (history.State, error)
}

// Parking is what read models have put aside. Its errors have the codes
// PROJECTION_NOT_FOUND and RESOURCE_CONFLICT.
type Parking interface {
	Parked(ctx context.Context, f projections.ParkedFilter) ([]projections.Parked, error)
	// RetryParked says how many events were applied, and how many are left.
	RetryParked(ctx context.Context, f projections.ParkedFilter) (applied, left int, err error)
}

// LogHead tells how far the log has come.
type LogHead interface {
	Head(ctx context.Context) (int64, error)
}

// Waiter waits for projections.
type Waiter interface {
	// Wait returns when all named projections have passed a position, at the
	// latest after max, and says how many positions the slowest is then behind.
	Wait(ctx context.Context, names []string, position int64, max time.Duration) (lag int64, err error)
}

// Check is one service health asks. Probe returns nil when it is well, within
// the time of its context.
type Check struct {
	Name string
	// Critical: without it nothing works (unhealthy). Without the others
	// something does (degraded).
	Critical bool
	Probe    func(ctx context.Context) error
}

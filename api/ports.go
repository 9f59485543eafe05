package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// Deps are the dependencies of the api. All fields are required unless noted.
type Deps struct {
	Identity    Identity
	Interactor  Interactor
	Archiver    Archiver
	Pauser      Pauser
	Control     Control
	Erasures    Erasures
	Sessions    Sessions
	Tasks       Tasks
	Usage       Usage
	Billing     Billing
	History     History
	Exporter    Exporter
	Snapshots   Snapshots
	Parking     Parking
	Calibration Calibration
	Skills      Skills
	Replays     Replays
	Knowledge   Knowledge
	Library     Library
	Log         LogHead
	Waiter      Waiter
	// Checks are the services health asks.
	Checks []Check
	Logger *slog.Logger
	// Requests is told of every request; nil tells nobody.
	Requests Requests
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Origins may call from a browser, each as scheme://host[:port], an extension as
	// chrome-extension://id; AnyExtension allows all extensions.
	Origins []string
	// TrustedProxies are the networks (CIDR) whose X-Forwarded-For is trusted; none
	// means that the peer is the client.
	TrustedProxies []string
	// PublicLimit is how many requests a minute an address may make to the public routes,
	// health and the description; 0 means DefaultPublicLimit.
	PublicLimit int
	// Turns is how many turns work at a time; 0 means a few for each core.
	Turns int
	// DebugAnswers allows callers to ask for debugInfo, by X-Debug: true.
	DebugAnswers bool
	// Web serves everything outside /api and the OpenAPI files; nil means 404.
	Web http.Handler
	// Version of this build, shown in the OpenAPI description.
	Version string
}

// Identity is authentication, limits, preferences and people.
type Identity interface {
	Tokens
	Limits
	Preferences
	Users
	People
}

// Tokens logs users in and out. Errors are *domain.Error with the codes
// INVALID_CREDENTIALS and ACCOUNT_DISABLED.
type Tokens interface {
	Login(ctx context.Context, email string, password account.Secret, from account.Client) (account.Login, error)
	// Logout revokes the caller's token at once, on all replicas.
	Logout(ctx context.Context, p account.Principal, request string) error
	// ChangePassword ends all logins of the caller and returns a new one.
	ChangePassword(ctx context.Context, p account.Principal, current, next account.Secret, from account.Client) (account.Login, error)
	// AcceptInvite makes the invited user and logs them in. name replaces the invitation's
	// unless it is "". An invitation that cannot be accepted (any more) is NotFound.
	AcceptInvite(ctx context.Context, token, password account.Secret, name string, from account.Client) (account.Login, error)
	// Logins returns those of a user that hold; current is marked.
	Logins(ctx context.Context, tenant, user, current string) ([]account.LoginInfo, error)
	RevokeLogin(ctx context.Context, p account.Principal, id, request string) error
	// RevokeLogins ends all logins of a user but one, "" for all.
	RevokeLogins(ctx context.Context, by account.Actor, tenant, user, but string) (int64, error)
}

// People manages the users of a tenant. A user or invitation the tenant does not have is
// NotFound; what would leave it without an admin, or two users in a personal one, is a
// Conflict.
type People interface {
	Tenant(ctx context.Context, id string) (account.Tenant, error)
	SetAllowedDomains(ctx context.Context, by account.Actor, tenant string, patterns []string) error
	Users(ctx context.Context, tenant string) ([]account.User, error)
	SetRole(ctx context.Context, by account.Actor, tenant, user string, role account.Role) error
	Disable(ctx context.Context, by account.Actor, tenant, user string) error
	Enable(ctx context.Context, by account.Actor, tenant, user string) error
	// Invite returns the token that accepts the invitation, which is shown once.
	Invite(ctx context.Context, by account.Actor, i account.Invite) (account.Invite, account.Secret, error)
	Invites(ctx context.Context, tenant string, limit int) ([]account.Invite, error)
	RevokeInvite(ctx context.Context, by account.Actor, tenant, id string) error
	// Audit returns the newest entries first.
	Audit(ctx context.Context, f account.AuditFilter) ([]account.Audited, error)
}

// Limits counts requests across replicas.
type Limits interface {
	// TakeLogin counts an attempt by account and network address.
	TakeLogin(ctx context.Context, email, address string) (account.Quota, error)
	// Admit returns the owner of a token, and counts a request of their tenant and, unless
	// bytes is negative and if the request was counted, the bytes of its body. The code of
	// its error is UNAUTHORIZED where nobody has the token.
	Admit(ctx context.Context, token account.Secret, class account.Class, bytes int64) (account.Admission, error)
	// TakeBytes counts the bytes of a request's body where Admit did not know them.
	TakeBytes(ctx context.Context, p account.Principal, class account.Class, n int64) (account.Quota, error)
	// TakeAddress counts a request of an unknown caller by its network address.
	TakeAddress(ctx context.Context, address string) (account.Quota, error)
	// Refund returns one taken request.
	Refund(ctx context.Context, p account.Principal, class account.Class) error
}

// Preferences stores one JSON object per user and tenant.
type Preferences interface {
	// Preferences returns {} if nothing was saved.
	Preferences(ctx context.Context, p account.Principal) (json.RawMessage, error)
	SavePreferences(ctx context.Context, p account.Principal, doc json.RawMessage) error
}

// Users knows who belongs to a tenant.
type Users interface {
	HasUser(ctx context.Context, tenantID, userID string) (bool, error)
}

// Interactor runs the interact turn.
type Interactor interface {
	// Interact answers a request. It may return a result beside an error: then the
	// error is a turn's stored answer, and the result identifies it. The deadline of
	// ctx is for what comes before a turn; a turn that has begun takes the time it
	// needs.
	Interact(ctx context.Context, r interact.Request) (interact.Result, error)
}

// Archiver archives a session and returns the log position after it. Archiving twice
// is not an error.
type Archiver interface {
	ArchiveSession(ctx context.Context, tenant, user, session string) (position int64, err error)
}

// Pauser holds tasks and hands them back, in the name of a user of their tenant. Doing
// either twice is not an error. Errors have the codes TASK_NOT_FOUND, TASK_COMPLETED and
// VALIDATION_ERROR.
type Pauser interface {
	PauseTask(ctx context.Context, tenant, by, task string, kind task.PauseKind, note string) (commands.Held, error)
	ResumeTask(ctx context.Context, tenant, by, task, note string) (commands.Held, error)
}

// Control is what a user does with tasks of their own. Doing it twice is not an error.
// Errors have the codes TASK_NOT_FOUND, also for a task of another user, TASK_COMPLETED and
// RESOURCE_CONFLICT.
type Control interface {
	StopTask(ctx context.Context, tenant, user, task string) (commands.Controlled, error)
	CancelTask(ctx context.Context, tenant, user, task string) (commands.Controlled, error)
	ResumeTask(ctx context.Context, tenant, user, task string) (commands.Controlled, error)
}

// Erasures forgets users and tasks of a tenant, or the tenant.
type Erasures interface {
	// RequestErasure records that something is to be erased and has it done, without waiting
	// for that; the first request's record is returned if there was one. A user's logins end
	// at once. Errors have the codes NOT_FOUND, TASK_NOT_FOUND, and for a tenant's last admin
	// RESOURCE_CONFLICT.
	RequestErasure(ctx context.Context, by account.Actor, r erasure.ErasureRequested) (commands.RecordedErasure, error)
	// Erasures returns all that were ever asked for of a tenant.
	Erasures(ctx context.Context, tenant string) ([]commands.RecordedErasure, error)
}

// Sessions are the queries of the sessions projection.
type Sessions interface {
	List(ctx context.Context, f sessions.Filter) (sessions.Page, error)
	Latest(ctx context.Context, tenant, user, status string) (sessions.Session, error)
	Messages(ctx context.Context, tenant, user, session string, f sessions.MessageFilter) (sessions.Messages, error)
}

// Tasks are the queries of the tasks projection.
type Tasks interface {
	Active(ctx context.Context, tenant, user, session, url string) (tasks.View, error)
	List(ctx context.Context, f tasks.Filter) ([]tasks.View, error)
	Find(ctx context.Context, s tasks.Search) (tasks.Page, error)
}

// Usage are the queries of the usage projection.
type Usage interface {
	Summary(ctx context.Context, f usage.SummaryFilter) (usage.Summary, error)
	Calls(ctx context.Context, f usage.CallFilter) (usage.Calls, error)
}

// Billing is what finance has beside the projection.
type Billing interface {
	// Zone returns a tenant's time zone.
	Zone(ctx context.Context, tenant string) (string, error)
	// Export writes calls as CSV. An error before anything is written may be
	// reported.
	Export(ctx context.Context, w io.Writer, e ledger.Export) error
	// Standing returns how a tenant's month stands at a time: one, or all with a budget
	// for "".
	Standing(ctx context.Context, tenant string, now time.Time) ([]ledger.Standing, error)
	// Statements returns those issued for a tenant, the newest first, without lines.
	Statements(ctx context.Context, tenant string) ([]ledger.Statement, error)
	// DraftStatement returns that of a month as it would be now, or as issued.
	DraftStatement(ctx context.Context, tenant, month string) (ledger.Statement, error)
	// IssueStatement makes it final. It returns STATEMENT_NOT_DUE where that is too early.
	IssueStatement(ctx context.Context, tenant, month string, now time.Time) (ledger.Statement, error)
}

// History folds a task's stream on request. It writes nothing.
type History interface {
	Events(ctx context.Context, tenant, task string, f history.Filter) (history.Events, error)
	StateAt(ctx context.Context, tenant, task string, revision int64) (history.State, error)
	StateAtTime(ctx context.Context, tenant, task string, at time.Time) (history.State, error)
	Turns(ctx context.Context, tenant, task string, from, limit int) (history.Turns, error)
	Turn(ctx context.Context, tenant, task string, turn int) (history.Turn, error)
	// Graph is of the whole task, or with a turn of what that is connected with.
	Graph(ctx context.Context, tenant, task string, turn int) (history.CausalGraph, error)
	Compare(ctx context.Context, tenant, a, b string) (history.Comparison, error)
	// Page returns the page of a turn as it was captured.
	Page(ctx context.Context, tenant, task string, turn int) (history.TurnPage, error)
	// Call returns a model call with its texts.
	Call(ctx context.Context, tenant, task, call string) (history.CallTexts, error)
	Diff(ctx context.Context, tenant, task string, from, to int64) (history.Diff, error)
	FieldsAt(ctx context.Context, tenant, task string, revision int64) (history.Fields, error)
	// Logs returns the newest entries of tasks, newest first, and whether there are more.
	Logs(ctx context.Context, tenant string, tasks []string, f history.LogFilter) (entries []history.LogEntry, more bool, err error)
}

// Exporter reads a task with everything that is recorded of it, without secrets.
type Exporter interface {
	// Export returns TASK_NOT_FOUND for a task of another tenant.
	Export(ctx context.Context, tenant, task string, now time.Time) (replay.Export, error)
}

// Snapshots shows captures.
type Snapshots interface {
	// Render returns a document that runs nothing and fetches nothing, with an element
	// outlined, and the Content-Security-Policy to serve it with.
	Render(c page.Capture, target string) (document []byte, policy string)
}

// Parking is how read models are, and what they have put aside. Its errors have the
// codes PROJECTION_NOT_FOUND and RESOURCE_CONFLICT.
type Parking interface {
	ReadModels(ctx context.Context) ([]projections.ReadModel, error)
	Parked(ctx context.Context, f projections.ParkedFilter) ([]projections.Parked, error)
	// RetryParked says how many events were applied, and how many are left.
	RetryParked(ctx context.Context, f projections.ParkedFilter) (applied, left int, err error)
}

// Calibration is the query of the calibration projection.
type Calibration interface {
	Report(ctx context.Context, f calibration.Filter) (calibration.Report, error)
}

// Skills are the queries of the skills projection.
type Skills interface {
	// List returns a tenant's skills, on a site or for "" on all.
	List(ctx context.Context, tenant, site string) ([]skills.Entry, error)
}

// Replays decide recorded turns anew. They ask no model. The errors are those of History,
// and VALIDATION_ERROR for a change that cannot be made.
type Replays interface {
	Replay(ctx context.Context, tenant, task string) (replay.Report, error)
	// Bisect finds the first revision at which a condition holds.
	Bisect(ctx context.Context, tenant, task string, condition replay.Predicate) (replay.Found, error)
	// Fork decides a turn with something changed, in a stream of its own.
	Fork(ctx context.Context, tenant, user, task string, change replay.Change) (replay.Outcome, error)
}

// LogHead tells how far the log has come.
type LogHead interface {
	Head(ctx context.Context) (int64, error)
}

// Waiter waits for projections.
type Waiter interface {
	// Wait returns when all named projections have passed a position, or after max,
	// with the number of positions the slowest is behind.
	Wait(ctx context.Context, names []string, position int64, max time.Duration) (lag int64, err error)
}

// Requests is told of requests as they come and go, for figures.
type Requests interface {
	// Began and Ended are called once each for every request.
	Began()
	Ended(s Served)
}

// Served is a request that is over.
type Served struct {
	// Endpoint is the pattern of its route or page, "none" for a request nothing is for.
	Endpoint string
	// Method is one of HTTP's, or "other".
	Method string
	// Status is 0 for a request that was broken off before an answer.
	Status int
	// Code is that of an error, "" for a success.
	Code string
	Took time.Duration
	// In and Out are bytes of the two bodies.
	In, Out int64
}

type nobody struct{}

func (nobody) Began()       {}
func (nobody) Ended(Served) {}

// Check is one service of health. Probe returns nil if it is well, and stops with its
// context.
type Check struct {
	Name string
	// Critical: nothing works without it (unhealthy). If another service fails,
	// something still does (degraded).
	Critical bool
	Probe    func(ctx context.Context) error
}

package api

import (
	"context"
	"net/http"
	"time"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/scope"
)

// call is the state of the request being served. It is used by one goroutine.
type call struct {
	id     string
	began  time.Time   // before anything of the body was read
	header http.Header // of the answer
	// address is the client's, or the network it is in.
	address string
	agent   string // what the client calls itself
	who     account.Principal
	class   account.Class
	quota   account.Quota
	shown   bool // the quota is in the header
	// place is where its turn works, nil if it is no turn.
	place *place
	// sent is what came of the bytes of the body, where they were counted with the request.
	sent account.Quota
	// read reads the body of a route that takes one, once.
	read func() ([]byte, error)
	held int64  // bytes that count as in flight for it
	code string // of an error, for the access log
	page string // the pattern of the web page that answered, "" for none
	// scope has the ids that everything logged on the way names.
	scope *scope.Scope
	ctx   context.Context // of the request: it ends when the client hangs up
	// debug: the caller asks for what helps to find a fault; route is what they called.
	debug bool
	route func() string
}

type callKey struct{}

// callOf returns the call in a request's context, set by the first middleware.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// caller returns whom the request acts for.
func caller(ctx context.Context) account.Principal { return callOf(ctx).who }

// TenantOf returns the tenant a context of a request is for, "" until its caller is
// known; false if it is the context of no request. It holds for what a request leaves to
// be done after its end as well.
func TenantOf(ctx context.Context) (tenant string, ok bool) {
	c := callOf(ctx)
	if c == nil {
		return "", false
	}
	return c.who.TenantID, true
}

// by is the caller as the one who changes something.
func (c *call) by() account.Actor { return c.who.By(c.id) }

// client is what logs in.
func (c *call) client() account.Client { return account.Client{Agent: c.agent, Request: c.id} }

// patience bounds the time a request waits for others, mostly the database, before it
// answers TIMEOUT: once until the caller is known, and once from the read body to the
// answer, including waits for projections. A turn has bounds of its own, see
// Interactor.
const patience = 10 * time.Second

// bounded returns a context for one of these two.
func (s *Server) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.patience)
}

// gone reports whether the client has hung up.
func (c *call) gone() bool { return c.ctx.Err() != nil }

package api

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/stepledger/stepledger/domain"
)

// Server is the http.Handler of everything. It keeps nothing between requests but whether
// it takes any, and is safe for concurrent use.
type Server struct {
	Deps
	log    *slog.Logger
	router *chi.Mux
	huma   huma.API
	bodies *bodyBudget
	turns  *turnQueue
	// closing is of a server that is about to stop.
	closing closing
	// public counts requests to public routes.
	public *publicLimit
	// bodyTimeout is how long a client may take to send a body.
	bodyTimeout time.Duration
	// patience is how long a request waits for others.
	patience time.Duration
}

// New returns the handler. It panics on an invalid entry of TrustedProxies.
func New(d Deps) *Server {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Requests == nil {
		d.Requests = nobody{}
	}
	s := &Server{Deps: d, log: d.Logger, router: chi.NewRouter(), bodies: newBodyBudget(bytesInFlight, tenantBytesInFlight), turns: newTurnQueue(d.Turns), bodyTimeout: bodyTimeout, patience: patience}
	s.public = newPublicLimit(d.PublicLimit)
	s.router.Use(s.begin, s.complete, securityHeaders, s.cors, s.untilClosed, middleware.GetHead, clientIP(d.TrustedProxies), s.locate)
	s.router.NotFound(s.notFound)
	s.router.MethodNotAllowed(s.methodNotAllowed)
	s.huma = huma.NewAPI(s.config(), humachi.NewAdapter(s.router))
	s.routes()
	s.serveDescription()
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }

func clientIP(trusted []string) func(http.Handler) http.Handler {
	if len(trusted) == 0 {
		return middleware.ClientIPFromRemoteAddr
	}
	return middleware.ClientIPFromXFF(trusted...)
}

func securityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// notFound answers paths without a route. Paths outside the api are passed to Web.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	if s.Web != nil && !strings.HasPrefix(r.URL.Path, "/api/") {
		// A page may show what a stranger wrote beside what only its user may know; a
		// stranger who sees how long it is compressed could guess the one by the other.
		asItIs(w)
		s.Web.ServeHTTP(w, r)
		callOf(r.Context()).page = cmp.Or(pagePattern(r.Pattern), noEndpoint)
		return
	}
	s.writeError(w, r, s.limitStray(r, domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such endpoint")))
}

// pagePattern is a pattern of net/http without its method.
func pagePattern(pattern string) string {
	_, path, found := strings.Cut(pattern, " ")
	if !found {
		return pattern
	}
	return path
}

// methodNotAllowed answers 405, which no kind of error maps to.
func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, m := range []string{http.MethodGet, http.MethodPost} {
		if s.router.Match(chi.NewRouteContext(), m, r.URL.Path) {
			allowed = append(allowed, m)
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	wrong := domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, "%s is not possible here", shownText(r.Method))
	if err := s.limitStray(r, wrong); err != wrong { //nolint:errorlint // whether it is the same, not of the same kind
		s.writeError(w, r, err)
		return
	}
	b := &ErrorBody{Code: wrong.Code, Message: wrong.Msg, status: http.StatusMethodNotAllowed}
	callOf(r.Context()).code = b.Code
	writeJSON(w, b.status, b)
}

// writeError answers outside a huma operation.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	b := s.errorBody(callOf(r.Context()), err)
	for k, v := range b.GetHeaders() {
		w.Header()[k] = v
	}
	writeJSON(w, b.status, b)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := huma.DefaultJSONFormat.Marshal(w, v); err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err)) // a fault in the type; complete answers 500
	}
}

package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/stepledger/stepledger/domain/account"
)

// route is one line of the route table.
type route struct {
	method, path, id string
	// class is what the route counts against.
	class   account.Class
	body    *body
	summary string
}

// open reports whether the route needs no token and counts for no tenant.
func (r route) open() bool { return r.class == account.SignIn || r.class == account.Public }

// body is the type of a route's body and its maximum length.
type body struct {
	of  reflect.Type
	max int64
}

func takes[T any](limit int64) *body { return &body{reflect.TypeFor[T](), limit} }

// envelope is the envelope of every success.
type envelope[T any] struct {
	Success bool `json:"success" enum:"true"`
	Data    T    `json:"data"`
}

// reply is a success without further headers.
type reply[T any] struct{ Body envelope[T] }

func ok[T any](data T) *reply[T] { return &reply[T]{envelope[T]{true, data}} }

// register puts a handler of a route without a body in its place; see registerBody.
func register[I, O any](s *Server, r route, handle func(context.Context, *I) (*O, error)) {
	registerBody(s, r, func(ctx context.Context, in *I, _ []byte) (*O, error) { return handle(ctx, in) })
}

// registerBody puts a handler behind authentication, the rate limit and the reading
// of the body, in this order, and describes it. Huma checks path and query
// parameters against the handler's input type. The body is ours: huma knows
// neither UTF-16 limits nor the codes of the contract. It is nil for a route that
// takes none.
func registerBody[I, O any](s *Server, r route, handle func(context.Context, *I, []byte) (*O, error)) {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary,
		Middlewares: huma.Middlewares{s.admit(r)},
	}
	huma.Register(s.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := served(ctx, s, r, in, handle)
		if err != nil {
			c := callOf(ctx)
			return nil, s.errorBody(c, s.counted(c, err))
		}
		return out, nil
	})
	s.describe(r)
}

// served reads the body, if the route takes one, waits for a place if it is a turn, and
// calls the handler. The time for an answer begins then.
func served[I, O any](ctx context.Context, s *Server, r route, in *I, handle func(context.Context, *I, []byte) (*O, error)) (*O, error) {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = callOf(ctx).read(); err != nil {
			return nil, err
		}
	}
	if r.class == account.Interact {
		var err error
		c := callOf(ctx)
		if c.place, err = s.turns.enter(ctx, c.who.TenantID, s.patience); err != nil {
			return nil, err
		}
		defer c.place.leave()
	}
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	return handle(ctx, in, body)
}

// admit is what happens before the parameters and the body of a request are looked at.
func (s *Server) admit(r route) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		req, w := humachi.Unwrap(hc)
		defer s.bodies.release(callOf(req.Context()))
		if err := s.admitted(w, req, r); err != nil {
			s.writeError(w, req, s.counted(callOf(req.Context()), err))
			return
		}
		next(hc)
	}
}

func (s *Server) admitted(w http.ResponseWriter, req *http.Request, r route) (err error) {
	c := callOf(req.Context())
	c.scope.OnTask(req.URL.Query().Get("taskId"))
	c.scope.OnTask(chi.URLParam(req, "taskId"))
	switch {
	case !r.open():
		if err = s.identify(req, c, r.class, announced(req, r)); err == nil {
			err = mayCall(r, c.who.Role)
		}
	case r.class == account.Public:
		err = s.limitPublic(c)
	}
	if err != nil {
		return err
	}
	c.read = func() ([]byte, error) { return s.takeBody(w, req, r) }
	req.URL.RawQuery, err = s.checkQueryString(req.URL.RawQuery, r)
	return err
}

// notCounted are bytes Admit does not count.
const notCounted = -1

// announced are the bytes of a body to count before it is read: those of a class that
// limits them, if the length is known and not too much.
func announced(req *http.Request, r route) int64 {
	// What a compressed one comes to is not announced.
	if r.class == account.Interact && req.ContentLength >= 0 && req.Header.Get("Content-Encoding") == "" && req.ContentLength <= r.body.max {
		return req.ContentLength
	}
	return notCounted
}

// takeBody reads the body of a known caller. Bytes that were not announced, and not too
// many, are counted when they are there.
func (s *Server) takeBody(w http.ResponseWriter, req *http.Request, r route) ([]byte, error) {
	c := callOf(req.Context())
	counted := announced(req, r) != notCounted
	if counted {
		if err := refusalOfBytes(c.sent); err != nil {
			return nil, err
		}
	}
	body, err := s.readBody(w, req, r.body.max)
	if err == nil && r.class == account.Interact && !counted {
		err = s.limitBytes(req.Context(), c, int64(len(body)))
	}
	return body, err
}

// operation returns a route's operation for the description.
func (s *Server) operation(r route) *huma.Operation {
	item := s.huma.OpenAPI().Paths[r.path]
	switch r.method {
	case http.MethodGet:
		return item.Get
	case http.MethodPost:
		return item.Post
	}
	panic(fmt.Sprintf("api: route %s: method %s is not described", r.path, r.method))
}

package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// anyone may call the route: it has no token to check and no tenant to count.
const anyone account.Class = ""

// route is one line of the table.
type route struct {
	method, path, id string
	// class is what the route counts against; anyone needs no token.
	class   account.Class
	body    *body
	summary string
}

// body a route takes: its type and the most bytes that are read of it.
type body struct {
	of  reflect.Type
	max int64
}

func takes[T any](limit int64) *body { return &body{reflect.TypeFor[T](), limit} }

// envelope of every success.
type envelope[T any] struct {
	Success bool `json:"success" enum:"true"`
	Data    T    `json:"data"`
}

// reply is a success without headers of its own.
type reply[T any] struct{ Body envelope[T] }

func ok[T any](data T) *reply[T] { return &reply[T]{envelope[T]{true, data}} }

// register puts a handler behind authentication, the rate limit and the reading
// of the body, in this order, and describes it. Huma checks path and query
// parameters against the handler's input type. The body is ours: huma knows
// neither UTF-16 limits nor the codes of the contract.
func register[I, O any](s *Server, r route, handle func(context.Context, *I) (*O, error)) {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary,
		Middlewares: huma.Middlewares{s.admit(r)},
	}
	huma.Register(s.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.errorBody(callOf(ctx), err)
		}
		return out, nil
	})
	s.describe(r)
}

// admit is what happens before a handler sees a request.
func (s *Server) admit(r route) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		req, w := humachi.Unwrap(hc)
		if err := s.admitted(w, req, r); err != nil {
			s.writeError(w, req, err)
			return
		}
		ctx, cancel := s.bounded(hc.Context())
		defer cancel()
		next(huma.WithContext(hc, ctx))
	}
}

func (s *Server) admitted(w http.ResponseWriter, req *http.Request, r route) (err error) {
	c := callOf(req.Context())
	if r.class != anyone {
		if err := s.known(req, c, r.class); err != nil {
			return err
		}
	}
	if err := checkQueryString(req.URL.RawQuery); err != nil {
		return err
	}
	if r.body != nil {
		c.body, err = s.readBody(w, req, r.body.max)
	}
	return err
}

// known finds out who calls, and whether they may call so often.
func (s *Server) known(req *http.Request, c *call, class account.Class) error {
	ctx, cancel := s.bounded(req.Context())
	defer cancel()
	if err := s.authenticate(ctx, c, req.Header); err != nil {
		return err
	}
	return s.limit(ctx, c, class)
}

// checkQueryString refuses what is not text: no database takes it.
func checkQueryString(raw string) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return domain.Errorf(domain.Invalid, codeBadRequest, "the query string cannot be decoded")
	}
	for name, all := range values {
		for _, v := range all {
			if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
				return invalid(strings.ToValidUTF8(name, "?"), "this is not text")
			}
		}
	}
	return nil
}

// operation of a route in the description.
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

package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// What a request counts against:
//
//   - with a valid token, its tenant's limit of the route's class; where there is no such
//     route, that of account.Account;
//   - without one, its address's, in the database and so on all replicas;
//   - a login, the account's and the address's, once it names an account;
//   - health and the description, the address's in this process: what they cost is this
//     process's, and a load balancer has to hear that a database is down.
//
// Preflight requests are not counted and say nothing of limits: they are answered from
// memory, and browsers show no script their headers.

// limitBytes counts the bytes of a body nobody knew of before it was read.
func (s *Server) limitBytes(ctx context.Context, c *call, n int64) error {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	q, err := s.Identity.TakeBytes(ctx, c.who, c.class, n)
	if err != nil {
		return err
	}
	return refusalOfBytes(q)
}

// refusalOfBytes is nil for those that were counted. They are not refunded for a stored
// answer: reading and comparing them was work all the same.
func refusalOfBytes(q account.Quota) error {
	if q.Allowed {
		return nil
	}
	e := domain.Errorf(domain.Limited, domain.CodeRateLimit, "too much was sent, please try again later")
	e.RetryAfter = q.RetryAfter
	return e
}

// limitAnonymous counts a request without a valid token by its address, so that
// guessing tokens is soon refused. Callers with a token are not counted there.
func (s *Server) limitAnonymous(ctx context.Context, c *call, why error) error {
	q, err := s.Identity.TakeAddress(ctx, c.address)
	if err != nil {
		return err
	}
	c.show(q)
	if err := refusal(q); err != nil {
		return err
	}
	return why
}

// limitPublic counts a request to a public route.
func (s *Server) limitPublic(c *call) error {
	q := s.public.take(c.address, s.Now())
	c.show(q)
	return refusal(q)
}

// limitStray counts a request to what there is not, and returns why it fails: because of
// that, or of a limit. It fails for the same reason while nobody can count.
func (s *Server) limitStray(r *http.Request, why error) error {
	c := callOf(r.Context())
	err := s.identify(r, c, account.Account, notCounted)
	if domain.KindOf(err) == domain.Unauthenticated {
		return why // counted by its address
	}
	if domain.KindOf(err) == domain.Limited {
		return err
	}
	if err != nil {
		s.log.WarnContext(r.Context(), "a request to no route was not counted", "error", err)
	}
	return why
}

// counted counts a request that failed before anything else did, as a login does that
// names no account, and returns why it fails.
func (s *Server) counted(c *call, why error) error {
	if c.shown || domain.KindOf(why) == domain.Unavailable {
		return why
	}
	ctx, cancel := s.bounded(c.ctx)
	defer cancel()
	err := s.limitAnonymous(ctx, c, why)
	if err != nil && domain.KindOf(err) != domain.Limited {
		return why
	}
	return err
}

func refusal(q account.Quota) error {
	if q.Allowed {
		return nil
	}
	e := domain.Errorf(domain.Limited, domain.CodeRateLimit, "rate limit exceeded, please try again later")
	e.RetryAfter = q.RetryAfter
	return e
}

// show sets the rate limit headers (spec §4.13).
func (c *call) show(q account.Quota) {
	c.quota, c.shown = q, true
	c.header.Set("X-RateLimit-Limit", strconv.Itoa(q.Limit))
	c.header.Set("X-RateLimit-Remaining", strconv.Itoa(q.Remaining))
	c.header.Set("X-RateLimit-Reset", strconv.FormatInt(q.ResetAt.Add(time.Second-1).Unix(), 10)) // not too early
}

// refund returns the count of an answer that cost nothing. If that fails the request
// stays counted.
func (s *Server) refund(c *call) {
	ctx, cancel := s.bounded(c.ctx) // a turn may have used up the handler's time
	defer cancel()
	if err := s.Identity.Refund(ctx, c.who, c.class); err != nil {
		s.log.WarnContext(ctx, "refund of a repeated request failed", "error", err)
		return
	}
	c.quota.Remaining = min(c.quota.Remaining+1, c.quota.Limit)
	c.show(c.quota)
}

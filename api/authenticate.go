package api

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5/middleware"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// maxToken bounds the token to look up; ours have 43 characters.
const maxToken = 512

// authenticate finds the caller of a request by its token. It asks every time, so a
// revoked token is refused at once.
func (s *Server) authenticate(ctx context.Context, c *call, h http.Header) error {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken {
		return domain.Errorf(domain.Unauthenticated, domain.CodeUnauthorized, "send the token of a login as Authorization: Bearer <token>")
	}
	who, err := s.Identity.Authenticate(ctx, account.Secret(token))
	if err != nil {
		return err
	}
	c.who = who
	c.scope.Caller(who.TenantID, who.UserID)
	return nil
}

// limit counts a request against its class before it is validated, so invalid
// requests count.
func (s *Server) limit(ctx context.Context, c *call, class account.Class) error {
	q, err := s.Identity.Take(ctx, c.who, class)
	if err != nil {
		return err
	}
	c.class, c.quota = class, q
	c.showQuota()
	return refusal(q)
}

// limitBytes counts the bytes of a body. They are not refunded for a stored answer:
// reading and comparing them was work all the same.
func (s *Server) limitBytes(ctx context.Context, c *call, n int64) error {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	q, err := s.Identity.TakeBytes(ctx, c.who, c.class, n)
	if err != nil || q.Allowed {
		return err
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
	c.quota = q
	c.showQuota()
	if err := refusal(q); err != nil {
		return err
	}
	return why
}

func refusal(q account.Quota) error {
	if q.Allowed {
		return nil
	}
	e := domain.Errorf(domain.Limited, domain.CodeRateLimit, "rate limit exceeded, please try again later")
	e.RetryAfter = q.RetryAfter
	return e
}

// showQuota sets the rate limit headers (spec §4.13).
func (c *call) showQuota() {
	c.header.Set("X-RateLimit-Limit", strconv.Itoa(c.quota.Limit))
	c.header.Set("X-RateLimit-Remaining", strconv.Itoa(c.quota.Remaining))
	c.header.Set("X-RateLimit-Reset", strconv.FormatInt(c.quota.ResetAt.Unix(), 10))
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
	c.showQuota()
}

// ipv6Prefix is the smallest network of an IPv6 customer. Counting single addresses
// would not limit anybody.
const ipv6Prefix = 64

// clientAddress is the address, or network, an unknown client is counted by. If a
// trusted proxy sends nothing readable, it is the proxy's; "" if there is none.
func clientAddress(r *http.Request) string {
	if a := middleware.GetClientIPAddr(r.Context()); a.IsValid() {
		return network(a)
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return network(peer.Addr().Unmap().WithZone(""))
}

// network returns the network of an address, "" for none.
func network(a netip.Addr) string {
	switch {
	case a.Is6():
		p, _ := a.Prefix(ipv6Prefix)
		return p.String()
	case a.IsValid():
		return a.String()
	}
	return ""
}

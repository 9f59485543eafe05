package api

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/go-chi/chi/v5/middleware"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// maxToken bounds the token to look up; ours have 43 characters.
const maxToken = 512

// tokenOf is the token of a request.
func tokenOf(h http.Header) (account.Secret, error) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken {
		return "", domain.Errorf(domain.Unauthenticated, domain.CodeUnauthorized, "send the token of a login as Authorization: Bearer <token>")
	}
	return account.Secret(token), nil
}

// identify finds the caller of a request by its token, and counts the request against its
// class before it is validated, so invalid requests count; bytes of its body, if they are
// known and the class limits them, as well: limitBytes says later what came of that. It
// asks every time, so a revoked token is refused at once.
func (s *Server) identify(req *http.Request, c *call, class account.Class, bytes int64) error {
	ctx, cancel := s.bounded(req.Context())
	defer cancel()
	token, err := tokenOf(req.Header)
	var a account.Admission
	if err == nil {
		a, err = s.Identity.Admit(ctx, token, class, bytes)
	}
	switch {
	case domain.KindOf(err) == domain.Unauthenticated:
		return s.limitAnonymous(ctx, c, err)
	case err != nil:
		return err
	}
	c.who, c.class, c.sent = a.Principal, class, a.Bytes
	c.scope.Caller(c.who.TenantID, c.who.UserID)
	c.show(a.Requests)
	return refusal(a.Requests)
}

// locate notes the address and the program of a request, once the proxies in front are known.
func (s *Server) locate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		c.address, c.agent = clientAddress(r), r.UserAgent()
		next.ServeHTTP(w, r)
	})
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

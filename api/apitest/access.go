package apitest

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// Callers are tokens of one tenant. The server has to trust the peer as a proxy: requests
// with tokens that are no good come from an address each, or they would soon be limited.
type Callers struct {
	// ByRole has a token for each role.
	ByRole map[string]string
	// Refused are tokens that are no good (any more), by why.
	Refused map[string]string
}

// Access asks every route that takes a token with those that are no good, which has to
// be 401, and with every role: 403 for those the description does not name, and anything
// but that for the others. It asks for things that do not exist, so nothing is changed.
func Access(t *testing.T, base string, c Callers) {
	t.Helper()
	nothing := nowhere()
	for _, r := range Routes(t, base) {
		if r.Public {
			continue
		}
		t.Run(strings.ReplaceAll(r.String(), "/", "·"), func(t *testing.T) {
			p := probe{target: r.anything(), body: "{}"}
			if entry := probes[r.String()]; len(entry) > 0 {
				p = entry[0]
			}
			for why, token := range c.Refused {
				p.from = address()
				if status, got := p.send(t, r.Method, base, token, nothing); status != http.StatusUnauthorized {
					t.Errorf("%s: status %d, want 401: %s", why, status, got)
				}
			}
			if changesTheCaller(r) {
				return
			}
			for role, token := range c.ByRole {
				status, got := p.send(t, r.Method, base, token, nothing)
				denied, may := status == http.StatusForbidden, len(r.Roles) == 0 || slices.Contains(r.Roles, role)
				if denied == may || status == http.StatusUnauthorized || status >= http.StatusInternalServerError {
					t.Errorf("as %s: status %d: %s", role, status, got)
				}
			}
		})
	}
}

// address is another one each time.
func address() string {
	n := addresses.Add(1)
	return netip.AddrFrom4([4]byte{198, 18, byte(n >> 8), byte(n)}).String() //nolint:gosec // the lower two bytes are meant
}

var addresses atomic.Uint32

// changesTheCaller: after these the token is no good for the next route.
func changesTheCaller(r Route) bool {
	return r.Path == "/api/v1/auth/logout" || r.Path == "/api/v1/auth/logins/revoke"
}

// anything is the route's path with something in the place of each parameter.
func (r Route) anything() string {
	parts := strings.Split(r.Path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "2026-01"
		}
	}
	return strings.Join(parts, "/")
}

// ownedByUsers are the ids that belong to one user, and not to their tenant.
var ownedByUsers = []string{"taskId", "sessionId", "loginId", "userId"}

// Colleague asks, as a member, every route that is open to members for things of another
// user of the same tenant. As with another tenant's, the answer has to be 404, and the
// same as for things that do not exist.
func Colleague(t *testing.T, base, member string, theirs IDs) {
	t.Helper()
	asked := 0
	for _, r := range Routes(t, base) {
		if len(r.Roles) > 0 {
			continue
		}
		for _, p := range probes[r.String()] {
			if slices.Contains(ownedByUsers, p.id) {
				t.Run(strings.ReplaceAll(r.String()+" "+p.id, "/", "·"), func(t *testing.T) { p.run(t, r.Method, base, member, theirs) })
				asked++
			}
		}
	}
	if asked == 0 {
		t.Error("no route names anything of a user")
	}
}

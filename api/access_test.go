package api

import (
	"net/http"
	"strings"
	"testing"
)

// Who may do what, spelled out: a route that is missing is everybody's.
func TestAccess_ByRole(t *testing.T) {
	t.Parallel()
	may := func(method, target string) (roles string) {
		switch {
		case strings.HasPrefix(target, "/api/knowledge/") && method == post:
			return "admin"
		case strings.HasPrefix(target, "/api/knowledge/") && target != "/api/knowledge/resolve":
			return "admin engineer"
		case strings.HasPrefix(target, "/api/admin/"):
			return "admin"
		case strings.HasPrefix(target, "/api/debug/"):
			return "admin engineer"
		case strings.HasPrefix(target, "/api/usage/statements"):
			return "admin finance"
		case target == "/api/usage/budget":
			return "admin finance engineer"
		}
		return "admin finance engineer member"
	}
	tokens := map[string]string{"admin": tokenA, "finance": tokenFinance, "engineer": tokenEngineer, "member": tokenMember}
	for id, a := range good(newWorld().server()) {
		for role, token := range tokens {
			a.token = token
			got := send(t, newWorld().server(), a)
			allowed := strings.Contains(may(a.method, strings.Split(a.target, "?")[0]), role)
			switch {
			case !allowed:
				wantFailure(t, got, http.StatusForbidden, "FORBIDDEN", "")
				if got.Header().Get("X-RateLimit-Remaining") != "99" {
					t.Errorf("%s by %s is not counted", id, role)
				}
			case got.Code == http.StatusForbidden:
				t.Errorf("%s by %s: %s", id, role, got.Body)
			}
			if t.Failed() {
				t.Fatalf("%s by %s", id, role)
			}
		}
	}
}

// A member sees what they used themselves; of what others did they do not even learn
// that it exists.
func TestAccess_MembersSeeTheirOwnUsage(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for _, what := range []string{"summary", "calls", "export"} {
		for query, want := range map[string]int{
			"": http.StatusOK, "?userId=" + userMember: http.StatusOK, "?userId=" + userA: http.StatusNotFound, "?taskId=" + taskA: http.StatusNotFound,
		} {
			if got := send(t, s, ask{method: get, target: "/api/usage/" + what + query, token: tokenMember}); got.Code != want {
				t.Errorf("%s%s by a member: %d, want %d: %s", what, query, got.Code, want, got.Body)
			}
		}
		for _, token := range []string{tokenFinance, tokenEngineer, tokenA} {
			if got := send(t, s, ask{method: get, target: "/api/usage/" + what + "?userId=" + userA + "&taskId=" + taskA, token: token}); got.Code != http.StatusOK {
				t.Errorf("%s by %s: %d: %s", what, token, got.Code, got.Body)
			}
		}
	}
}

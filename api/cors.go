package api

import (
	"net/http"
	"slices"
	"strings"
)

// AnyExtension among the origins allows every browser extension. It is for trying
// things out, since an unpacked extension's id is not known in advance.
const AnyExtension = "chrome-extension://*"

// exposed are the headers a script may read.
var exposed = strings.Join([]string{
	"Accept-Encoding", "ETag", "Retry-After", "X-Event-Position", "X-Projection-Lag",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id",
}, ", ")

// cors allows the configured origins, including extensions. Credentials are not
// allowed: tokens are sent in Authorization, and no cookie is ever set. Preflight
// requests are answered here for any origin, with the permissions it has.
func (s *Server) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if s.allows(origin) {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", exposed)
		}
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		if s.allows(origin) {
			h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-None-Match, X-Debug, X-Request-Id")
			h.Set("Access-Control-Max-Age", "7200") // the longest Chrome honours
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

func (s *Server) allows(origin string) bool {
	if origin == "" || strings.Contains(origin, "*") {
		return false
	}
	id, isExtension := strings.CutPrefix(origin, strings.TrimSuffix(AnyExtension, "*"))
	return slices.Contains(s.Origins, origin) || isExtension && id != "" && slices.Contains(s.Origins, AnyExtension)
}

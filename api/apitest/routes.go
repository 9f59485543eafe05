package apitest

import (
	"slices"
	"strings"
	"testing"
)

// Route is one operation of the server's description. IDs are its parameters
// and body fields that name something: those called id or ending in Id.
type Route struct {
	Method, Path string
	IDs          []string
	// Public routes need no token.
	Public bool
	// Roles are those whose token it takes; none is any.
	Roles []string
}

// String is "GET /api/session/{sessionId}/messages".
func (r Route) String() string { return r.Method + " " + r.Path }

// notIDs end in Id and name nothing that belongs to anyone.
var notIDs = []string{"requestId"}

// Routes reads the description of the server at a base URL.
func Routes(t testing.TB, base string) []Route {
	t.Helper()
	d := Served(t, base)
	var routes []Route
	for _, c := range d.calls() {
		op := d.operation(c)
		r := Route{Method: c.method, Path: c.path, Public: len(op.Security) == 0}
		for _, p := range op.Parameters {
			r.add(p.Name)
		}
		if body := d.body(op); body != nil {
			for name := range body.Properties {
				r.add(name)
			}
		}
		for _, requirement := range op.Security {
			r.Roles = append(r.Roles, requirement["bearer"]...)
		}
		slices.Sort(r.IDs)
		routes = append(routes, r)
	}
	return routes
}

func (r *Route) add(name string) {
	isID := strings.HasSuffix(name, "Id") || strings.EqualFold(name, "id") || strings.HasSuffix(name, "_id")
	if isID && !slices.Contains(notIDs, name) {
		r.IDs = append(r.IDs, name)
	}
}

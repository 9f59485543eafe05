package api

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// access says which roles may call what is below a path, with one method or for "" with
// any; the first line that fits counts. Everything else is for everybody with a token, who
// see what is their own.
var access = []struct {
	method, path string
	roles        []account.Role
}{
	{"", "/api/admin", []account.Role{account.Admin}},
	{"", "/api/debug", []account.Role{account.Engineer, account.Admin}},
	{"", "/api/usage/statements", []account.Role{account.Finance, account.Admin}},
	{"", "/api/usage/budget", []account.Role{account.Finance, account.Engineer, account.Admin}},
	{get, "/api/knowledge/resolve", account.Roles},
	{get, "/api/knowledge", []account.Role{account.Engineer, account.Admin}},
	{post, "/api/knowledge", []account.Role{account.Admin}},
}

// rolesOf are the roles that may call a route, account.Roles where all may.
func rolesOf(r route) []account.Role {
	for _, a := range access {
		fits := a.method == "" || a.method == r.method
		if fits && (r.path == a.path || strings.HasPrefix(r.path, a.path+"/")) {
			return a.roles
		}
	}
	return account.Roles
}

// mayCall returns FORBIDDEN for a role that may not call a route.
func mayCall(r route, role account.Role) error {
	if slices.Contains(rolesOf(r), role) {
		return nil
	}
	return domain.Errorf(domain.Denied, domain.CodeForbidden, "this takes another role than %s", role)
}

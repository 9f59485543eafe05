package account

import "slices"

// Role is what a user may do in their tenant.
type Role string

// The roles. All of them may run tasks and see their own sessions and usage.
const (
	// Member may do nothing else.
	Member Role = "member"
	// Finance reads the tenant's usage, budget and statements.
	Finance Role = "finance"
	// Engineer looks at the tenant's tasks, replays and holds them, and reads its usage.
	Engineer Role = "engineer"
	// Admin does all of that, and manages the tenant's users.
	Admin Role = "admin"
)

// Roles are all roles, those with the fewest rights first.
var Roles = []Role{Member, Finance, Engineer, Admin}

// Known reports whether there is such a role.
func (r Role) Known() bool { return slices.Contains(Roles, r) }

// SeesTenantUsage reports whether the role sees what others of the tenant used.
func (r Role) SeesTenantUsage() bool { return r == Finance || r == Engineer || r == Admin }

// Kind is what a tenant is.
type Kind string

// The kinds.
const (
	// Personal is one person: it has one user, who is its admin.
	Personal Kind = "personal"
	// Organization has any number of users.
	Organization Kind = "organization"
)

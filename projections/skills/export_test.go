package skills

import "github.com/jackc/pgx/v5"

// Bounded is the read model with another maximum.
var Bounded = bounded

// FindSQL is the query of Find, with its arguments.
func (q Queries) FindSQL(tenant, site, goal string) (sql string, args pgx.NamedArgs) {
	return find, q.findArgs(tenant, site, goal)
}

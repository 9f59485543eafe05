package commands

import (
	"context"

	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/eventstore"
)

// ArchiveSession archives sessions.
type ArchiveSession struct {
	Log eventstore.Log
	IDs IDs
}

// ArchiveSession archives a user's session and returns the log position after it.
// Archiving twice is not an error. It returns SESSION_NOT_FOUND if the session does
// not exist or belongs to another user.
func (c ArchiveSession) ArchiveSession(ctx context.Context, tenant, user, id string) (int64, error) {
	w := Writing{
		Meta: eventstore.Metadata{Tenant: tenant, Actor: user, Correlation: id, Schema: 1},
		ID:   RandomIDs(c.IDs),
	}
	v, err := Sessions.Transact(ctx, c.Log, session.Stream(id), nil, w, session.Archive{Tenant: tenant, User: user})
	return v.Position, err
}

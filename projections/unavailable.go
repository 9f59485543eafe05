package projections

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Unavailable returns DATABASE_ERROR, to be retried in a second, if the database or
// the log is unreachable, be it its archive. Every other error is returned unchanged.
func Unavailable(err error) error {
	var said *domain.Error
	if err == nil || errors.As(err, &said) || !isOutage(err) {
		return err
	}
	out := "the database"
	if archived := (*eventstore.ArchiveError)(nil); errors.As(err, &archived) {
		out = "the archive, where this was moved to,"
	}
	e := domain.Errorf(domain.Unavailable, domain.CodeDatabase, "%s cannot be reached; try again", out).Because(err)
	e.RetryAfter = time.Second
	return e
}

// isOutage reports whether the log or the database is unreachable: the connection is
// lost, or the server is starting, stopping or full.
func isOutage(err error) bool {
	var (
		down   *eventstore.UnavailableError
		server *pgconn.PgError
	)
	switch {
	case errors.As(err, &down):
		return true
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &server):
		const tooManyConnections = "53300"
		return strings.HasPrefix(server.Code, "08") || strings.HasPrefix(server.Code, "57P0") || server.Code == tooManyConnections
	}
	return isNetwork(err)
}

func isNetwork(err error) bool {
	var (
		network net.Error
		connect *pgconn.ConnectError
	)
	return errors.As(err, &network) || errors.As(err, &connect) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

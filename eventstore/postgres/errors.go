package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/eventstore"
)

var (
	errClosed = errors.New("the store is closed")
	errBusy   = errors.New("no turn within the timeout; nothing was appended")
)

// SQLSTATEs that mean something here.
const (
	sqlUniqueViolation = "23505"
	sqlTooLarge        = "54000"
	sqlDivisionByZero  = "22012"
	sqlMoved           = "SL001" // of log.archive
)

// bounded runs f within the timeout, again while the trouble is a passing one,
// and translates what it gives. f has to be repeatable.
func (s *Store) bounded(ctx context.Context, op string, f func(context.Context) error) error {
	return s.boundedBy(ctx, s.o.Timeout, op, f)
}

// boundedBy is bounded with a time of its own.
func (s *Store) boundedBy(ctx context.Context, within time.Duration, op string, f func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := s.retry(limited, func() error { return f(limited) })
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	return translate(op, err)
}

// retry runs f until it succeeds, fails for good, or ctx ends. It waits longer
// each time, so that a server that is starting is not kept from it.
func (s *Store) retry(ctx context.Context, f func() error) error {
	pause := 10 * time.Millisecond
	for {
		err := f()
		if err == nil || !isPassing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-s.background.Done():
			return err
		case <-time.After(pause):
			pause = min(2*pause, 250*time.Millisecond)
		}
	}
}

// isPassing reports whether trying again on another connection may help: the
// connection is gone, the server is restarting, has no room or takes no writes any
// more, or two transactions got in each other's way.
func isPassing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if errors.Is(err, errStandby) {
		return true
	}
	switch code := sqlState(err); code {
	case "57P01", "57P02", "57P03", "57P05", "25P03", "53300", "25006":
		return true
	case "": // not the server's word
		return isNetwork(err)
	default:
		return code[:2] == "08" || code[:2] == "40"
	}
}

func isNetwork(err error) bool {
	var (
		network net.Error
		connect *pgconn.ConnectError
	)
	return errors.As(err, &network) || errors.As(err, &connect) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed)
}

// isRefusal reports whether the server has taken offence at what it was sent.
func isRefusal(err error) bool {
	code := sqlState(err)
	return len(code) == 5 && (code[:2] == "22" || code[:2] == "23" || code == sqlTooLarge)
}

// isDuplicate reports a clash with an event already in the log.
func isDuplicate(err error) bool { return sqlState(err) == sqlUniqueViolation }

func sqlState(err error) string {
	if p := new(pgconn.PgError); errors.As(err, &p) {
		return p.Code
	}
	return ""
}

// translate gives an error its meaning in the port. The port's own errors stay
// as they are; a caller's ended context shows through.
func translate(op string, err error) error {
	var (
		wrong   *eventstore.WrongRevisionError
		taken   *eventstore.IDConflictError
		ended   *eventstore.DeletedError
		invalid *eventstore.InvalidError
		refused *RefusedError
	)
	switch {
	case err == nil, errors.As(err, &wrong), errors.As(err, &taken), errors.As(err, &ended), errors.As(err, &invalid), errors.As(err, &refused):
		return err
	}
	return &eventstore.UnavailableError{Op: op, Cause: err}
}

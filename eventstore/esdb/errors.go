package esdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/stepledger/stepledger/eventstore"
)

var errClosed = errors.New("the store is closed")

// bounded runs f, which makes calls, within the timeout and translates what it
// gives.
func (s *Store) bounded(ctx context.Context, op string, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	limited, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	defer context.AfterFunc(s.background, cancel)()
	err := f(limited)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	if err != nil && s.background.Err() != nil {
		err = errClosed
	}
	return translate(op, err)
}

// call makes a call of the client, again while the trouble is a passing one and
// ctx, which has a deadline, lasts. The call has to be repeatable.
//
// One try gets half of the time: a server that has taken an append and not yet
// replicated it does not answer its repeat, and that one has to be repeated too.
func call[T any](ctx context.Context, s *Store, f func(context.Context, *esdb.Client) (T, error)) (T, error) {
	pause := 10 * time.Millisecond
	for {
		limited, cancel := context.WithTimeout(ctx, s.o.Timeout/2)
		v, err := turn(limited, s.clients, f)
		cancel()
		if err == nil || !isPassing(err) {
			return v, err
		}
		if !sleep(ctx, pause) {
			return v, err
		}
		pause = min(2*pause, 250*time.Millisecond)
	}
}

// sleep reports false when ctx ends before the time is over.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// hasCode reports what the client says of an error. It wraps some of its own, so
// they have to be looked for.
func hasCode(err error, code esdb.ErrorCode) bool {
	var e *esdb.Error
	return errors.As(err, &e) && e.Code() == code
}

// statusOf is the server's own status, where the client has kept it.
func statusOf(err error) codes.Code {
	var s interface{ GRPCStatus() *status.Status }
	if errors.As(err, &s) {
		return s.GRPCStatus().Code()
	}
	return codes.Unknown
}

func isMissing(err error) bool { return hasCode(err, esdb.ErrorCodeResourceNotFound) }

func isDeleted(err error) bool { return hasCode(err, esdb.ErrorCodeStreamDeleted) }

// isCutOff reports that an append was ended before all of it was sent. Why, the
// client does not say.
func isCutOff(err error) bool { return errors.Is(err, io.EOF) }

// isSound reports whether a client is as good as new after an error: one that the
// server sent, or the end of the caller's context.
func isSound(err error) bool {
	if errors.Is(err, context.Canceled) || isMissing(err) || isDeleted(err) ||
		hasCode(err, esdb.ErrorCodeWrongExpectedVersion) || hasCode(err, esdb.ErrorCodeNotLeader) {
		return true
	}
	switch statusOf(err) {
	case codes.Canceled, codes.FailedPrecondition, codes.InvalidArgument, codes.PermissionDenied, codes.Unauthenticated:
		return true
	}
	return false
}

// isPassing reports whether another try, on another client or with another node,
// may help. What the client does not know how to name is given one, too: a node
// that has no leader, for one.
func isPassing(err error) bool {
	var invalid *eventstore.InvalidError
	if isMissing(err) || isDeleted(err) || isCutOff(err) || errors.As(err, &invalid) ||
		hasCode(err, esdb.ErrorCodeWrongExpectedVersion) {
		return false
	}
	switch statusOf(err) {
	case codes.FailedPrecondition, codes.InvalidArgument, codes.PermissionDenied, codes.Unauthenticated,
		codes.Unimplemented, codes.ResourceExhausted:
		return false
	}
	return true
}

// wrongRevision is how the client words an answer that holds the revision a
// stream is at: it keeps it nowhere else.
var wrongRevision = regexp.MustCompile(`expecting '.*' but got '(no_stream|\d+)'`)

// currentRevision is the revision that the refusal of an append speaks of.
func currentRevision(err error) (int64, bool) {
	if !hasCode(err, esdb.ErrorCodeWrongExpectedVersion) {
		return 0, false
	}
	m := wrongRevision.FindStringSubmatch(err.Error())
	if m == nil {
		return 0, false
	}
	if m[1] == "no_stream" {
		return eventstore.NoRevision, true
	}
	revision, err := strconv.ParseInt(m[1], 10, 64)
	return revision, err == nil
}

// translate gives an error its meaning in the port. The port's own errors stay as
// they are.
func translate(op string, err error) error {
	var (
		wrong   *eventstore.WrongRevisionError
		taken   *eventstore.IDConflictError
		ended   *eventstore.DeletedError
		invalid *eventstore.InvalidError
	)
	switch {
	case err == nil, errors.As(err, &wrong), errors.As(err, &taken), errors.As(err, &ended), errors.As(err, &invalid):
		return err
	}
	return &eventstore.UnavailableError{Op: op, Cause: err}
}

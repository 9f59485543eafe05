package esdbtest

import (
	"fmt"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// rpcError is a status with the trailers that say which exception it stands for.
type rpcError struct {
	status   *status.Status
	trailers metadata.MD
}

func (e *rpcError) Error() string { return e.status.Err().Error() }

func refuse(code codes.Code, text string, trailers ...string) error {
	return &rpcError{status.New(code, text), metadata.Pairs(trailers...)}
}

func errStreamDeleted(stream string) error {
	return refuse(codes.FailedPrecondition, fmt.Sprintf("Event stream '%s' is deleted.", stream),
		"exception", "stream-deleted", "stream-name", stream)
}

func errWrongVersion(operation, stream string, expected, actual int64) error {
	return refuse(codes.FailedPrecondition,
		fmt.Sprintf("%s failed due to WrongExpectedVersion. Stream: %s, Expected version: %d, Actual version: %d", operation, stream, expected, actual),
		"exception", "wrong-expected-version", "stream-name", stream,
		"expected-version", strconv.FormatInt(expected, 10), "actual-version", strconv.FormatInt(actual, 10))
}

func errPropertyMissing(name string) error {
	return refuse(codes.InvalidArgument, fmt.Sprintf("Required Metadata Property '%s' is missing", name),
		"exception", "missing-required-metadata-property", "required-metadata-properties", "type,content-type")
}

// errInvalidPosition ends a subscription that was to begin where no record is,
// errUnexpectedPosition a read.
func errInvalidPosition() error {
	return refuse(codes.InvalidArgument, "Trying to read from an invalid position.")
}

func errUnexpectedPosition() error {
	return refuse(codes.Unknown, "Unexpected ReadAllResult: InvalidPosition")
}

func errInvalidArgument(format string, args ...any) error {
	return refuse(codes.InvalidArgument, fmt.Sprintf(format, args...))
}

// errException is how a node reports what it did not expect.
func errException() error {
	return refuse(codes.Unknown, "Exception was thrown by handler.")
}

func errCombination() error { return errInvalidArgument("The combination of options is invalid.") }

func errNotReady() error { return refuse(codes.Unavailable, "Server Is Not Ready") }

func errNotLeader(host string, port int) error {
	return refuse(codes.NotFound, "Leader info available",
		"exception", "not-leader", "leader-endpoint-host", host, "leader-endpoint-port", strconv.Itoa(port))
}

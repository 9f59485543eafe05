// Package archive keeps what an event store has moved out of its database: segments, which are Parquet
// files, in a place, which is a folder or a bucket of object storage that speaks S3.
//
// Segments. A segment holds whole ranges of streams, each stream's events together and in order, with their
// positions in the log. It is written once, under a name that is never used again, and holds no more than
// MaxEvents events and MaxBytes of their data, so that whoever reads one may hold it in memory. Any reader of
// Parquet can open it. What lies in a segment, and what the checksum of the whole is, says the index of the
// store that wrote it; a segment that has another checksum is not read.
//
// Places. What Put has acknowledged is on the disk of a folder, or is what the object storage calls stored. A
// folder is one that all processes of the log share. Every call is bounded in time and tried again where the
// trouble may pass; errors name the object and never hold a key. Nothing is removed but by Remove.
//
// Limits. A place holds no secrets beyond what the events have: who can read the folder or the bucket reads the
// log. Nothing here says which segments belong to the log: that is for the store's index.
package archive

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound is wrapped by the errors of Get for an object that is not there.
var ErrNotFound = errors.New("there is no such object")

// Object is what a place has under a name.
type Object struct {
	Name      string
	Size      int64 // in bytes
	WrittenAt time.Time
}

// Place is where segments lie. Names are relative paths with "/", of letters, digits, "-", "_" and ".".
// It is safe for concurrent use. Errors are *Error, or wrap the error of a ctx that ended first.
type Place interface {
	// Put stores an object. It is whole or not there; one of the same name is replaced.
	Put(ctx context.Context, name string, content []byte) error
	// Get gives an object. The error of one that is not there wraps ErrNotFound.
	Get(ctx context.Context, name string) ([]byte, error)
	// List gives the objects whose names begin with a prefix, in the order of their names' bytes, to yield
	// until that returns false.
	List(ctx context.Context, prefix string, yield func(Object) bool) error
	// Remove removes an object; one that is not there is no error.
	Remove(ctx context.Context, name string) error
	// String is the address of the place, without credentials.
	String() string
}

// Credentials say how object storage is spoken to. A folder needs none.
type Credentials struct {
	// Endpoint is the host, with a port if it is not the usual one, or a URL whose scheme says whether the
	// connection is encrypted: "https" if it has none. "" is Amazon's for the region.
	Endpoint string
	// Region is that of the bucket; "" lets the storage say so.
	Region string
	// AccessKey and SecretKey sign requests; without them they are not signed.
	AccessKey, SecretKey string
}

// Error says what could not be done with which object of which place.
type Error struct {
	Op, Place, Name string
	Cause           error
}

// Error implements error.
func (e *Error) Error() string {
	return e.Op + " " + e.Name + " in " + e.Place + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AddressError says why an address or credentials can be those of no place.
type AddressError struct{ Address, Why string }

// Error implements error.
func (e *AddressError) Error() string { return "archive address " + e.Address + ": " + e.Why }

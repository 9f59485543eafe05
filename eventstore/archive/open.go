package archive

import (
	"errors"
	"path/filepath"
	"strings"
	"time"
)

// scheme begins the address of a place in object storage.
const scheme = "s3://"

// Open gives the place at an address: the absolute path of a folder, which has to exist, or
// "s3://bucket/prefix", whose prefix may be left out. Nothing is read or written yet, so that a place that cannot
// be reached is met by the first call. The error is an *AddressError.
func Open(address string, c Credentials) (Place, error) {
	if bucket, ok := strings.CutPrefix(address, scheme); ok {
		return openBucket(address, bucket, c)
	}
	if strings.Contains(address, "://") {
		return nil, &AddressError{redacted(address), "only an absolute path and " + scheme + "bucket/prefix are known"}
	}
	if !filepath.IsAbs(address) {
		return nil, &AddressError{redacted(address), "a folder has to be an absolute path"}
	}
	return newFolder(address), nil
}

// How long a call may take, tries included: one for an object, and one for the list of all.
const (
	callWithin = 30 * time.Second
	listWithin = 10 * time.Minute
)

var errSlow = errors.New("no answer in time")

// redacted leaves out of an address what may be credentials.
func redacted(address string) string {
	s, rest, ok := strings.Cut(address, "://")
	if !ok {
		s, rest = "", address
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = "…@" + rest[at+1:]
	}
	return s + strings.Repeat("://", min(len(s), 1)) + rest
}

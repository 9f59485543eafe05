package crawl

import (
	"errors"
	"fmt"
	"time"
)

// Code says in one word why something was not fetched. Codes are for programs and are
// kept: they never change their meaning.
type Code string

// The codes.
const (
	// BadURL is an address that cannot be fetched by anybody: not http or https, with a
	// user name, on a port that is not configured, too long.
	BadURL Code = "bad_url"
	// RefusedAddress is a host that is not on the public internet.
	RefusedAddress Code = "refused_address"
	// Robots is a page that robots.txt disallows or, when Temporary, a robots.txt that
	// could not be read, so that nothing is known to be allowed.
	Robots Code = "robots"
	// TooManyRedirects is a chain of more than 10, or one that goes round in circles.
	TooManyRedirects Code = "too_many_redirects"
	// NotFound is 404 or 410: there is no such page any more.
	NotFound Code = "not_found"
	// BadStatus is any other answer that is no page; Error.Status has it.
	BadStatus Code = "bad_status"
	// Busy is a host that asked to be left alone for a while: 429 or 503.
	Busy Code = "busy"
	// TooLarge is a body over the limit, as it is after decompression.
	TooLarge Code = "too_large"
	// UnsupportedType is a picture, sound, film or font, or a coding other than gzip.
	UnsupportedType Code = "unsupported_type"
	// Timeout is an answer that had not come whole in time.
	Timeout Code = "timeout"
	// Unreachable is a host without address or without answer, or a connection lost.
	Unreachable Code = "unreachable"
	// BadSitemap is a sitemap that cannot be read as one.
	BadSitemap Code = "bad_sitemap"
)

// Error is why an address was not fetched.
type Error struct {
	Code   Code
	URL    string // where it went wrong: after redirects the last address
	Reason string // for a person
	Status int    // of the answer, 0 without one
	// Temporary says that a later attempt may go better; RetryAfter, when not 0, how
	// much later.
	Temporary  bool
	RetryAfter time.Duration
	cause      error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.Code, e.URL, e.Reason) }

// Unwrap returns the cause, which may be nil.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of the first Error in err's chain, "" if there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func failed(code Code, url, format string, args ...any) *Error {
	return &Error{Code: code, URL: url, Reason: fmt.Sprintf(format, args...)}
}

// later marks an error as one that may pass.
func (e *Error) later(after time.Duration) *Error {
	e.Temporary, e.RetryAfter = true, after
	return e
}

func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
}

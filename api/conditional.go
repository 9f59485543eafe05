package api

import (
	"net/http"
	"strings"
)

// Conditional is the part of a read's input by which a caller says what they have.
type Conditional struct {
	IfNoneMatch string `header:"If-None-Match" maxLength:"1000" doc:"The ETag of an earlier answer to the same request: where it still holds the answer is 304, without a body."`
}

// status is 304 where the caller has what the tag names, else 200.
func (c Conditional) status(etag string) int {
	for one := range strings.SplitSeq(c.IfNoneMatch, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return http.StatusNotModified
		}
	}
	return http.StatusOK
}

// Package scope says on whose behalf something is done: the ids of the request that is
// being served, in its context, so that whatever is logged on the way can name them. It
// holds ids only, nothing anybody wrote, and decides nothing.
package scope

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/stepledger/stepledger/domain"
)

// IDs are those of a request; what is not known is "".
type IDs struct {
	Request, Trace, Tenant, User, Task string
}

// Scope is the ids of one request as they become known. It is safe for concurrent use. A
// nil *Scope is that of work nobody asked for: it takes ids and has none.
type Scope struct {
	mu    sync.Mutex
	ids   IDs
	given bool // the trace is the caller's
}

type key struct{}

// Begin returns a context with the scope of a request. Traceparent is the header of W3C
// Trace Context; one that is not well-formed is ignored.
func Begin(ctx context.Context, request, traceparent string) (context.Context, *Scope) {
	s := &Scope{ids: IDs{Request: request}}
	s.ids.Trace, s.given = traceOf(traceparent)
	if !s.given {
		s.ids.Trace = newTrace()
	}
	return context.WithValue(ctx, key{}, s), s
}

// Of returns the scope of a context, nil if there is none.
func Of(ctx context.Context) *Scope {
	s, _ := ctx.Value(key{}).(*Scope)
	return s
}

// IDs returns what is known so far. The trace is the caller's if they sent one, or that of
// the task (see TraceOf), or else one of the request's own.
func (s *Scope) IDs() IDs {
	if s == nil {
		return IDs{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids
}

// Caller notes who asks.
func (s *Scope) Caller(tenant, user string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids.Tenant, s.ids.User = tenant, user
}

// OnTask notes the task that the request is about. What is not a UUID is ignored: it is
// somebody's text.
func (s *Scope) OnTask(id string) {
	if s == nil || !domain.ValidUUID(id) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids.Task = strings.ToLower(id); !s.given {
		s.ids.Trace = TraceOf(s.ids.Task)
	}
}

// TraceOf is the id of the trace that a task is, in hex: its UUID without dashes, which is
// what tracing systems are told.
func TraceOf(task string) string { return strings.ReplaceAll(task, "-", "") }

// newTrace is the trace of a request that is about no task.
func newTrace() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// Lengths of the fields of a traceparent: version, trace, parent, flags.
var fieldLengths = [4]int{2, 32, 16, 2}

// traceOf reads the trace of a traceparent. Versions to come may have more fields.
func traceOf(traceparent string) (trace string, ok bool) {
	fields := strings.Split(traceparent, "-")
	if len(fields) < len(fieldLengths) || fields[0] == "ff" || fields[0] == "00" && len(fields) != len(fieldLengths) {
		return "", false
	}
	for i, n := range fieldLengths {
		if len(fields[i]) != n || strings.Trim(fields[i], "0123456789abcdef") != "" {
			return "", false
		}
	}
	if isZero(fields[1]) || isZero(fields[2]) {
		return "", false
	}
	return fields[1], true
}

func isZero(hexadecimal string) bool { return strings.Trim(hexadecimal, "0") == "" }

package api

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepledger/stepledger/domain"
)

// statuses is the status of every kind of error.
var statuses = map[domain.Kind]int{
	domain.Invalid:         http.StatusBadRequest,
	domain.Unauthenticated: http.StatusUnauthorized,
	domain.Denied:          http.StatusForbidden,
	domain.NotFound:        http.StatusNotFound,
	domain.Conflict:        http.StatusConflict,
	domain.TooLarge:        http.StatusRequestEntityTooLarge,
	domain.Unsupported:     http.StatusUnsupportedMediaType,
	domain.Limited:         http.StatusTooManyRequests,
	domain.Unavailable:     http.StatusServiceUnavailable,
	domain.Internal:        http.StatusInternalServerError,
}

// ErrorBody is the envelope of every error (spec §4.16).
type ErrorBody struct {
	Success bool   `json:"success" enum:"false"`
	Code    string `json:"code" example:"VALIDATION_ERROR" doc:"What went wrong, for a program."`
	Message string `json:"message" doc:"What went wrong, for a person."`
	// Details has "field" and "reason" where a part of the input is at fault,
	// "requestId" where the server is.
	Details    map[string]any `json:"details,omitempty"`
	RetryAfter int            `json:"retryAfter,omitempty" doc:"Seconds after which trying again makes sense; also the Retry-After header."`
	DebugInfo  *DebugInfo     `json:"debugInfo,omitempty" doc:"For a request with X-Debug: true, where the server is set to answer it."`

	status int
}

// DebugInfo says more of an error, and nothing its caller may not know: no cause, no stack
// and no text but the error's own.
type DebugInfo struct {
	ErrorType string         `json:"errorType" doc:"The kind of error, by what can be done about it."`
	Context   map[string]any `json:"context" doc:"requestId, route, tookMs, and the limitClass the request counted against."`
}

// kindNames are the kinds of errors by what can be done about them.
var kindNames = map[domain.Kind]string{
	domain.Invalid: "invalid", domain.Unauthenticated: "unauthenticated", domain.Denied: "denied", domain.NotFound: "not_found",
	domain.Conflict: "conflict", domain.TooLarge: "too_large", domain.Unsupported: "unsupported", domain.Limited: "limited",
	domain.Unavailable: "unavailable", domain.Internal: "internal",
}

// debugs reports whether the caller asks for what helps to find a fault, and the server is
// set to answer it.
func (s *Server) debugs(c *call) bool { return s.DebugAnswers && c.debug }

// debugInfo is nil unless the caller asks for it and the server is set to answer.
func (s *Server) debugInfo(c *call, e *domain.Error) *DebugInfo {
	if !s.debugs(c) {
		return nil
	}
	return &DebugInfo{kindNames[e.Kind], map[string]any{
		"requestId": c.id, "route": c.route(), "tookMs": s.Now().Sub(c.began).Milliseconds(), "limitClass": string(c.class),
	}}
}

// Error implements error.
func (e *ErrorBody) Error() string { return e.Code + ": " + e.Message }

// GetStatus implements huma.StatusError.
func (e *ErrorBody) GetStatus() int { return e.status }

// GetHeaders implements huma.HeadersError.
func (e *ErrorBody) GetHeaders() http.Header {
	h := http.Header{}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	if e.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	return h
}

// errorBody is the envelope of an error. What a caller may not be told becomes
// an INTERNAL_ERROR that names the request, and is logged; expected errors are
// not, the access log has their code.
func (s *Server) errorBody(c *call, err error) *ErrorBody {
	var e *domain.Error
	if !errors.As(err, &e) && errors.Is(err, context.DeadlineExceeded) {
		e = domain.Errorf(domain.Unavailable, domain.CodeTimeout, "this took too long").Because(err)
	}
	if down := outage(nil); e == nil && errors.As(err, &down) && down.Unavailable() {
		e = domain.Errorf(domain.Unavailable, domain.CodeDatabase, "the event store cannot be reached; try again").Because(err)
	}
	if e == nil || e.Kind == domain.Internal {
		if c.gone() {
			s.log.InfoContext(c.ctx, "client gone")
		} else {
			s.log.ErrorContext(c.ctx, "internal error", "error", err)
		}
		e = internal(c.id, e)
	} else if e.Kind == domain.Unavailable {
		s.log.WarnContext(c.ctx, "unavailable", "error", err)
	}
	c.code = e.Code
	b := &ErrorBody{Code: e.Code, Message: shownText(e.Msg), status: statuses[e.Kind], RetryAfter: seconds(e.RetryAfter)}
	if b.RetryAfter == 0 && (e.Kind == domain.Limited || e.Kind == domain.Unavailable) {
		b.RetryAfter = 1
	}
	b.Details = details(e)
	b.DebugInfo = s.debugInfo(c, e)
	return b
}

// outage is an error of a store that may be reached later, whichever it is.
type outage interface {
	error
	Unavailable() bool
}

// internal replaces an error nobody outside may read. A code that says whose
// fault it is (LLM_ERROR) stays.
func internal(request string, known *domain.Error) *domain.Error {
	e := domain.Errorf(domain.Internal, domain.CodeInternal, "something went wrong on our side")
	if known != nil && known.Code != "" {
		e.Code = known.Code
	}
	e.Details = map[string]any{"requestId": request}
	return e
}

func details(e *domain.Error) map[string]any {
	if e.Field == "" && len(e.Details) == 0 {
		return nil
	}
	d := make(map[string]any, len(e.Details)+2)
	if e.Field != "" {
		d["field"], d["reason"] = shownText(e.Field), shownText(e.Msg)
	}
	for k, v := range e.Details {
		d[k] = shown(v)
	}
	return d
}

// seconds rounds up, so that a client never comes back too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// invalid is a VALIDATION_ERROR at a field.
func invalid(field, format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeValidation, format, args...).At(field)
}

// huma makes its own errors where a path or query parameter does not fit its
// description. Its hook is global, so it is set once, before anything can run.
func init() { //nolint:gochecknoinits // the only way to set the hook before any use
	huma.NewError = parameterError
}

// parameterError puts a huma error into the envelope. It repeats the wrong value only
// in short.
func parameterError(_ int, msg string, errs ...error) huma.StatusError {
	b := &ErrorBody{Code: domain.CodeValidation, Message: msg, status: http.StatusBadRequest}
	for _, err := range errs {
		d, ok := err.(huma.ErrorDetailer)
		if !ok {
			continue
		}
		_, field, _ := strings.Cut(d.ErrorDetail().Location, ".")
		field, _, _ = strings.Cut(field, "[") // of a list, the parameter
		field, reason := shownText(field), shownText(d.ErrorDetail().Message)
		b.Message = field + ": " + reason
		b.Details = map[string]any{"field": field, "reason": reason}
		break
	}
	return b
}

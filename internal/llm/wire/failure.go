package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/stepledger/stepledger/internal/llm"
)

// Failure returns the error of an attempt without an answer. err is the library's
// error; secret must not be in any message. Requests with an error status are not
// charged; for errors under a success status that is unknown.
func (x *Exchange) Failure(ctx context.Context, err error, secret string) *llm.Error {
	switch {
	case x.Status != 0 && !success(x.Status):
		return x.refusal(x.Status, secret)
	case x.HoldsError():
		e := x.refusal(x.statusInBody(), secret)
		e.Unbilled = false
		return e
	case ctx.Err() != nil:
		return &llm.Error{Kind: ended(ctx), Status: x.Status, Cause: ctx.Err()}
	case x.Status != 0:
		// The library's error contains the body, which may have personal text.
		return &llm.Error{Kind: llm.Unavailable, Status: x.Status, Msg: "the answer cannot be read"}
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	e := &llm.Error{Kind: llm.Unavailable, Msg: safe(err.Error(), secret), Unbilled: neverSent(err)}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Kind = llm.Timeout
	}
	return e
}

func ended(ctx context.Context) llm.Kind {
	if errors.Is(ctx.Err(), context.Canceled) {
		return llm.Cancelled
	}
	return llm.Timeout
}

// statusInBody is the status of an error that came under a success status, Bad
// Gateway if the body has none.
func (x *Exchange) statusInBody() int {
	var inner struct{ Code int }
	if json.Unmarshal(x.errorBody().Error, &inner) != nil || inner.Code < 400 || inner.Code > 599 {
		return http.StatusBadGateway
	}
	return inner.Code
}

// refusal is the error of an error status.
func (x *Exchange) refusal(status int, secret string) *llm.Error {
	r := x.Refusal()
	e := &llm.Error{Kind: llm.Rejected, Status: status, Msg: safe(r.Message, secret), Unbilled: true}
	switch {
	case status == http.StatusTooManyRequests:
		e.Kind = llm.RateLimited
	case mayPass(status):
		e.Kind = llm.Unavailable
	default:
		return e
	}
	e.RetryAfter = x.retryAfter()
	return e
}

// mayPass reports statuses that are due to the moment and not to the request: a proxy
// timeout, a lock, an overload.
func mayPass(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return true
	}
	return status >= http.StatusInternalServerError
}

// Refusal is what the body of an error says.
type Refusal struct{ Message, Code string }

// Refusal reads it from the forms providers use:
//
//	{"error": {"message": "…", "code": "…"}}   [{"error": {…}}]   {"error": "…"}   {"message": "…"}
//
// A body in another form says nothing.
func (x *Exchange) Refusal() Refusal {
	b := x.errorBody()
	var inner struct {
		Message string
		Code    any // a word, or the status as a number
		Type    string
	}
	if json.Unmarshal(b.Error, &inner) != nil {
		_ = json.Unmarshal(b.Error, &b.Message) // or there is only a message
		return Refusal{Message: b.Message}
	}
	code, _ := inner.Code.(string)
	if code == "" {
		code = inner.Type
	}
	return Refusal{inner.Message, code}
}

type errorBody struct {
	Message string
	Error   json.RawMessage
}

func (x *Exchange) errorBody() errorBody {
	var list []json.RawMessage
	body := withoutNaN(x.Body)
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // Google's OpenAI-compatible endpoint
	}
	m, _ := ReadMembers(body) // not JSON, as from a proxy: nothing said
	b := errorBody{m.Text("message"), m.Of("error")}
	switch string(b.Error) {
	case `""`, "{}", "[]", "false", "0":
		b.Error = nil
	}
	return b
}

// HoldsError reports whether the body is an error. Some endpoints send errors under a
// success status.
func (x *Exchange) HoldsError() bool { return x.errorBody().Error != nil }

// neverSent reports whether no connection was made.
func neverSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

const maxMessage = 300

// safe shortens a message for a log and removes the key.
func safe(msg, secret string) string {
	if secret != "" {
		msg = strings.ReplaceAll(msg, secret, "***")
	}
	if len(msg) > maxMessage {
		msg = msg[:maxMessage] + "…"
	}
	if !utf8.ValidString(msg) {
		msg = strings.ToValidUTF8(msg, "")
	}
	return msg
}

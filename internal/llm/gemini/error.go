package gemini

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/genai"

	"github.com/stepledger/stepledger/internal/llm"
)

// errorOf translates what the library returned. Only the provider's own
// message and the network's go on; both without the key.
func (g *Generator) errorOf(ctx context.Context, err error, x exchange) error {
	var api genai.APIError
	switch {
	case errors.As(err, &api):
		return g.refusal(api, x.status)
	case ctx.Err() != nil:
		return &llm.Error{Kind: ended(ctx), Status: x.status, Cause: ctx.Err()}
	case x.status != 0:
		// The library's error holds the body, which may hold personal text.
		return &llm.Error{Kind: llm.Unavailable, Status: x.status, Msg: "the answer cannot be read"}
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	e := &llm.Error{Kind: llm.Unavailable, Msg: g.safe(err.Error()), Unbilled: neverSent(err)}
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

// refusal is an error status. Google does not charge for requests that end in
// one.
func (g *Generator) refusal(api genai.APIError, status int) error {
	e := &llm.Error{Kind: llm.Rejected, Status: status, Msg: g.safe(api.Message), Unbilled: true}
	switch {
	case status == http.StatusTooManyRequests:
		e.Kind, e.RetryAfter = llm.RateLimited, retryDelay(api.Details)
	case status == http.StatusRequestTimeout, status >= http.StatusInternalServerError:
		e.Kind, e.RetryAfter = llm.Unavailable, retryDelay(api.Details)
	}
	return e
}

// retryDelay reads google.rpc.RetryInfo; 0 when there is none.
func retryDelay(details []map[string]any) time.Duration {
	for _, d := range details {
		if kind, _ := d["@type"].(string); !strings.HasSuffix(kind, "google.rpc.RetryInfo") {
			continue
		}
		s, _ := d["retryDelay"].(string)
		if wait, err := time.ParseDuration(s); err == nil {
			return pause(wait)
		}
	}
	return 0
}

// pause bounds a delay to what has a meaning.
func pause(d time.Duration) time.Duration { return min(max(d, 0), 24*time.Hour) }

// neverSent reports whether no connection came about.
func neverSent(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

const maxMessage = 300

// safe is a message for a log: short, without the key.
func (g *Generator) safe(msg string) string {
	msg = strings.ReplaceAll(msg, g.key, "***")
	if len(msg) > maxMessage {
		msg = msg[:maxMessage] + "…"
	}
	if !utf8.ValidString(msg) {
		msg = strings.ToValidUTF8(msg, "")
	}
	return msg
}

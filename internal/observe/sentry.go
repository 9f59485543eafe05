package observe

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/getsentry/sentry-go"

	"github.com/stepledger/stepledger/domain/account"
)

const (
	// maxReports wait to be sent; more are dropped.
	maxReports = 100
	// reportWithin bounds sending one report, flushWithin the wait for the remaining
	// ones at the end of the process.
	reportWithin, flushWithin = 10 * time.Second, 2 * time.Second
	// maxErrorText is what is told of an error, in bytes.
	maxErrorText = 500
)

// ReportErrors returns a handler that also sends logged errors to Sentry, and nothing
// else. It sends in the background and drops reports beyond a bounded number, so
// logging neither waits nor fails. A report has the message, which is a constant of
// the code, its source line, ids, and the error's text without anything that could be
// personal. flush waits a moment for the last reports. The error does not contain the
// DSN.
func ReportErrors(next slog.Handler, dsn account.Secret, release string) (h slog.Handler, flush func(), err error) {
	transport := sentry.NewHTTPTransport()
	transport.BufferSize, transport.Timeout = maxReports, reportWithin
	client, err := sentry.NewClient(sentry.ClientOptions{
		Dsn: dsn.Reveal(), Release: "stepledger@" + release, Transport: transport,
		Integrations: func([]sentry.Integration) []sentry.Integration { return nil },
	})
	if err != nil || !client.IsEnabled() {
		return nil, nil, errors.New("it is no DSN of Sentry")
	}
	flush = func() {
		client.Flush(flushWithin)
		client.Close()
	}
	return errorReports{Handler: next, to: client}, flush, nil
}

// errorReports is the handler that wraps the original one.
type errorReports struct {
	slog.Handler
	to    *sentry.Client
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (h errorReports) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError || h.Handler.Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (h errorReports) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		h.to.CaptureEvent(h.report(r), nil, nil)
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h errorReports) WithAttrs(attrs []slog.Attr) slog.Handler {
	return errorReports{h.Handler.WithAttrs(attrs), h.to, slices.Concat(h.attrs, attrs)}
}

// WithGroup implements slog.Handler. In reports attributes are not grouped.
func (h errorReports) WithGroup(name string) slog.Handler {
	return errorReports{h.Handler.WithGroup(name), h.to, h.attrs}
}

// allowedAttrs are the attributes that are ids and names; no others are sent.
var allowedAttrs = []string{
	"task", "turn", "tenant", "session", "request", "trace", "endpoint", "stream", "revision", "position", "type", "id",
	"consumer", "projection", "provider", "model", "role", "question",
}

func (h errorReports) report(r slog.Record) *sentry.Event {
	e := sentry.NewEvent()
	e.Level, e.Timestamp, e.Logger = sentry.LevelError, r.Time, "slog"
	failure := sentry.Exception{Type: r.Message, Stacktrace: callers()}
	add := func(a slog.Attr) bool {
		value := a.Value.Resolve()
		switch {
		case a.Key == "error" || a.Key == "reason":
			failure.Value = scrub(value.String())
		case a.Key == "user":
			e.User.ID = scrub(value.String())
		case slices.Contains(allowedAttrs, a.Key):
			e.Tags[a.Key] = scrub(value.String())
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	e.Exception = []sentry.Exception{failure}
	return e
}

// callers is the stack without the logging itself.
func callers() *sentry.Stacktrace {
	s := sentry.NewStacktrace()
	if s == nil {
		return nil
	}
	s.Frames = slices.DeleteFunc(s.Frames, func(f sentry.Frame) bool {
		return f.Module == "log/slog" || strings.HasSuffix(f.Module, "/internal/observe")
	})
	return s
}

// What an error's text may hold of somebody's: what is quoted, addresses beyond
// their host, mail addresses, and long words that are no ids of ours.
var (
	quoted  = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"?|`[^`]*`?|“[^”]*”?")
	link    = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)(?:[^\s/@]*@)?([^\s/?#]*)[^\s]*`)
	mail    = regexp.MustCompile(`[^\s<>"@]+@[^\s<>"@]+\.[^\s<>"@]+`)
	setting = regexp.MustCompile(`(?i)((?:key|token|secret|password|authorization|bearer|basic)\S*?[=:\s]\s*)(?:(?:bearer|basic)\s+)?\S+`)
	longish = regexp.MustCompile(`[A-Za-z0-9+/_=-]{24,}`)
	uuid    = regexp.MustCompile(`^[a-z]*-?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

func scrub(text string) string {
	text = quoted.ReplaceAllString(text, `"…"`)
	text = link.ReplaceAllString(text, "$1$2")
	text = mail.ReplaceAllString(text, "…@…")
	text = setting.ReplaceAllString(text, "$1***")
	text = longish.ReplaceAllStringFunc(text, func(word string) string {
		if uuid.MatchString(word) || isWord(word) {
			return word
		}
		return "***"
	})
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

// isWord reports names and paths of the code, which have no digits, as opposed to
// generated values.
func isWord(s string) bool { return !strings.ContainsAny(s, "0123456789+=") && strings.ToLower(s) == s }

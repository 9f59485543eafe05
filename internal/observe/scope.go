package observe

import (
	"context"
	"log/slog"
	"slices"

	"github.com/stepledger/stepledger/domain/scope"
)

// Scoped returns a handler that adds to every record the ids of the request it was logged
// for (request, trace, tenant, user, task), as its context has them. An id that the record
// names itself is not repeated.
func Scoped(next slog.Handler) slog.Handler { return scoped{Handler: next} }

type scoped struct {
	slog.Handler
	has []string // names given by WithAttrs
}

// Handle implements slog.Handler.
func (h scoped) Handle(ctx context.Context, r slog.Record) error {
	s := scope.Of(ctx)
	if s == nil {
		return h.Handler.Handle(ctx, r)
	}
	has := slices.Clone(h.has)
	r.Attrs(func(a slog.Attr) bool {
		has = append(has, a.Key)
		return true
	})
	r = r.Clone()
	ids := s.IDs()
	for _, id := range []struct{ name, value string }{
		{"request", ids.Request}, {"trace", ids.Trace}, {"tenant", ids.Tenant}, {"user", ids.User}, {"task", ids.Task},
	} {
		if id.value != "" && !slices.Contains(has, id.name) {
			r.AddAttrs(slog.String(id.name, id.value))
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h scoped) WithAttrs(attrs []slog.Attr) slog.Handler {
	has := slices.Clone(h.has)
	for _, a := range attrs {
		has = append(has, a.Key)
	}
	return scoped{h.Handler.WithAttrs(attrs), has}
}

// WithGroup implements slog.Handler. The ids are then in the group.
func (h scoped) WithGroup(name string) slog.Handler { return scoped{h.Handler.WithGroup(name), nil} }

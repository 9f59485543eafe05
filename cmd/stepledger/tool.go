package main

import (
	"context"
	"encoding/json"
	"log/slog"
)

// withSystem builds the system for a command that is over in a moment.
func (p program) withSystem(ctx context.Context, do func(*system) error) error {
	cfg, log, err := p.config()
	if err != nil {
		return err
	}
	s, err := openSystem(ctx, cfg, quiet(log), hooks{})
	if err != nil {
		return err
	}
	defer s.close()
	return do(s)
}

func (p program) printJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// quiet keeps everything below a warning out of a tool's output.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(atLeast{log.Handler(), slog.LevelWarn})
}

// atLeast drops records below a level.
type atLeast struct {
	slog.Handler
	level slog.Level
}

// Enabled implements slog.Handler.
func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level && h.Handler.Enabled(ctx, l)
}

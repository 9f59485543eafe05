package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
)

const logLevelPath = "/loglevel"

// maxLevel is more than the name of any level is long, in bytes.
const maxLevel = 64

// showLogLevel answers with the level of this process's log.
func (s *system) showLogLevel(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, strings.ToLower(s.cfg.Level.Level().String()))
}

// setLogLevel sets it until the process ends. The body is debug, info, warn or error.
func (s *system) setLogLevel(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLevel))
	level, known := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}[strings.ToLower(strings.TrimSpace(string(body)))]
	if err != nil || !known {
		http.Error(w, "the body is debug, info, warn or error", http.StatusBadRequest)
		return
	}
	was := s.cfg.Level.Level()
	s.cfg.Level.Set(level)
	s.log.WarnContext(r.Context(), "the level of the log was changed", "from", was, "to", level)
	s.showLogLevel(w, r)
}

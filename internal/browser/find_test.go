package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	machine := func(commands ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, c := range commands {
				if c == name {
					return "/bin/" + name, nil
				}
			}
			return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
		}
	}
	tests := map[string]struct {
		configured string
		lookPath   func(string) (string, error)
		want       string
		err        error
	}{
		"the configured one comes first":          {"my-chrome", machine("chromium", "my-chrome"), "/bin/my-chrome", nil},
		"a configured one has to be there":        {"my-chrome", machine("chromium"), "", exec.ErrNotFound},
		"chromium comes before its relatives":     {"", machine("google-chrome", "chromium"), "/bin/chromium", nil},
		"a relative will do":                      {"", machine("google-chrome-stable"), "/bin/google-chrome-stable", nil},
		"an application outside the path will do": {"", machine("/Apps/Chromium"), "/bin//Apps/Chromium", nil},
		"a machine may have none":                 {"", machine(), "", ErrNotFound},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := find(tt.configured, tt.lookPath, []string{"/Apps/Chromium"})
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestErrNotFound_IsOneLineWithWhatToType(t *testing.T) {
	t.Parallel()
	text := ErrNotFound.Error()
	if strings.Contains(text, "\n") || !strings.Contains(text, "install") || !strings.Contains(text, pathVariable) {
		t.Errorf("%q", text)
	}
}

func TestEnsure(t *testing.T) {
	t.Parallel()
	broken := errors.New("apt-get install: E: no space left")
	tests := map[string]struct {
		there, mayInstall bool
		fails             error // how installing fails
		want              string
		err               error
		log               string
	}{
		"what is there is not installed":           {there: true, mayInstall: true, want: "/bin/chromium"},
		"root gets it installed, and is told":      {mayInstall: true, want: "/bin/chromium", log: "level=WARN"},
		"anyone else is told what to type":         {err: ErrNotFound},
		"so is root when installing does not work": {mayInstall: true, fails: broken, err: ErrNotFound, log: "level=WARN"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			there := tt.there
			find := func() (string, error) {
				if !there {
					return "", ErrNotFound
				}
				return "/bin/chromium", nil
			}
			install := func(_ context.Context, _ *slog.Logger, packages ...string) error {
				there = tt.fails == nil && strings.Join(packages, " ") == "chromium"
				return tt.fails
			}
			got, err := ensure(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), find, tt.mayInstall, install)
			if got != tt.want || !errors.Is(err, tt.err) || tt.fails != nil && !errors.Is(err, tt.fails) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
			if !strings.Contains(log.String(), tt.log) || tt.log == "" && log.Len() > 0 {
				t.Errorf("log %q, want %q", log.String(), tt.log)
			}
		})
	}
}

func TestEnsure_WaitsForAnInstallationThatIsUnderWay(t *testing.T) {
	t.Parallel()
	installing, installed := true, 0
	find := finished(t.Context(), func() (string, error) { return "/usr/bin/chromium", nil },
		func(_ context.Context, name string) bool { return name == "chromium" && installing })
	install := func(context.Context, *slog.Logger, ...string) error {
		installed++
		installing = false
		return nil
	}
	for range 2 {
		path, err := ensure(t.Context(), slog.New(slog.DiscardHandler), find, true, install)
		if path != "/usr/bin/chromium" || err != nil || installed != 1 {
			t.Errorf("got %q, %v after %d installations; want the one that was under way waited for", path, err, installed)
		}
	}
}

func TestMayBeAbsent(t *testing.T) {
	// Not parallel: it sets the environment.
	installing := fmt.Errorf("%w (installing it here did not work)", ErrNotFound)
	t.Setenv("CI", "")
	if !mayBeAbsent(ErrNotFound) || !mayBeAbsent(installing) {
		t.Error("a developer's machine without Chromium fails the tests")
	}
	if mayBeAbsent(nil) || mayBeAbsent(errors.New("the browser crashed")) {
		t.Error("a browser that does not start passes for one that is not there")
	}
	t.Setenv("CI", "true")
	if mayBeAbsent(ErrNotFound) {
		t.Error("CI tests nothing and is content")
	}
}

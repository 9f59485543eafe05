package pgembed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stepledger/stepledger/internal/debian"
)

// waitDelay bounds the wait for the output of a command that was stopped.
const waitDelay = 5 * time.Second

// machine is what finding and fetching binaries asks of its surroundings.
type machine struct {
	goos, goarch string
	root         bool    // this process may install packages
	acct         account // who has to reach the binaries
	cache        string  // directory for fetched binaries
	etc          string  // /etc
	getenv       func(string) string
	lookPath     func(string) (string, error)
	glob         func(pattern string) []string
	run          func(context.Context, step) (string, error)
	install      func(ctx context.Context, log *slog.Logger, packages ...string) error
}

// step is one command to run to its end.
type step struct {
	dir  string   // where; empty means /
	env  []string // added to this process's environment
	name string
	args []string
}

func thisMachine(acct account) machine {
	return machine{
		goos: runtime.GOOS, goarch: runtime.GOARCH,
		root: os.Geteuid() == 0, acct: acct, cache: cacheDir(), etc: "/etc",
		getenv: os.Getenv, lookPath: exec.LookPath, glob: glob, run: runStep, install: debian.Install,
	}
}

// glob ignores errors, which only a bad pattern gives.
func glob(pattern string) []string {
	paths, _ := filepath.Glob(pattern)
	return paths
}

// cacheDir is where fetched binaries are kept: where the server's account can
// reach them when this process is root.
func cacheDir() string {
	if os.Geteuid() == 0 {
		return "/var/cache/stepledger"
	}
	dir, err := os.UserCacheDir()
	if info, statErr := os.Stat(filepath.Dir(dir)); err == nil && statErr == nil && ownedBy(info, os.Geteuid()) {
		return filepath.Join(dir, "stepledger")
	}
	return fmt.Sprintf("/var/tmp/stepledger-cache-%d", os.Geteuid())
}

// runStep returns the standard output; the error ends with the last line of
// standard error, where programs say what went wrong.
func runStep(ctx context.Context, s step) (string, error) {
	cmd := exec.CommandContext(ctx, s.name, s.args...)
	cmd.Dir = s.dir
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.Env = append(os.Environ(), s.env...)
	cmd.WaitDelay = waitDelay
	out, err := cmd.Output()
	if err == nil {
		return string(out), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	said := ""
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		said = ": " + strings.TrimSpace(lines[len(lines)-1])
	}
	return "", fmt.Errorf("%s: %w%s", filepath.Base(s.name), err, said)
}

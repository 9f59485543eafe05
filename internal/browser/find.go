package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/stepledger/stepledger/internal/debian"
)

// pathVariable names the environment variable with the path of a Chromium.
const pathVariable = "CHROMIUM_PATH"

// names are the commands of Chromium and its relatives.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell", "microsoft-edge"}

// applications are their usual places outside the search path.
var applications = map[string][]string{
	"darwin": {
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	},
	"windows": {
		`C:\Program Files\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
	},
}

// ErrNotFound is returned if this machine has no Chromium. Its text says what to
// type.
var ErrNotFound = errors.New("no Chromium on this machine: install it (" + installHint() + ") or set " + pathVariable + " to its path")

func installHint() string {
	switch runtime.GOOS {
	case "darwin":
		return "brew install --cask chromium"
	case "windows":
		return "winget install Hibbiki.Chromium"
	default:
		return "sudo apt-get install -y --no-install-recommends chromium"
	}
}

// Find returns the path of a Chromium: $CHROMIUM_PATH, the first known command in the
// search path, or the usual place of an application. It returns ErrNotFound if there
// is none, and an error if $CHROMIUM_PATH does not exist.
func Find() (string, error) {
	return find(os.Getenv(pathVariable), exec.LookPath, applications[runtime.GOOS])
}

func find(configured string, lookPath func(string) (string, error), places []string) (string, error) {
	if configured != "" {
		path, err := lookPath(configured)
		if err != nil {
			return "", fmt.Errorf("%s=%s: %w", pathVariable, configured, err)
		}
		return path, nil
	}
	for _, candidate := range append(names[:len(names):len(names)], places...) {
		if path, err := lookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", ErrNotFound
}

// Ensure is Find, but as root on a Debian-like system it installs the package
// chromium if none is found, or if somebody is installing it right now: it cannot
// start before that is done.
func Ensure(ctx context.Context, log *slog.Logger) (string, error) {
	return ensure(ctx, log, finished(ctx, Find, debian.Unfinished), os.Geteuid() == 0 && hasApt(), debian.Install)
}

// finished is find without a program whose package is not all there.
func finished(ctx context.Context, find func() (string, error), unfinished func(context.Context, string) bool) func() (string, error) {
	return func() (string, error) {
		path, err := find()
		if err == nil && filepath.Base(path) == "chromium" && unfinished(ctx, "chromium") {
			return "", ErrNotFound
		}
		return path, err
	}
}

func hasApt() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil
}

func ensure(
	ctx context.Context, log *slog.Logger, find func() (string, error), mayInstall bool,
	install func(ctx context.Context, log *slog.Logger, packages ...string) error,
) (string, error) {
	path, err := find()
	if !errors.Is(err, ErrNotFound) || !mayInstall {
		return path, err
	}
	log.WarnContext(ctx, "this machine has no Chromium: installing it with apt-get takes a minute, once")
	if err := install(ctx, log, "chromium"); err != nil {
		return "", fmt.Errorf("%w (installing it here did not work: %w)", ErrNotFound, err)
	}
	return find()
}

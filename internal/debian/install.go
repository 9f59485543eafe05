// Package debian installs packages on Debian and its relatives, for a process
// that may be asked to end at any moment.
//
// It promises that
//   - what changes the package database runs to its end, whether or not the
//     context ends, the terminal says Ctrl-C or hangs up, or this process dies:
//     half an installation keeps apt from working until somebody repairs it;
//   - all that comes before (package lists, downloads) ends with the context;
//   - no question is asked and no package removed;
//   - a package database that somebody else left half-way is repaired, once.
//
// A machine that loses power, or a service manager that kills every process of
// a service, is beyond it; the repair is there for them.
package debian

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"
)

// installTimeout is far more than any installation takes. One that takes
// longer is left alone and no longer waited for.
const installTimeout = 30 * time.Minute

// byHand finishes what was interrupted when repair cannot.
const byHand = "dpkg --configure -a && apt-get -f install"

// errInterrupted is apt's refusal to work on a package database that was left
// half-way.
var errInterrupted = errors.New("dpkg was interrupted")

// Install installs packages without their recommended ones, after updating missing or
// old package lists. It requires root. The error is one line that says what to type
// if that helps.
func Install(ctx context.Context, log *slog.Logger, packages ...string) error {
	return system{aptGet: "apt-get", dpkg: "dpkg", log: log}.install(ctx, packages)
}

// Unfinished reports whether a package is being installed, or was left half-way: its
// programs may be there already, and fail for what is still missing. It is false for
// a package that dpkg does not know.
func Unfinished(ctx context.Context, name string) bool {
	out, err := exec.CommandContext(ctx, "dpkg-query", "--show", "--showformat", "${db:Status-Status}", name).Output()
	return err == nil && unfinished(string(out))
}

func unfinished(status string) bool {
	switch status {
	case "half-installed", "unpacked", "half-configured", "triggers-awaited", "triggers-pending":
		return true
	}
	return false
}

// system names the programs.
type system struct {
	aptGet, dpkg string
	log          *slog.Logger
}

func (s system) install(ctx context.Context, packages []string) error {
	err := s.apply(ctx, packages...)
	if errors.Is(err, errInterrupted) {
		if err = s.repair(ctx); err == nil {
			err = s.apply(ctx, packages...)
		}
	}
	if err != nil && !errors.Is(err, errInterrupted) && ctx.Err() == nil {
		// Most images come without package lists, others with old ones.
		if err = s.interruptible(ctx, s.aptGet, "update", "-o", lockTimeout); err == nil {
			err = s.apply(ctx, packages...)
		}
	}
	if errors.Is(err, errInterrupted) && ctx.Err() == nil {
		return fmt.Errorf("an earlier installation was interrupted, type: %s (%w)", byHand, err)
	}
	return err
}

// lockTimeout lets apt wait for another one that is at work.
const lockTimeout = "DPkg::Lock::Timeout=300"

// apply downloads what the packages need and then installs it.
func (s system) apply(ctx context.Context, what ...string) error {
	args := append([]string{"install", "-y", "--no-install-recommends", "--no-remove", "-o", lockTimeout,
		"-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"}, what...)
	if err := s.interruptible(ctx, s.aptGet, append(args[:len(args):len(args)], "--download-only")...); err != nil {
		return err
	}
	return s.toTheEnd(ctx, s.aptGet, args...)
}

// repair finishes an installation that was interrupted, in the two steps apt
// asks for.
func (s system) repair(ctx context.Context) error {
	s.log.WarnContext(ctx, "an earlier installation of packages was interrupted: finishing it")
	// Fails over a package that waits for another, which the second step brings.
	err := s.toTheEnd(ctx, s.dpkg, "--configure", "-a", "--force-confdef", "--force-confold")
	if fixErr := s.apply(ctx, "-f"); fixErr != nil {
		if err == nil || ctx.Err() != nil {
			err = fixErr
		}
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return nil
}

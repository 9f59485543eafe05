package debian

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// waitDelay is what a program that was asked to end gets for it.
const waitDelay = 5 * time.Second

// interruptible runs a program that does no harm by ending early.
func (s system) interruptible(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return endSession(cmd.Process) }
	cmd.WaitDelay = waitDelay
	said, err := start(cmd)
	if err != nil {
		return err
	}
	defer said.Close()
	err = cmd.Wait()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(cmd.Path), cmd.Args[1], ctx.Err())
	}
	return explain(cmd, said, err)
}

// toTheEnd runs a program that nothing here interrupts once it has begun.
func (s system) toTheEnd(ctx context.Context, name string, args ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	cmd := exec.Command(name, args...)
	said, err := start(cmd)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		defer said.Close()
		ended <- explain(cmd, said, cmd.Wait())
	}()
	asked := ctx.Done()
	for timeout := time.After(installTimeout); ; {
		select {
		case err := <-ended:
			return err
		case <-asked:
			s.log.WarnContext(ctx, "packages are being installed: stopping when that is done, so that it is not left half-way", "pid", cmd.Process.Pid)
			asked = nil
		case <-timeout:
			return fmt.Errorf("%s is still at work, pid %d, after %v", name, cmd.Process.Pid, installTimeout)
		}
	}
}

// start starts the program out of reach of the terminal's signals. What it
// says goes to a file: a pipe would break with this process, and with the pipe
// the program.
func start(cmd *exec.Cmd) (said *os.File, err error) {
	said, err = os.CreateTemp("", "stepledger-install-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(said.Name()) // the open file is enough
	// In English, since apt's words are read here.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "UCF_FORCE_CONFFOLD=1")
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		said.Close()
		return nil, err
	}
	return said, nil
}

// explain adds to an error what the program said last.
func explain(cmd *exec.Cmd, said *os.File, err error) error {
	if err == nil {
		return nil
	}
	// The file's own offset is the program's.
	b, readErr := io.ReadAll(io.NewSectionReader(said, 0, math.MaxInt64))
	if readErr != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(cmd.Path), cmd.Args[1], err)
	}
	text := string(b)
	if strings.Contains(text, errInterrupted.Error()) {
		err = fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return fmt.Errorf("%s %s: %w: %s", filepath.Base(cmd.Path), cmd.Args[1], err, complaint(text))
}

// complaint is the last error apt names, else the last line.
func complaint(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	for _, line := range lines {
		if strings.HasPrefix(line, "E: ") {
			last = line
		}
	}
	return strings.TrimSpace(last)
}

package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// initTimeout bounds initdb, which takes half a second on a small machine.
	initTimeout = 2 * time.Minute
	// crashTimeout is how long the backends of a server that was killed, where
	// they cannot be found and ended, may hold its shared memory, in which case
	// a new one refuses to start.
	crashTimeout = 5 * time.Second
	// maxLog is the size at which the server's log is begun afresh.
	maxLog = 8 << 20
)

// createCluster runs initdb beside the final place and renames, so that a
// cluster is whole or not there.
func createCluster(ctx context.Context, bins binaries, dir dataDir, ephemeral bool) error {
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	fresh := dir.cluster() + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("create cluster: %w", err)
	}
	args := []string{"--pgdata", fresh, "--username", superuser, "--encoding", "UTF8", "--locale", childLocale,
		"--auth-local", "trust", "--auth-host", "reject"}
	if ephemeral {
		// 1 MB segments: a test cluster is removed long before it fills 16.
		args = append(args, "--no-sync", "--wal-segsize", "1")
	}
	if out, err := runToEnd(ctx, bins.command("initdb", dir, args...)); err != nil {
		return fmt.Errorf("create cluster: initdb: %w: %s", err, strings.TrimSpace(out))
	}
	if err := os.Rename(fresh, dir.cluster()); err != nil {
		return fmt.Errorf("create cluster: %w", err)
	}
	return syncDir(dir.root)
}

// settings are those of a small machine that also serves the program: a
// durable log first, then few surprises. Config.Settings win.
func settings(cfg Config, dir dataDir) map[string]string {
	all := map[string]string{
		"listen_addresses":        "",
		"port":                    "5432",
		"unix_socket_directories": `"` + dir.socketDir + `"`,
		"unix_socket_permissions": "0700",
		"max_connections":         "200",
		"fsync":                   "on",
		"synchronous_commit":      "on",
		"full_page_writes":        "on",
		"wal_compression":         "on",
		"max_wal_size":            "2GB",
		"checkpoint_timeout":      "15min",
		"shared_buffers":          "256MB",
		// Compiling a query costs more than the short queries here take.
		"jit":              "off",
		"random_page_cost": "1.1",
		// Unlike UTC this one needs no file of the system.
		"timezone":     "GMT",
		"log_timezone": "GMT",
		// The server's own life only: a statement's error goes to its caller,
		// and its text may hold what a log must not.
		"log_min_messages":        "log",
		"log_min_error_statement": "panic",
		"logging_collector":       "off",
	}
	if cfg.Ephemeral {
		maps.Copy(all, map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
			"shared_buffers": "64MB", "max_wal_size": "512MB", "min_wal_size": "16MB",
		})
	}
	maps.Copy(all, cfg.Settings)
	return all
}

// launch starts the server and returns when it answers.
func launch(ctx context.Context, bins binaries, dir dataDir, settings map[string]string) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	args := []string{"-D", dir.cluster()}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	crashed := postmasterPID(dir.cluster()) > 0
	for begun := time.Now(); ; {
		p, err := launchOnce(ctx, bins.command("postgres", dir, args...), dir)
		if err == nil || !crashed || time.Since(begun) > crashTimeout || ctx.Err() != nil {
			return p, err
		}
		if err := pause(ctx, 20*pollEvery); err != nil {
			return nil, err
		}
	}
}

func launchOnce(ctx context.Context, cmd *exec.Cmd, dir dataDir) (*process, error) {
	log, from, err := dir.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	p, err := startProcess(cmd)
	if err != nil {
		return nil, err
	}
	for {
		err := dir.answers(ctx)
		if err == nil && !p.ended() {
			return p, nil
		}
		select {
		case <-p.done:
			return nil, fmt.Errorf("postgres ended (%w): %s", exitError(p.err), logTail(dir.logFile(), from))
		case <-ctx.Done():
			p.endAtOnce()
			return nil, fmt.Errorf("postgres does not answer (%w): %s", errors.Join(ctx.Err(), err), logTail(dir.logFile(), from))
		case <-time.After(pollEvery):
		}
	}
}

func exitError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// openLog opens the server's log for appending and says where it ends. What
// the server says goes to a file, since a pipe would break with its owner.
func (d dataDir) openLog() (*os.File, int64, error) {
	path := d.logFile()
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, 0, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	return f, end, errors.Join(err, d.acct.adopt(f))
}

// logTail is what the server said since the given offset, on one line, the
// last 600 bytes of it.
func logTail(path string, from int64) string {
	b, err := os.ReadFile(path)
	if err != nil || int64(len(b)) <= from {
		return "it said nothing"
	}
	b = b[from:]
	b = b[max(0, len(b)-600):]
	return strings.Join(strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' }), "; ")
}

// runToEnd runs a command that ends by itself and returns what it said.
func runToEnd(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := startProcess(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-p.done:
		return out.String(), p.err
	case <-ctx.Done():
		p.signal(syscall.SIGKILL)
		<-p.done
		return out.String(), ctx.Err()
	}
}

// syncDir makes a rename in the directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// command prepares one of the server's programs: under its account, in a
// directory it can read, with nothing of this process's environment that could
// change its mind (PGDATA, PGPORT, a locale that is not installed).
func (b binaries) command(name string, dir dataDir, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(b.dir, name), args...)
	cmd.Dir = dir.root
	cmd.Env = append([]string{"LC_ALL=" + childLocale, "PATH=/usr/local/bin:/usr/bin:/bin"}, b.env...)
	cmd.SysProcAttr = childAttr(dir.acct)
	cmd.WaitDelay = waitDelay
	return cmd
}

//go:build unix

package debian

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// box is a machine whose apt-get and dpkg are shell scripts. Both append the
// words that tell their calls apart to the file ran; what is true of the
// machine is said by files in its directory.
type box struct {
	system
	dir string
	log lines
}

// lines hands on what is written, line by line.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

const playApt = `#!/bin/sh
cd "${0%/*}"
kind=install
for word in "$@"; do
	case $word in update|-f) kind=$word;; esac
done
for word in "$@"; do
	case $word in --download-only) kind="$kind download";; esac
done
echo "$kind" >>ran
if [ -e broken ] && [ "$kind" != update ] && ! { [ -e configured ] && [ "${kind#-f}" != "$kind" ]; }; then
	echo "Reading package lists..."
	echo "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem." >&2
	exit 100
fi
case $kind in
update) [ ! -e offline ] || { echo "E: no network" >&2; exit 100; }; touch lists;;
"install download") [ -e lists ] || { echo "E: Unable to locate package chromium" >&2; echo "N: see the manual" >&2; exit 100; };;
-f) rm broken;;
esac
[ ! -p "slow $kind" ] || { echo $$ >pid; read -r _ <"slow $kind"; }
echo "$kind" >>finished
`

const playDpkg = `#!/bin/sh
cd "${0%/*}"
echo "dpkg $1 $2" >>ran
[ ! -e hopeless ] || { echo "dpkg: error: disk full" >&2; exit 1; }
touch configured
exit 1 # something waits for another package
`

func newBox(t *testing.T, files ...string) *box {
	t.Helper()
	b := &box{dir: t.TempDir(), log: make(lines, 10)}
	b.system = system{aptGet: filepath.Join(b.dir, "apt-get"), dpkg: filepath.Join(b.dir, "dpkg"), log: slog.New(slog.NewTextHandler(b.log, nil))}
	// A program forked meanwhile would inherit the open file, and Linux runs no
	// script that is open for writing.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for path, text := range map[string]string{b.aptGet: playApt, b.dpkg: playDpkg} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// hold begins do and returns once the step it comes to is in its middle, where
// it stays until a line is written to the pipe.
func (b *box) hold(t *testing.T, step string, do func()) *os.File {
	t.Helper()
	pipe := filepath.Join(b.dir, "slow "+step)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go do()
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// words are the lines of a file of the machine.
func (b *box) words(name string) []string {
	text, _ := os.ReadFile(filepath.Join(b.dir, name))
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

func TestInstall(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files []string
		want  []string // commands
		fails []string // parts of the error
	}{
		"what is installed was downloaded before": {
			files: []string{"lists"},
			want:  []string{"install download", "install"},
		},
		"a machine without package lists gets some": {
			want: []string{"install download", "update", "install download", "install"},
		},
		"no network": {
			files: []string{"offline"},
			want:  []string{"install download", "update"},
			fails: []string{"apt-get update: exit status 100: E: no network"},
		},
		"somebody's interrupted installation is finished first": {
			files: []string{"lists", "broken"},
			want:  []string{"install download", "dpkg --configure -a", "-f download", "-f", "install download", "install"},
		},
		"and on a machine without package lists": {
			files: []string{"broken"},
			want: []string{"install download", "dpkg --configure -a", "-f download", "-f", "install download", "update",
				"install download", "install"},
		},
		"what cannot be repaired is for a human, who is told how": {
			files: []string{"lists", "broken", "hopeless"},
			want:  []string{"install download", "dpkg --configure -a", "-f download"},
			fails: []string{"type: dpkg --configure -a && apt-get -f install", "disk full"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, tt.files...)
			err := b.install(t.Context(), []string{"chromium"})
			if (err != nil) != (tt.fails != nil) {
				t.Errorf("error %v", err)
			}
			for _, part := range tt.fails {
				if err != nil && (!strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n")) {
					t.Errorf("error %q is not one line with %q", err, part)
				}
			}
			if got := b.words("ran"); !slices.Equal(got, tt.want) {
				t.Errorf("ran:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestInstall_SaysTheErrorAndNotTheHintAfterIt(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	err := b.interruptible(t.Context(), b.aptGet, "install", "--download-only", "chromium")
	if err == nil || err.Error() != "apt-get install: exit status 100: E: Unable to locate package chromium" {
		t.Errorf("error %v", err)
	}
}

// TestInstall_IsNotInterrupted ends the context in the middle of the step that
// changes the package database.
func TestInstall_IsNotInterrupted(t *testing.T) {
	t.Parallel()
	b := newBox(t, "lists")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	atWork := b.hold(t, "install", func() { done <- b.install(ctx, []string{"chromium"}) })
	pid, err := strconv.Atoi(b.words("pid")[0])
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("process group %d, %v: a terminal's Ctrl-C would reach process %d", group, err, pid)
	}
	for _, fd := range []string{"1", "2"} {
		if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd)); err == nil && strings.HasPrefix(to, "pipe:") {
			t.Errorf("output %s is a pipe, which would break with this process", fd)
		}
	}
	cancel()
	if line := <-b.log; !strings.Contains(line, "packages are being installed") {
		t.Errorf("whoever pressed Ctrl-C is not told why nothing happens: %s", line)
	}
	select {
	case err := <-done:
		t.Fatalf("install returned (%v) while apt-get was at work", err)
	default:
	}
	if _, err := atWork.WriteString("go on\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("install: %v", err)
	}
	if got := b.words("finished"); !slices.Contains(got, "install") {
		t.Errorf("finished: %q", got)
	}
}

func TestInstall_DownloadEndsWithTheContext(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{"install download": {"lists"}, "update": nil}
	for step, files := range tests {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, files...)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			b.hold(t, step, func() { done <- b.install(ctx, []string{"chromium"}) })
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that of the context", err)
			}
			if got := b.words("ran"); got[len(got)-1] != step {
				t.Errorf("ran %q after the context ended", got)
			}
		})
	}
}

func TestInstall_ChangesNothingOnceTheContextHasEnded(t *testing.T) {
	t.Parallel()
	b := newBox(t, "lists", "broken")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.toTheEnd(ctx, b.aptGet, "install"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := b.install(ctx, []string{"chromium"}); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), byHand) {
		t.Errorf("error %v", err)
	}
	if got := b.words("ran"); len(got) > 0 {
		t.Errorf("ran %q", got)
	}
}

func TestInstall_WithoutApt(t *testing.T) {
	t.Parallel()
	s := system{aptGet: "/nowhere/apt-get", dpkg: "/nowhere/dpkg", log: slog.New(slog.DiscardHandler)}
	if err := s.install(t.Context(), []string{"chromium"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"half-installed", "unpacked", "half-configured", "triggers-awaited", "triggers-pending"} {
		if !unfinished(status) {
			t.Errorf("a package that is %s passes for one that can be used", status)
		}
	}
	for _, status := range []string{"", "not-installed", "config-files", "installed"} {
		if unfinished(status) {
			t.Errorf("a package that is %q is waited for", status)
		}
	}
}

package bouncertest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// installed makes a folder the only one of programs, with a PgBouncer of a version in it,
// for a process without a home. Its test is not parallel.
func installed(t *testing.T, version string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho PgBouncer " + version + "\n"
	if err := os.WriteFile(filepath.Join(dir, "pgbouncer"), []byte(script), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
}

func TestFind_WhatIsInstalled(t *testing.T) {
	installed(t, "1.21.0")
	if path, err := find(t.Context()); err != nil || path != "pgbouncer" {
		t.Errorf("%q, %v", path, err)
	}
}

func TestKeepsStatements(t *testing.T) {
	for version, want := range map[string]bool{"1.20.1": false, "1.21.0": true, "1.9.0": false, "2.0": true, "next": false} {
		installed(t, version)
		if got := keepsStatements(t.Context(), "pgbouncer"); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
	if keepsStatements(t.Context(), strings.Repeat("x", 10)) {
		t.Error("a program that is not there passes")
	}
}

// reportEnv has TestKilled start a program that writes its process id into the named file,
// and die.
const reportEnv = "BOUNCERTEST_REPORT"

func TestKilled(t *testing.T) {
	report := os.Getenv(reportEnv)
	if report == "" {
		return
	}
	program := filepath.Join(t.TempDir(), "program")
	script := "#!/bin/sh\necho $$ >\"$1.new\" && mv \"$1.new\" \"$1\"\nexec sleep 600\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	start(t, program, report)
	waitFor(t, "the program runs", func() bool { _, err := os.Stat(report); return err == nil })
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func TestStart_GoesWithItsProcess(t *testing.T) {
	report := filepath.Join(t.TempDir(), "pid")
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$") //nolint:gosec // this program
	process.Env = append(os.Environ(), reportEnv+"="+report)
	out, _ := process.CombinedOutput() // it is killed
	text, err := os.ReadFile(report)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("nothing was started: %s", out)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the program has ended with the process that started it", func() bool {
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

//go:build unix

package debian

import (
	"os"
	"syscall"
)

// ownSession keeps away what a terminal sends to its foreground: Ctrl-C, and
// the hang-up when it closes.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endSession ends the leader of a session and what it started: the programs
// that download for apt.
func endSession(leader *os.Process) error { return syscall.Kill(-leader.Pid, syscall.SIGTERM) }

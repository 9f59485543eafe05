//go:build !unix

package debian

import (
	"os"
	"syscall"
)

// There is no apt here that could be run.
func ownSession() *syscall.SysProcAttr    { return nil }
func endSession(leader *os.Process) error { return leader.Kill() }

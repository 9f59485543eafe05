//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package pgembed

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

const childLocale = "C"

var errUnsupported = errors.New("a private postgres is not supported on " + runtime.GOOS + ": set DATABASE_URL")

// tryLock is the first thing Start does that needs the system, so its error
// is the one a user sees.
func tryLock(string) (*os.File, error) { return nil, errUnsupported }

func ownerOf(os.FileInfo) (uid int, ok bool)     { return os.Geteuid(), true }
func sendSignal(int, syscall.Signal) error       { return errUnsupported }
func childAttr(account) *syscall.SysProcAttr     { return nil }
func worksIn(pid int, dir string) (working bool) { return false }
func straggler(string) (pid int)                 { return 0 }

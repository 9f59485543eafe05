//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package pgembed

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLock takes the lock file for this process. A nil file without an error
// means that another owner has it. The kernel drops the lock with the file,
// and so with the process.
func tryLock(path string) (*os.File, error) {
	// The directory may not be private yet, so no link is followed out of it.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, f.Close()
	default:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
}

func ownerOf(info os.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// sendSignal with signal 0 only asks whether the process lives.
func sendSignal(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// childAttr puts the child under the account, in a process group of its own so
// that a terminal's Ctrl-C does not reach it.
func childAttr(a account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	endWithParent(attr)
	return attr
}

package main

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"testing"
)

// mountSmall makes a directory a file system in memory of its own, which goes with the test
// or, where that is killed, with its process. It fails for who may not mount.
func mountSmall(t testing.TB, dir string, bytes int64) error {
	t.Helper()
	if err := syscall.Mount("stepledger-soak", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", bytes)); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	last := exec.Command("sh", "-c", `read -r x; umount -l "$1"`, "sh", dir)
	last.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of the test is not its own
	alive, err := last.StdinPipe()
	if err == nil {
		err = last.Start()
	}
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	t.Cleanup(func() { endWith(last, alive) })
	return nil
}

func endWith(c *exec.Cmd, in io.Closer) {
	in.Close()
	_ = c.Wait()
}

// resize changes the size of a mounted file system; 0 is what is in use.
func resize(dir string, bytes int64) error {
	if bytes == 0 {
		var now syscall.Statfs_t
		if err := syscall.Statfs(dir, &now); err != nil {
			return err
		}
		bytes = int64(now.Blocks-now.Bfree) * now.Bsize //nolint:gosec // sizes
	}
	return syscall.Mount("stepledger-soak", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", bytes))
}

//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package pgembed

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

const childLocale = "en_US.UTF-8"

// endWithParent does nothing: these systems have no parent-death signal, and
// the next Start ends what a dead owner left.
func endWithParent(*syscall.SysProcAttr) {}

// worksIn says whether the process is a server started on the directory, by
// its command line: these systems do not tell a process's directory without
// cgo.
func worksIn(pid int, dir string) bool {
	out, err := exec.Command("ps", "-ww", "-p", strconv.Itoa(pid), "-o", "command=").Output()
	return err == nil && strings.Contains(string(out), "-D "+dir)
}

// straggler finds none: nothing tells which cluster a backend belongs to. A
// new server finds out by the shared memory and launch tries again.
func straggler(string) (pid int) { return 0 }

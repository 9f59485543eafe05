package main

import (
	"os/exec"
	"syscall"
)

// dieWithParent leaves no child behind when the test process is killed, which
// runs no cleanup.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

//go:build !unix

package extract

import "os/exec"

// Where there are no groups of processes, the process alone is killed.
func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killed(*exec.ExitError) bool { return false }

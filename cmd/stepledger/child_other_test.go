//go:build !linux

package main

import "os/exec"

// dieWithParent has no counterpart here: the cleanup of the test kills the
// child, unless the test process itself is killed.
func dieWithParent(*exec.Cmd) {}

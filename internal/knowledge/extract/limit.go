//go:build linux || darwin

package extract

import "syscall"

// setLimit sets a limit that cannot be raised again; one that is lower stays.
func setLimit(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	now.Cur, now.Max = value, value
	return syscall.Setrlimit(resource, &now)
}

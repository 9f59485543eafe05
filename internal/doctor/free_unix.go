//go:build linux || darwin || freebsd

package doctor

import "syscall"

// freeIn is how many bytes a user may still write to the disk a folder is on.
func freeIn(folder string) (n int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // differs by system
}

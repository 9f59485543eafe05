package pgembed

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

const childLocale = "C.UTF-8"

// endWithParent makes the kernel shut the child down, fast and cleanly, when
// this process dies.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// worksIn says whether the process is at work in the directory; every Postgres
// process is in its cluster. Not so a zombie, which has none.
func worksIn(pid int, dir string) bool {
	cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && cwd == dir
}

// straggler is any process at work in the directory, 0 for none.
func straggler(dir string) (pid int) {
	for _, proc := range glob("/proc/[0-9]*") {
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil && worksIn(pid, dir) {
			return pid
		}
	}
	return 0
}

package pgtest

import (
	"io"
	"os/exec"
)

// removal waits for the end of its input and then of the server, ten seconds
// at most, before it removes the directory. It ignores the Ctrl-C that ends a
// test run.
const removal = `
trap '' HUP INT TERM
read -r line
for i in $(seq 100); do
	[ -e "$1/pgdata/postmaster.pid" ] || exec rm -rf -- "$1"
	sleep 0.1
done`

// removeWhenClosed starts a child that removes a server's directory once what
// is returned is closed, which the kernel does for a process that ends. No
// test knows to be the last one, so nothing in this process could.
func removeWhenClosed(dir string) (io.Closer, error) {
	// No output: `go test` waits for everyone who could still write to it.
	cmd := exec.Command("/bin/sh", "-c", removal, "sh", dir)
	cmd.Dir = "/"
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = cmd.Wait() }() // keeps the input from being collected, and so closed
	return input, nil
}

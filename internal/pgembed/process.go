package pgembed

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child that ends with this process.
type process struct {
	pid  int
	os   *os.Process
	done chan struct{}
	err  error // how it ended; read after done
}

// startProcess starts cmd. On Linux the parent-death signal is sent when the
// *thread* that forked ends, not the process, so one goroutine keeps its
// thread to itself from the fork until the child has ended.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.os, p.pid = cmd.Process, cmd.Process.Pid
	return p, nil
}

// signal is lost when the process has ended, which is what done tells.
func (p *process) signal(sig os.Signal) { _ = p.os.Signal(sig) }

// endAtOnce ends a server without the courtesies; what it acknowledged stays.
func (p *process) endAtOnce() {
	p.signal(syscall.SIGQUIT)
	select {
	case <-p.done:
	case <-time.After(immediateTimeout):
		p.signal(syscall.SIGKILL)
		<-p.done
	}
}

// ended says whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// endOrphan ends what a dead owner left at work in the cluster, and waits: a
// server that has not heard yet, or the backends of one that was killed, which
// go on writing as long as they are busy. It then removes a postmaster.pid
// whose pid meanwhile belongs to another process (likely in a container, where
// pids are few): Postgres itself only looks whether the pid lives.
func endOrphan(ctx context.Context, cluster string, log *slog.Logger) error {
	if postmasterPID(cluster) == 0 {
		return nil
	}
	told := map[int]bool{}
	for deadline := time.Now().Add(answerTimeout); ; {
		pid, sig := serverIn(cluster), syscall.SIGINT
		if pid == 0 {
			pid, sig = straggler(cluster), syscall.SIGQUIT
		}
		if pid == 0 {
			break
		}
		if !told[pid] {
			log.Info("ending the postgres of a process that died", "pid", pid)
			_ = sendSignal(pid, sig) // it may just have ended
			told[pid] = true
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the postgres of a process that died, pid %d, does not end", pid)
		}
		if err := pause(ctx, pollEvery); err != nil {
			return err
		}
	}
	if pid := postmasterPID(cluster); pid > 0 && sendSignal(pid, 0) == nil {
		return os.Remove(pidFile(cluster))
	}
	return nil
}

// serverIn is the server that runs in the cluster directory, 0 for none.
func serverIn(cluster string) (pid int) {
	if pid = postmasterPID(cluster); pid == 0 || !worksIn(pid, cluster) {
		return 0
	}
	return pid
}

func pidFile(cluster string) string { return filepath.Join(cluster, "postmaster.pid") }

// postmasterPID is what the lock file of Postgres says, 0 when it says nothing.
func postmasterPID(cluster string) int {
	b, err := os.ReadFile(pidFile(cluster))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	// A negative pid is how a standalone backend marks the file.
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

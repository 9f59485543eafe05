package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// The environment a crash test gives its child.
const (
	childEnv = "STEPLEDGER_TEST_CHILD" // set: be a server
	faultEnv = "STEPLEDGER_TEST_FAULT" // "point@n": die at the n-th time the point is reached
	clockEnv = "STEPLEDGER_TEST_CLOCK" // a file that says by how much the clock is wrong, as "1h0m0s"
	// attemptEnv bounds an attempt at a model, as "3s".
	attemptEnv = "STEPLEDGER_TEST_ATTEMPT"
)

// serveAsChild is the child's main: the production run with hooks that end the
// process as kill -9 does.
func serveAsChild() {
	ctx, stop := untilSignal()
	defer stop()
	if os.Getenv(futureEnv) != "" {
		learnFuture()
	}
	cfg, err := readConfig(os.Getenv)
	if err == nil {
		collectOnSignal()
		err = run(ctx, cfg, testLog(slog.LevelError), childHooks(), func(s *system, url string) error {
			fmt.Println("ready", url, s.alive.Own(), cmp.Or(s.feed.metricsURL, "-"))
			return nil
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

func childHooks() hooks {
	die := dieAt(os.Getenv(faultEnv))
	attempt, _ := time.ParseDuration(os.Getenv(attemptEnv))
	return hooks{append: die, turn: die, model: die, knowledge: die, attempt: attempt, now: wrongClock(os.Getenv(clockEnv))}
}

// collectOnSignal collects what is not in use on SIGUSR1, so that what is left can be measured.
func collectOnSignal() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			runtime.GC()
		}
	}()
}

// wrongClock is a clock that is wrong by what a file says at the time; without a file nil.
// As where a machine's clock is stepped, what time has passed within the process is told
// right.
func wrongClock(file string) func() time.Time {
	if file == "" {
		return nil
	}
	return func() time.Time {
		text, _ := os.ReadFile(file) // one that is being replaced is read as it was
		wrong, _ := time.ParseDuration(string(text))
		return steppedBy(time.Now(), wrong)
	}
}

// steppedBy is Add for what a clock on the wall shows. Add moves the reading of the monotonic
// clock too, which then stands in the second word of a time.
func steppedBy(t time.Time, d time.Duration) time.Time {
	t = t.Add(d)
	(*[2]int64)(unsafe.Pointer(&t))[1] -= int64(d) //nolint:gosec // no exported way leads there
	return t
}

func dieAt(fault string) func(string) {
	point, count, found := strings.Cut(fault, "@")
	n, err := strconv.Atoi(count)
	if !found || err != nil {
		return func(string) {}
	}
	var mu sync.Mutex
	seen := map[string]int{}
	return func(reached string) {
		mu.Lock()
		defer mu.Unlock()
		seen[reached]++
		at := seen[reached]
		if point == "append.sent" || point == "append.partly" { // not every statement sent is an append: it is the n-th one's
			at = seen["append.begin"]
		}
		if reached == point && at == n {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
}

// child is a server in a process of its own.
type child struct {
	cmd *exec.Cmd
	// base is where it serves, instance what it signs its claims with, metrics where it is
	// scraped, "-" for nowhere.
	base, instance, metrics string
	ready                   chan string
	dead                    chan struct{}
	said                    bytes.Buffer // on stderr; to be read once it is dead
}

// startTimeout bounds the start of a child on a busy machine.
const startTimeout = 3 * time.Minute

func startChild(t testing.TB, env map[string]string) *child {
	t.Helper()
	c := launchChild(t, env)
	c.up(t)
	return c
}

// launchChild starts a server and does not wait for it.
func launchChild(t testing.TB, env map[string]string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0]), ready: make(chan string, 1), dead: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), childEnv+"=1", "STEPLEDGER_ADDR=127.0.0.1:0", "LOG_LEVEL=error",
		"DATABASE_URL=", "GEMINI_API_KEY=") // whatever the developer's shell has
	for k, v := range env {
		c.cmd.Env = append(c.cmd.Env, k+"="+v)
	}
	c.cmd.Stderr = &c.said
	dieWithParent(c.cmd)
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.startOnItsThread(); err != nil {
		t.Fatal(err)
	}
	go c.follow(out)
	t.Cleanup(func() {
		c.kill()
		if t.Failed() && c.said.Len() > 0 {
			t.Logf("the child %s said: %s", c.instance, &c.said)
		}
	})
	return c
}

// startOnItsThread keeps the thread that forks the child to itself: the child is told
// to die with that thread, which another goroutine may take and end.
func (c *child) startOnItsThread() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			<-c.dead
		}
	}()
	return <-started
}

// follow reads what the child says until it is gone.
func (c *child) follow(out io.Reader) {
	line, _ := bufio.NewReader(out).ReadString('\n')
	c.ready <- line
	_, _ = io.Copy(io.Discard, out)
	_ = c.cmd.Wait()
	close(c.dead)
}

// up waits until the child serves.
func (c *child) up(t testing.TB) {
	t.Helper()
	timeout := time.NewTimer(startTimeout)
	defer timeout.Stop()
	var line string
	select {
	case line = <-c.ready:
	case <-timeout.C:
	}
	if _, err := fmt.Sscanf(line, "ready %s %s %s", &c.base, &c.instance, &c.metrics); err != nil {
		c.kill()
		t.Fatalf("the child did not come up: %s", &c.said)
	}
}

// drainEnv and childDrain are what a child is told that is to be waited for when it ends.
const (
	drainEnv   = "STEPLEDGER_DRAIN_SECONDS"
	childDrain = 20 * time.Second
)

// ends waits for the end of a child that was told to stop.
func (c *child) ends(t testing.TB, what string) {
	t.Helper()
	awaitWithin(t, what, childDrain+startTimeout, c.dead)
}

// kill is kill -9; it returns when the process is gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.dead
}

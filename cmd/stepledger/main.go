// Command stepledger is the whole of Stepledger in one binary: the server, the
// demo, and the tools of those who run it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones of users, where the system has none
)

func main() {
	ctx, stop := untilSignal()
	cmd := newRoot(os.Getenv, os.Stdout, os.Stderr)
	err := cmd.ExecuteContext(ctx)
	stop()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "stepledger:", err)
	}
	os.Exit(exitCode(err))
}

// untilSignal gives a context that ends when the process is told to: by Ctrl-C, a
// supervisor or a terminal that is closed, unless nohup says to outlive that one. A second
// signal ends the process at once.
func untilSignal() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan os.Signal, 2) // both at once are two
	signal.Notify(told, signals...)
	go func() {
		<-told
		cancel()
		os.Exit(killedBy(<-told))
	}()
	return ctx, func() {
		signal.Stop(told) // what signals do by themselves is done again
		cancel()
	}
}

// killedBy is the exit code by which a shell tells that a signal ended a process.
func killedBy(s os.Signal) int {
	n, _ := s.(syscall.Signal)
	return 128 + int(n)
}

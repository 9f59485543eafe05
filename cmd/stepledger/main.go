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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cmd := newRoot(os.Getenv, os.Stdout, os.Stderr)
	err := cmd.ExecuteContext(ctx)
	stop()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "stepledger:", err)
	}
	os.Exit(exitCode(err))
}

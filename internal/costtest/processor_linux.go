package costtest

import (
	"syscall"
	"time"
)

// processor is the processor time the thread has had.
func processor() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err) // cannot happen: the arguments are constants
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

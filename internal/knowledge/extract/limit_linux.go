package extract

import (
	"errors"
	"math"
	"syscall"
	"time"
)

// hardLimit bounds the memory that can be written, which leaves out what Go and
// WebAssembly only reserve, and the time of a processor.
func hardLimit(memory int64, timeout time.Duration) error {
	return errors.Join(
		setLimit(syscall.RLIMIT_DATA, uint64(memory)),
		setLimit(syscall.RLIMIT_CPU, uint64(math.Ceil(timeout.Seconds()))+1),
		setLimit(syscall.RLIMIT_CORE, 0),
	)
}

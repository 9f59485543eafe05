package extract

import (
	"errors"
	"math"
	"syscall"
	"time"
)

// hardLimit bounds the time of a processor. Memory has no limit here that counts what is
// used and not what is reserved; the runtime's own has to do.
func hardLimit(_ int64, timeout time.Duration) error {
	return errors.Join(
		setLimit(syscall.RLIMIT_CPU, uint64(math.Ceil(timeout.Seconds()))+1),
		setLimit(syscall.RLIMIT_CORE, 0),
	)
}

package history

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// chunk is how many events a worker takes at a time: enough that taking them costs
// nothing, and few enough that all end together.
const chunk = 16

// inParallel calls do for 0 to n-1, in any order, on as many cores as there are. It
// returns the error of the lowest number, which is what one after the other would return.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		wg.Go(func() {
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				for i := from; i < min(from+chunk, n); i++ {
					errs[i] = do(i)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

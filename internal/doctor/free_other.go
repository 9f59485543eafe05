//go:build !linux && !darwin && !freebsd

package doctor

// freeIn is not known here.
func freeIn(string) (n int64, known bool) { return 0, false }

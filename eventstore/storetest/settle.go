package storetest

import (
	"strings"

	"github.com/anishathalye/porcupine"
)

// settled are the calls of a history without what its last call, which read the log
// after all others had ended, tells of appends of unknown outcome. One whose events
// it did not find is left out: it had not taken place, and if it does later, no call
// can tell. One whose events it found is given the end of the first call that knew
// of them. If it made them, it took place before; if a repeat did, it changed nothing.
// As no end is open any more, the checker tries a call in few places only.
func settled(calls []porcupine.Operation, final logState) (out []porcupine.Operation) {
	for _, o := range calls {
		if in := o.Input.(call); o.Output.(outcome).result == unknown {
			known := firstKnown(calls, in, final)
			if o.Call >= known {
				continue
			}
			o.Return = known
		}
		out = append(out, o)
	}
	return out
}

// firstKnown is the end of the first call whose answer shows that the events of an
// append were in the log, or 0 if they never were. A stream only grows, so an answer
// with a head beyond them shows it too.
func firstKnown(calls []porcupine.Operation, in call, final logState) (first int64) {
	inStream := strings.Index(final.of(in.stream), in.events) + len(in.events)
	inLog := strings.Index(final.numbers(), in.events[len(in.events)-1:]) + 1
	if inStream < len(in.events) {
		return 0
	}
	for _, o := range calls {
		asked, out := o.Input.(call), o.Output.(outcome)
		knows := asked.stream == in.stream && out.head >= inStream
		if asked.op == opReadLog {
			knows = len(out.events) >= inLog
		}
		if knows && out.result != unknown && (first == 0 || o.Return < first) {
			first = o.Return
		}
	}
	return first
}

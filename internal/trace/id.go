package trace

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain"
)

// Lengths of ids in bytes, as in W3C Trace Context.
const (
	traceIDBytes = 16
	spanIDBytes  = 8
)

// TraceID is the trace of a task: its UUID, or one derived from its id.
func TraceID(task string) []byte {
	if !domain.ValidUUID(task) {
		task = domain.DeriveUUID("trace", task)
	}
	return uuidBytes(task)
}

// RootID is the span of a task, the root of its trace.
func RootID(task string) []byte { return spanID("task", task) }

// TurnID is the span of a turn.
func TurnID(task string, turn int) []byte { return spanID("turn", task, strconv.Itoa(turn)) }

// CallID is the span of an attempt at a model.
func CallID(call string) []byte { return spanID("call", call) }

func spanID(parts ...string) []byte {
	return uuidBytes(domain.DeriveUUID(append([]string{"span"}, parts...)...))[:spanIDBytes]
}

func uuidBytes(id string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(b) != traceIDBytes {
		panic("not a UUID: " + id) // both callers made or checked it
	}
	return b
}

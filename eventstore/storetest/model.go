package storetest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/eventstore"
)

// The kinds of call in a history.
const (
	opAppend = iota
	opReadStream
	opReadLog
)

// call is one call of a history. Events are numbered; a string of numbers, a byte
// each, is a list that can be compared.
type call struct {
	op       int
	stream   int
	expected int64
	events   string
}

// The kinds of answer.
const (
	done    = iota
	refused // a wrong revision
	unknown // nobody was told
)

// outcome is the answer to a call. Head counts the events of the stream up to the
// last one appended, read or found instead.
type outcome struct {
	result int
	head   int
	events string
}

// logState is a log: of each event its stream and its number.
type logState string

// step says whether a log may answer a call so, and what it is afterwards. This is
// what the port promises, told anew; it shares nothing with the stores.
func (in call) step(log logState, out outcome) (bool, logState) {
	switch in.op {
	case opReadLog:
		return out.events == log.numbers(), log
	case opReadStream:
		mine := log.of(in.stream)
		return out.events == mine && out.head == len(mine), log
	}
	answer, next := log.append(in)
	return out.result == unknown || out == answer, next
}

func (log logState) append(in call) (outcome, logState) {
	mine := log.of(in.stream)
	at := strings.Index(mine, in.events) // of a repeat
	isNew := at < 0
	if isNew {
		at = len(mine)
	}
	if in.expected != eventstore.Any && in.expected != int64(at)-1 {
		return outcome{result: refused, head: len(mine)}, log
	}
	if isNew {
		for _, number := range []byte(in.events) {
			log += logState([]byte{byte(in.stream), number})
		}
	}
	return outcome{result: done, head: at + len(in.events)}, log
}

// logOf is the log of these events.
func logOf(events []eventstore.Recorded) (log logState) {
	for i, number := range []byte(eventNumbers(events)) {
		stream, _ := strconv.Atoi(strings.TrimPrefix(events[i].Stream, streamPrefix)) // name made it
		log += logState([]byte{byte(stream), number})
	}
	return log
}

// of is what a stream holds.
func (log logState) of(stream int) string {
	var out []byte
	for i := 0; i < len(log); i += 2 {
		if int(log[i]) == stream {
			out = append(out, log[i+1])
		}
	}
	return string(out)
}

func (log logState) numbers() string {
	var out []byte
	for i := 1; i < len(log); i += 2 {
		out = append(out, log[i])
	}
	return string(out)
}

const streamPrefix = "linear-"

func (in call) name() string { return streamPrefix + strconv.Itoa(in.stream) }

func (in call) proposed() (out []eventstore.Proposed) {
	for _, number := range []byte(in.events) {
		out = append(out, eventstore.Proposed{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", number), Type: "test.happened.v1",
			Data: fmt.Appendf(nil, `{"n":%d}`, number),
		})
	}
	return out
}

func eventNumbers(events []eventstore.Recorded) string {
	out := make([]byte, len(events))
	for i, e := range events {
		n, _ := strconv.Atoi(e.ID[24:]) // proposed made it
		out[i] = byte(n)
	}
	return string(out)
}

// String is how a log shows in the picture of a history.
func (log logState) String() string { return fmt.Sprintf("%v", []byte(log.numbers())) }

// String is how a call shows there.
func (in call) String() string {
	switch in.op {
	case opReadLog:
		return "read the log"
	case opReadStream:
		return "read " + in.name()
	}
	return fmt.Sprintf("append %v to %s at %d", []byte(in.events), in.name(), in.expected)
}

// String is how an answer shows there.
func (out outcome) String() string {
	switch out.result {
	case refused:
		return fmt.Sprintf("refused, head %d", out.head-1)
	case unknown:
		return "unknown"
	}
	return fmt.Sprintf("head %d %v", out.head-1, []byte(out.events))
}

package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/eventstore"
)

// What makes a test binary a victim: the address of the log, and which of the
// victims of the time it is.
const (
	victimEnv = "STORETEST_VICTIM"
	slotEnv   = "STORETEST_SLOT"
)

// Main is what TestMain of a durable store's tests calls: it lets the test binary
// play the process that is killed. It does not return.
func Main(m *testing.M, dial Dial) {
	if address := os.Getenv(victimEnv); address != "" {
		fmt.Fprintln(os.Stderr, playVictim(address, dial))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// playVictim appends until it is killed, and tells of each append when it has been
// acknowledged. It returns what it should not have met.
func playVictim(address string, dial Dial) error {
	ctx := context.Background()
	s, _, err := dial(ctx, address)
	if err != nil {
		return err
	}
	var streams []string
	for i := range 4 {
		streams = append(streams, fmt.Sprintf("own-%s-%d", os.Getenv(slotEnv), i), fmt.Sprintf("shared-%d", i))
	}
	met := make(chan error)
	for _, stream := range streams {
		go func() { met <- writeOn(ctx, s, stream) }()
	}
	return <-met
}

// writeOn appends to a stream that others may append to as well, the one before
// that was killed among them: what it had sent may still arrive.
func writeOn(ctx context.Context, s eventstore.Log, stream string) error {
	head, err := repeatLast(ctx, s, stream)
	if err != nil {
		return err
	}
	for {
		in := events(1 + rand.IntN(3))
		r, err := s.Append(ctx, stream, head, in)
		if wrong, ok := errors.AsType[*eventstore.WrongRevisionError](err); ok {
			head = wrong.Actual
			continue
		}
		if err != nil {
			return err
		}
		if err := tell(ack{stream, head + 1, r.Position, idsOf(in)}); err != nil {
			return err
		}
		head = r.Revision
	}
}

// repeatLast repeats the last event of a stream and wants to be told where it is.
func repeatLast(ctx context.Context, s eventstore.Log, stream string) (head int64, err error) {
	slice, err := s.ReadStream(ctx, stream, eventstore.ReadOptions{From: eventstore.End, Limit: 1, Direction: eventstore.Backwards})
	if err != nil || len(slice.Events) == 0 {
		return slice.Head, err
	}
	last := slice.Events[0]
	r, err := s.Append(ctx, stream, last.Revision-1, []eventstore.Proposed{{ID: last.ID, Type: last.Type, Data: last.Data, Meta: last.Meta}})
	if err != nil || r.Revision != last.Revision || r.Position != last.Position {
		return 0, fmt.Errorf("the last event of %s, repeated, is at %+v, not at %d and %d: %w", stream, r, last.Revision, last.Position, err)
	}
	return slice.Head, nil
}

// ack is an acknowledged append: the revision of its first event, the position of
// its last.
type ack struct {
	stream          string
	first, position int64
	ids             []string
}

func (a ack) isIn(stream []eventstore.Recorded) bool {
	for i, id := range a.ids {
		if at := a.first + int64(i); at >= int64(len(stream)) || stream[at].ID != id {
			return false
		}
	}
	return stream[a.first+int64(len(a.ids))-1].Position == a.position
}

// tell writes a line in one piece, which a pipe hands on even when the writer dies
// the moment after.
func tell(a ack) error {
	_, err := fmt.Printf("%s %d %d %s\n", a.stream, a.first, a.position, strings.Join(a.ids, ","))
	return err
}

func parseAck(line string) (a ack, err error) {
	var ids string
	if _, err := fmt.Sscanf(line, "%s %d %d %s", &a.stream, &a.first, &a.position, &ids); err != nil {
		return a, fmt.Errorf("line %q: %w", line, err)
	}
	a.ids = strings.Split(ids, ",")
	return a, nil
}

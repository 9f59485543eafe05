package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/stepledger/stepledger/eventstore"
)

// The reference is a live stream; both are tasks of 200 events among others, of which the store remembers what it
// remembers in use: a person who looks at a task reads its stream several times.
func BenchmarkArchivedRead(b *testing.B) {
	const streams, each = 40, 200
	s, _, _ := archived(b)
	var names []string
	for i := range 2 * streams {
		names = append(names, fmt.Sprintf("task-%d", i))
		in := make([]eventstore.Proposed, each)
		for i := range in {
			in[i] = benchEvent()
		}
		mustAppend(b, s, names[i], eventstore.NoStream, in...)
	}
	mustArchive(b, s, names[:streams]...)
	next := 0
	read := func(names []string) func() (int, error) {
		return func() (int, error) {
			next++
			slice, err := s.ReadStream(context.Background(), names[next%len(names)], eventstore.ReadOptions{})
			return len(slice.Events), err
		}
	}
	for b.Loop() {
		compareReads(b, "archived_read_vs_live", read(names[:streams]), read(names[streams:]))
	}
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// Whatever is done to both, this store answers as the one in memory does. The two
// share nothing but eventstore.Judge, which this store only asks about appends its
// statements have refused.
func TestStore_answersAsMemoryDoes(t *testing.T) {
	t.Parallel()
	real, model := open(t, database(t), Options{}), memory.New(memory.Options{})
	rapid.Check(t, func(t *rapid.T) {
		run := newModelRun(real, model)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			run.step(t)
		}
		run.compareStreams(t)
	})
}

type modelRun struct {
	real, model eventstore.Store
	streams     []string
	pool        []eventstore.Proposed // few, so that ids come again
}

func newModelRun(real, model eventstore.Store) *modelRun {
	r := &modelRun{real: real, model: model}
	name := uuid.NewString() // runs share the stores
	for i := range 3 {
		r.streams = append(r.streams, fmt.Sprintf("model%d-%s", i, name))
	}
	for i := range 8 {
		e := event()
		e.Type = fmt.Sprintf("test.happened%d.v1", i%2)
		r.pool = append(r.pool, e)
	}
	return r
}

func (r *modelRun) step(t *rapid.T) {
	ctx := context.Background()
	stream := rapid.SampledFrom(r.streams).Draw(t, "stream")
	expected := rapid.Int64Range(eventstore.Any, 6).Draw(t, "expected")
	switch rapid.SampledFrom([]string{"append", "append", "append", "append", "append", "retention", "delete", "tombstone"}).Draw(t, "step") {
	case "append":
		in := r.drawEvents(t)
		got, gotErr := r.real.Append(ctx, stream, expected, in)
		want, wantErr := r.model.Append(ctx, stream, expected, in)
		r.same(t, wantErr, gotErr)
		if got.Revision != want.Revision {
			t.Fatalf("revision is %d, want %d", got.Revision, want.Revision)
		}
	case "retention":
		keep := eventstore.Retention{
			MaxCount:       rapid.Int64Range(0, 4).Draw(t, "max count"),
			TruncateBefore: rapid.Int64Range(0, 5).Draw(t, "truncate before"),
		}
		r.same(t, r.model.SetRetention(ctx, stream, keep), r.real.SetRetention(ctx, stream, keep))
	case "delete":
		r.same(t, r.model.Delete(ctx, stream, expected), r.real.Delete(ctx, stream, expected))
	case "tombstone":
		if rapid.IntRange(0, 3).Draw(t, "rarely") == 0 {
			r.same(t, r.model.Tombstone(ctx, stream, expected), r.real.Tombstone(ctx, stream, expected))
		}
	}
	r.compareRead(t, stream)
}

// drawEvents takes neighbours from the pool, now and then changed or made new.
func (r *modelRun) drawEvents(t *rapid.T) []eventstore.Proposed {
	from := rapid.IntRange(0, len(r.pool)-1).Draw(t, "from")
	to := rapid.IntRange(from+1, min(len(r.pool), from+3)).Draw(t, "to")
	out := append([]eventstore.Proposed(nil), r.pool[from:to]...)
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0:
		out[0].Data = []byte(`{"changed":true}`)
	case 1, 2:
		for i := range out {
			out[i] = event()
		}
	}
	return out
}

func (r *modelRun) compareRead(t *rapid.T, stream string) {
	o := eventstore.ReadOptions{
		From:      rapid.Int64Range(0, 6).Draw(t, "from"),
		Limit:     rapid.IntRange(0, 4).Draw(t, "limit"),
		Direction: rapid.SampledFrom([]eventstore.Direction{eventstore.Forwards, eventstore.Backwards}).Draw(t, "direction"),
	}
	want, err := r.model.ReadStream(context.Background(), stream, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.real.ReadStream(context.Background(), stream, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withoutPlaces(want), withoutPlaces(got)); diff != "" {
		t.Fatalf("read %+v of %s (-model +postgres):\n%s", o, stream, diff)
	}
}

// withoutPlaces leaves out what differs by design: positions have gaps, clocks run, and
// logs have names.
func withoutPlaces(s eventstore.Slice) eventstore.Slice {
	s.Position, s.Log = 0, ""
	for i := range s.Events {
		s.Events[i].Position = 0
		s.Events[i].RecordedAt = time.Time{}
	}
	return s
}

// compareStreams compares what the feed shows of this run.
func (r *modelRun) compareStreams(t *rapid.T) {
	order := func(s eventstore.Feed) (ids []string) {
		for after := int64(0); ; {
			p, err := s.ReadAll(context.Background(), after, 0, eventstore.Filter{Types: []string{"test.happened0.v1", "test.happened1.v1"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range p.Events {
				ids = append(ids, e.Stream+" "+e.ID)
			}
			if p.Scanned == after {
				return ids
			}
			after = p.Scanned
		}
	}
	if diff := cmp.Diff(order(r.model), order(r.real)); diff != "" {
		t.Fatalf("feed (-model +postgres):\n%s", diff)
	}
}

func (r *modelRun) same(t *rapid.T, want, got error) {
	if diff := cmp.Diff(portError(want), portError(got)); diff != "" {
		t.Fatalf("error (-model +postgres):\n%s", diff)
	}
}

// portError strips an error down to what the port says.
func portError(err error) any {
	var (
		wrong *eventstore.WrongRevisionError
		taken *eventstore.IDConflictError
		ended *eventstore.DeletedError
	)
	switch {
	case errors.As(err, &wrong):
		return *wrong
	case errors.As(err, &taken):
		return *taken
	case errors.As(err, &ended):
		return *ended
	case err != nil:
		return err.Error()
	}
	return nil
}

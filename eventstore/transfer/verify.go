package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"

	"github.com/stepledger/stepledger/eventstore"
)

// Digest is equal for equal logs: the number of visible events and a hash over them
// in order.
type Digest struct {
	Events int64
	SHA256 string
}

// DifferenceError is the first difference of two logs: the index of the visible
// event, from 0, and what differs. One log may have ended there.
type DifferenceError struct {
	At           int64
	What         string
	Source, Copy *eventstore.Recorded // nil where a log ended
}

// Error implements error.
func (e *DifferenceError) Error() string {
	place := func(r *eventstore.Recorded) string {
		if r == nil {
			return "nothing"
		}
		return fmt.Sprintf("%s@%d %s", r.Stream, r.Revision, r.ID)
	}
	return fmt.Sprintf("event %d differs in its %s: the source has %s, the copy %s", e.At, e.What, place(e.Source), place(e.Copy))
}

// Verify compares the visible events of two logs and the retention of their streams.
// It returns a *DifferenceError if they differ. Neither log may be written to: events
// that arrive or expire meanwhile are differences.
func Verify(ctx context.Context, source, clone eventstore.Store) (Digest, error) {
	next, stopA := iter.Pull2(all(ctx, source))
	defer stopA()
	nextClone, stopB := iter.Pull2(all(ctx, clone))
	defer stopB()
	sum := sha256.New()
	for n := int64(0); ; n++ {
		a, err, okA := next()
		if err != nil {
			return Digest{}, fmt.Errorf("read the source: %w", err)
		}
		b, err, okB := nextClone()
		if err != nil {
			return Digest{}, fmt.Errorf("read the copy: %w", err)
		}
		switch {
		case !okA && !okB:
			return Digest{n, hex.EncodeToString(sum.Sum(nil))}, sameKept(ctx, source, clone)
		case !okA:
			return Digest{}, &DifferenceError{At: n, What: "existence", Copy: &b}
		case !okB:
			return Digest{}, &DifferenceError{At: n, What: "existence", Source: &a}
		}
		if what := difference(a, b); what != "" {
			return Digest{}, &DifferenceError{At: n, What: what, Source: &a, Copy: &b}
		}
		write(sum, a)
	}
}

// difference names the first part in which two events differ, "" where they are
// the same but for position and time.
func difference(a, b eventstore.Recorded) string {
	switch {
	case a.Stream != b.Stream:
		return "stream"
	case a.Revision != b.Revision:
		return "revision"
	case a.ID != b.ID:
		return "id"
	case a.Type != b.Type:
		return "type"
	case !bytes.Equal(a.Data, b.Data):
		return "data"
	case !bytes.Equal(a.Meta, b.Meta):
		return "metadata"
	}
	return ""
}

func write(sum hash.Hash, e eventstore.Recorded) {
	fmt.Fprintf(sum, "%s %d %s %s %d %d\n", e.Stream, e.Revision, e.ID, e.Type, len(e.Data), len(e.Meta))
	sum.Write(e.Data)
	sum.Write(e.Meta)
}

// all gives every event of a log that can be seen, to its end.
func all(ctx context.Context, s eventstore.Feed) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for after := int64(0); ; {
			page, err := s.ReadAll(ctx, after, 0, eventstore.Filter{})
			if err != nil {
				yield(eventstore.Recorded{}, err)
				return
			}
			for _, e := range page.Events {
				if !yield(e, nil) {
					return
				}
			}
			if page.Scanned == after {
				return
			}
			after = page.Scanned
		}
	}
}

// sameKept wants every stream that does not live for ever in the source to live as
// long in the copy. The copy may have more: those that began with hidden events.
func sameKept(ctx context.Context, source, clone eventstore.Keeper) error {
	there, err := keptStreams(ctx, source)
	if err != nil {
		return fmt.Errorf("list the source's kept streams: %w", err)
	}
	here, err := keptStreams(ctx, clone)
	if err != nil {
		return fmt.Errorf("list the copy's kept streams: %w", err)
	}
	for name, k := range there {
		if here[name] != k {
			return fmt.Errorf("stream %s is kept differently: as %+v in the source, %+v in the copy", name, k, here[name])
		}
	}
	return nil
}

func keptStreams(ctx context.Context, s eventstore.Keeper) (map[string]eventstore.Kept, error) {
	out := make(map[string]eventstore.Kept)
	for after := ""; ; {
		page, err := s.Kept(ctx, after, 0)
		if err != nil || len(page) == 0 {
			return out, err
		}
		for _, k := range page {
			out[k.Stream] = k
			after = k.Stream
		}
	}
}

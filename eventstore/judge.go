package eventstore

import "bytes"

// Found is what a store's log has about an append: the head of the stream (NoRevision
// if it never had an event), whether a tombstone ended it, and its events with the
// append's ids.
type Found struct {
	Head  int64
	Ended bool
	Known map[string]Recorded
}

// Judge decides about an append that CheckAppend accepts. isNew: it is to be added
// after the head. Otherwise it is an error, or a repeat, whose receipt is returned.
func Judge(stream string, expected int64, events []Proposed, f Found) (receipt Receipt, isNew bool, err error) {
	if f.Ended {
		return Receipt{}, false, &DeletedError{Stream: stream}
	}
	before := f.Head
	if len(f.Known) > 0 {
		if id, ok := clash(events, f.Known); ok {
			return Receipt{}, false, &IDConflictError{Stream: stream, ID: id}
		}
		before = f.Known[events[0].ID].Revision - 1
	}
	if expected != Any && expected != before {
		return Receipt{}, false, &WrongRevisionError{Stream: stream, Expected: expected, Actual: f.Head}
	}
	if len(f.Known) == 0 {
		return Receipt{}, true, nil
	}
	last := f.Known[events[len(events)-1].ID]
	return Receipt{Revision: last.Revision, Position: last.Position}, false, nil
}

// clash gives the id that speaks against a repeat: one that another event has,
// else, where the append stands in the log in part or not in one piece, the first
// one known.
func clash(events []Proposed, known map[string]Recorded) (id string, found bool) {
	first, scattered := "", len(known) != len(events)
	for i, e := range events {
		k, ok := known[e.ID]
		if !ok {
			continue
		}
		if !isSame(e, k) {
			return e.ID, true
		}
		if first == "" {
			first = e.ID
		}
		if start, ok := known[events[0].ID]; ok && k.Revision != start.Revision+int64(i) {
			scattered = true
		}
	}
	return first, scattered
}

func isSame(e Proposed, k Recorded) bool {
	return k.Type == e.Type && bytes.Equal(k.Data, e.Data) && bytes.Equal(k.Meta, e.Meta)
}

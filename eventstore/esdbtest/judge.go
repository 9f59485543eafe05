package esdbtest

import "github.com/google/uuid"

// verdict is what the writer says of a request before it writes.
type verdict int

const (
	fits verdict = iota
	repeated
	wrongRevision
	streamDeleted
)

// judge decides about events for a stream. For a repeat, last is the revision of
// the request's last event. Expecting a revision (or no stream) pins the events
// to their places; any and stream-exists look for the ids wherever in this
// stream they were first written.
func (db *database) judge(stream string, expected int64, ids []uuid.UUID) (v verdict, last int64) {
	current := db.last(stream)
	if current == deletedStream {
		return streamDeleted, 0
	}
	if expected == streamExists {
		if db.isSoftDeleted(stream) {
			return streamDeleted, 0
		}
		if current < 0 && db.last("$$"+stream) < 0 {
			return wrongRevision, 0
		}
	}
	switch {
	case expected == anyRevision, expected == streamExists:
		return db.judgeAnywhere(stream, ids)
	case expected < current:
		return db.judgeAt(stream, expected, ids)
	case expected > current:
		return wrongRevision, 0
	default:
		return fits, 0
	}
}

func (db *database) judgeAnywhere(stream string, ids []uuid.UUID) (verdict, int64) {
	var last int64
	for i, id := range ids {
		p, known := db.written[id]
		switch {
		case known && p.stream == stream:
			last = p.revision
		case i == 0:
			return fits, 0
		default:
			return wrongRevision, 0 // a part is known, the rest is new
		}
	}
	if len(ids) == 0 {
		return fits, 0
	}
	return repeated, last
}

func (db *database) judgeAt(stream string, expected int64, ids []uuid.UUID) (verdict, int64) {
	events := db.streams[stream]
	at := expected
	for i, id := range ids {
		at++
		if at < int64(len(events)) && events[at].id == id {
			continue
		}
		if i == 0 && expected == noStream && db.isSoftDeleted(stream) {
			return fits, 0
		}
		return wrongRevision, 0
	}
	if len(ids) == 0 {
		return wrongRevision, 0
	}
	return repeated, at
}

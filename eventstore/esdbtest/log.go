package esdbtest

import (
	"math/bits"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// What a request may expect of a stream beside an exact revision.
const (
	noStream     int64 = -1
	anyRevision  int64 = -2
	streamExists int64 = -4
)

// deletedStream is the revision of a tombstone, and as $tb the mark of a soft
// delete.
const deletedStream int64 = 1<<63 - 1

// Types of the events the server writes itself.
const (
	metadataType  = "$metadata"
	tombstoneType = "$streamDeleted"
)

// record is one entry of the log. A void one takes room in it and is no event.
type record struct {
	id         uuid.UUID
	stream     string
	typ        string
	json       bool
	data, meta []byte
	revision   int64
	position   uint64
	created    time.Time
	void       bool
}

// proposed is an event on its way in.
type proposed struct {
	id         uuid.UUID
	typ        string
	json       bool
	data, meta []byte
}

// size is what counts against the limits of an append.
func (p proposed) size() int { return len(p.data) + len(p.meta) + 2*len(p.typ) }

// place is where an event id was first written.
type place struct {
	stream   string
	revision int64
}

// database is the log with its index. Positions are offsets of records, as if
// they were written one after the other to a file.
type database struct {
	now func() time.Time

	mu      sync.RWMutex
	records []*record
	streams map[string][]*record // by revision, without tombstones
	ended   map[string]bool      // streams with a tombstone
	written map[uuid.UUID]place
	end     uint64        // offset of the next record
	grown   chan struct{} // closed and renewed when records were added
}

func newDatabase(now func() time.Time) *database {
	db := &database{
		now: now, streams: map[string][]*record{}, ended: map[string]bool{},
		written: map[uuid.UUID]place{}, grown: make(chan struct{}),
	}
	db.bootstrap()
	return db
}

// bootstrap writes what a new node writes: the mark of its epoch, and metadata
// of its own streams.
func (db *database) bootstrap() {
	db.add(&record{stream: "$epoch-information", typ: "$epoch-information", data: make([]byte, 64), void: true})
	for _, m := range []struct{ stream, metadata string }{
		{"$$$stats-127.0.0.1:2113", `{"$maxAge":864000}`},
		{"$$$user-ops", `{"$acl":{"$w":"$admins","$d":"$admins","$mw":"$admins"}}`},
		{"$$$user-admin", `{"$acl":{"$w":"$admins","$d":"$admins","$mw":"$admins"}}`},
	} {
		db.write(m.stream, []proposed{{id: uuid.New(), typ: metadataType, json: true, data: []byte(m.metadata)}})
	}
}

// write adds events to the end of a stream and returns the last.
func (db *database) write(stream string, events []proposed) *record {
	var last *record
	for _, e := range events {
		last = &record{
			id: e.id, stream: stream, typ: e.typ, json: e.json, data: e.data, meta: e.meta,
			revision: int64(len(db.streams[stream])),
		}
		db.streams[stream] = append(db.streams[stream], last)
		if _, known := db.written[e.id]; !known {
			db.written[e.id] = place{stream, last.revision}
		}
		db.add(last)
	}
	return last
}

// add puts a record at the end of the log.
func (db *database) add(r *record) {
	r.position, r.created = db.end, db.now()
	db.end += recordSize(r)
	db.records = append(db.records, r)
}

// notify wakes whoever follows the log.
func (db *database) notify() {
	close(db.grown)
	db.grown = make(chan struct{})
}

// recordSize is how many bytes of log a record takes.
func recordSize(r *record) uint64 {
	const fixed = 4 + 4 + // length before and after
		1 + 1 + 8 + // type, version, position
		2 + 8 + 4 + 8 + // flags, transaction's position and offset, revision
		16 + 16 + 8 + // event, correlation, time
		4 + 4 // lengths of data and metadata
	return uint64(fixed + prefixed(len(r.stream)) + prefixed(len(r.typ)) + len(r.data) + len(r.meta))
}

// prefixed is the size of a string behind its length in sevens of bits.
func prefixed(n int) int { return n + max(1, (bits.Len(uint(n))+6)/7) }

// last is the revision of a stream's last event: noStream, deletedStream or a
// number from 0.
func (db *database) last(stream string) int64 {
	original, isMeta := strings.CutPrefix(stream, "$$")
	if db.ended[stream] || isMeta && db.ended[original] {
		return deletedStream
	}
	return int64(len(db.streams[stream])) - 1
}

// index is the place in records of the first at or after an offset.
func (db *database) index(position uint64) int {
	return sort.Search(len(db.records), func(i int) bool { return db.records[i].position >= position })
}

// isBoundary reports whether a record begins, or the log ends, at an offset.
func (db *database) isBoundary(position uint64) bool {
	i := db.index(position)
	return position == db.end || i < len(db.records) && db.records[i].position == position
}

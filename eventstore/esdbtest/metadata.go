package esdbtest

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"
)

// retention is what a stream's metadata say of its events' lives. Zero fields
// (-1 for truncateBefore) keep everything.
type retention struct {
	maxCount       int64
	maxAge         time.Duration
	truncateBefore int64
}

// metaRetention holds for every metadata stream.
var metaRetention = retention{maxCount: 1, truncateBefore: -1}

// retention reads the last metadata of a stream; metadata that make no sense
// keep everything.
func (db *database) retention(stream string) retention {
	if strings.HasPrefix(stream, "$$") {
		return metaRetention
	}
	events := db.streams["$$"+stream]
	if len(events) == 0 || db.ended[stream] {
		return retention{truncateBefore: -1}
	}
	return parseRetention(events[len(events)-1])
}

func parseRetention(r *record) retention {
	none := retention{truncateBefore: -1}
	var fields map[string]json.RawMessage
	if !r.json || json.Unmarshal(r.data, &fields) != nil {
		return none
	}
	count, ok1 := integer(fields, "$maxCount")
	seconds, ok2 := integer(fields, "$maxAge")
	before, ok3 := integer(fields, "$tb")
	if !ok1 || !ok2 || !ok3 || seconds > math.MaxInt64/int64(time.Second) {
		return none
	}
	return retention{maxCount: max(0, count), maxAge: time.Duration(max(0, seconds)) * time.Second, truncateBefore: max(-1, before)}
}

// integer is a field's value, -1 where it is missing; it reports false where it
// is anything but a whole number.
func integer(fields map[string]json.RawMessage, name string) (int64, bool) {
	raw, present := fields[name]
	if !present {
		return -1, true
	}
	var n int64
	if string(raw) == "null" || json.Unmarshal(raw, &n) != nil {
		return 0, false
	}
	return n, true
}

func (db *database) isSoftDeleted(stream string) bool {
	return db.retention(stream).truncateBefore == deletedStream
}

// oldest is the first revision of a stream that count and truncation let through.
func (r retention) oldest(last int64) int64 {
	oldest := max(0, r.truncateBefore)
	if r.maxCount > 0 {
		oldest = max(oldest, last-r.maxCount+1)
	}
	return oldest
}

// hides reports whether an event is too old at a moment.
func (r retention) hides(e *record, now time.Time) bool {
	return r.maxAge > 0 && e.created.Before(now.Add(-r.maxAge))
}

// isVisible reports whether a read of its stream would show an event.
func (db *database) isVisible(r *record) bool {
	kept := db.retention(r.stream)
	return r.revision >= kept.oldest(db.last(r.stream)) && !kept.hides(r, db.now())
}

// undelete brings a soft-deleted stream back: its metadata stay as they are but
// for $tb, which becomes the revision it begins at again.
func (db *database) undelete(stream string, from int64) {
	events := db.streams["$$"+stream]
	var fields map[string]json.RawMessage
	if json.Unmarshal(events[len(events)-1].data, &fields) != nil {
		return
	}
	fields["$tb"], _ = json.Marshal(from)
	data, _ := json.Marshal(fields)
	db.write("$$"+stream, []proposed{{id: uuid.New(), typ: metadataType, json: true, data: data}})
}

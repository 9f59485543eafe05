package esdbtest

import (
	"cmp"
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// offset is a position in $all: of a record's commit and of its preparation,
// which here are the same for every event. They differ where the server names
// the place behind an event.
type offset struct{ commit, prepare uint64 }

func (o offset) compare(p offset) int {
	return cmp.Or(cmp.Compare(o.commit, p.commit), cmp.Compare(o.prepare, p.prepare))
}

func at(position uint64) offset { return offset{position, position} }

func (r *record) offset() offset { return at(r.position) }

// after is the offset just behind a record.
func (r *record) after() offset { return at(r.position + recordSize(r)) }

// end stands for the end of the log, wherever it is.
var end = offset{math.MaxUint64, math.MaxUint64}

func (r *reading) readAll(o *streams.ReadReq_Options_AllOptions, subscribe, backwards bool, count uint64, f filter) error {
	from, isStart, err := positionOption(o)
	switch {
	case err != nil:
		return err
	case subscribe:
		return r.subscribeAll(from, isStart, f)
	case count == 0:
		return errException()
	case backwards:
		return r.allBackwards(from, count, f)
	default:
		return r.allForwards(from, count, f)
	}
}

func positionOption(o *streams.ReadReq_Options_AllOptions) (from offset, isStart bool, err error) {
	switch option := o.GetAllOption().(type) {
	case *streams.ReadReq_Options_AllOptions_Start:
		return offset{}, true, nil
	case *streams.ReadReq_Options_AllOptions_End:
		return end, false, nil
	case *streams.ReadReq_Options_AllOptions_Position:
		from = offset{option.Position.GetCommitPosition(), option.Position.GetPreparePosition()}
		if from.commit < from.prepare || from != end && from.commit > math.MaxInt64 {
			return from, false, errException()
		}
		return from, false, nil
	default:
		return from, false, errException()
	}
}

// page is a part of $all as the server reads it: the events that match, where
// it began, where the next one begins, how many events were looked at, and
// whether there is nothing beyond.
type page struct {
	events     []*record
	from, next offset
	considered int
	isEnd      bool
}

// forwards reads a page from an offset, inclusive. It must be that of a record
// unless it lies behind all of them; else the page is not ok.
func (db *database) forwards(from offset, f filter) (p page, ok bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if from == end {
		from = at(db.end)
	}
	p = page{from: from, next: from}
	last := db.records[len(db.records)-1].position
	if from.commit <= last && !db.isBoundary(from.commit) {
		return p, false
	}
	for _, e := range db.records[db.index(from.commit):] {
		if len(p.events) == pageSize || p.considered == f.window {
			return p, true
		}
		if e.void || e.offset().compare(from) < 0 {
			continue
		}
		p.considered++
		if f.matches(e) {
			p.events = append(p.events, e)
		}
		p.next = offset{e.after().commit, 0}
	}
	// A page that is full at the very end has not looked beyond it.
	p.isEnd = len(p.events) < pageSize && p.considered < f.window
	return p, true
}

func (r *reading) allForwards(from offset, count uint64, f filter) error {
	for sent := uint64(0); ; {
		p, ok := r.db.forwards(from, f)
		if !ok {
			return errUnexpectedPosition()
		}
		for _, e := range p.events {
			if sent == count {
				return nil
			}
			if err := r.event(e); err != nil {
				return err
			}
			sent++
		}
		if p.isEnd || sent == count {
			return nil
		}
		from = p.next
	}
}

// allBackwards reads what lies before an offset.
func (r *reading) allBackwards(from offset, count uint64, f filter) error {
	before, ok := r.db.before(from)
	if !ok {
		return errUnexpectedPosition()
	}
	sent := uint64(0)
	for i := len(before) - 1; i >= 0 && sent < count; i-- {
		e := before[i]
		if e.void || e.after().compare(from) > 0 || !f.matches(e) {
			continue
		}
		if err := r.event(e); err != nil {
			return err
		}
		sent++
	}
	return nil
}

// before gives the records below an offset, which must be that of a record or
// the end of the log.
func (db *database) before(from offset) (records []*record, ok bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if from == end {
		return db.records, true
	}
	if !db.isBoundary(from.commit) {
		return nil, false
	}
	return db.records[:db.index(from.commit)], true
}

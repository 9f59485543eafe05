package esdbtest

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// pageSize is how many events the server reads of its log at a time.
const pageSize = 32

// reading is one call of Read.
type reading struct {
	db         *database
	stream     streams.Streams_ReadServer
	idAsString bool
	// compatible clients are told where a stream begins and ends; others would
	// stumble over it.
	compatible bool
}

func (r *reading) event(e *record) error { return r.stream.Send(wireEvent(e, r.idAsString)) }

// Read reads a stream or $all, once or for ever.
func (s *streamsService) Read(request *streams.ReadReq, stream streams.Streams_ReadServer) error {
	o := request.GetOptions()
	if o.GetUuidOption() == nil {
		return errInvalidArgument("'uuidOption' is a required argument of type UUIDOption")
	}
	_, asString := o.GetUuidOption().GetContent().(*streams.ReadReq_Options_UUIDOption_String_)
	r := &reading{db: s.db, stream: stream, idAsString: asString, compatible: o.GetControlOption().GetCompatibility() >= 1}
	f, filtered, err := filterOf(o)
	if err != nil {
		return err
	}
	_, subscribe := o.GetCountOption().(*streams.ReadReq_Options_Subscription)
	backwards := o.GetReadDirection() == streams.ReadReq_Options_Backwards
	if o.GetCountOption() == nil || subscribe && backwards {
		return errCombination()
	}
	switch target := o.GetStreamOption().(type) {
	case *streams.ReadReq_Options_Stream:
		if filtered {
			return errCombination()
		}
		return r.readStream(target.Stream, subscribe, backwards, o.GetCount())
	case *streams.ReadReq_Options_All:
		if subscribe && filtered && f.interval == 0 {
			return errException()
		}
		return r.readAll(target.All, subscribe, backwards, o.GetCount(), f)
	default:
		return errInvalidArgument("'None' is not a valid stream option")
	}
}

func filterOf(o *streams.ReadReq_Options) (f filter, filtered bool, err error) {
	switch option := o.GetFilterOption().(type) {
	case *streams.ReadReq_Options_Filter:
		f, err = newFilter(option.Filter)
		return f, true, err
	case *streams.ReadReq_Options_NoFilter:
		return noFilter, false, nil
	default:
		return f, false, errCombination()
	}
}

func (r *reading) readStream(o *streams.ReadReq_Options_StreamOptions, subscribe, backwards bool, count uint64) error {
	name := string(o.GetStreamIdentifier().GetStreamName())
	from, isStart, err := revisionOption(o)
	if err != nil || name == "" {
		return errException()
	}
	switch {
	case subscribe && isStart:
		return r.subscribeStream(name, -1, false)
	case subscribe:
		return r.subscribeStream(name, from, from < 0)
	case count == 0:
		return errException()
	case backwards:
		return r.streamBackwards(name, from, count)
	case from < 0:
		return errException() // forwards from the end is not a place to read from
	default:
		return r.streamForwards(name, from, count)
	}
}

// revisionOption reads where a stream is to be read from; -1 is its end.
func revisionOption(o *streams.ReadReq_Options_StreamOptions) (from int64, isStart bool, err error) {
	switch option := o.GetRevisionOption().(type) {
	case *streams.ReadReq_Options_StreamOptions_Start:
		return 0, true, nil
	case *streams.ReadReq_Options_StreamOptions_End:
		return -1, false, nil
	case *streams.ReadReq_Options_StreamOptions_Revision:
		from, err = revisionOf(option.Revision)
		return from, false, err
	default:
		return 0, false, errException()
	}
}

// view is a stream as its readers see it. Exists is false for a stream that was
// soft deleted or never had an event.
type view struct {
	events      []*record // from the revision first on, with those that are too old
	first, last int64
	exists      bool
	ended       bool
	kept        retention
	now         time.Time
}

func (db *database) view(stream string) view {
	db.mu.RLock()
	defer db.mu.RUnlock()
	v := view{last: db.last(stream), kept: db.retention(stream), now: db.now()}
	v.ended = v.last == deletedStream
	v.exists = !v.ended && v.last >= 0 && v.kept.truncateBefore != deletedStream
	if !v.exists {
		return v
	}
	v.first = v.kept.oldest(v.last)
	if v.first <= v.last {
		v.events = db.streams[stream][v.first:]
	}
	return v
}

// page reads a number of revisions forwards: the events there, the revision to
// go on at, and whether the stream ends here.
func (v view) page(from, size int64) (events []*record, next int64, isEnd bool) {
	to := int64(math.MaxInt64)
	if from < math.MaxInt64-size {
		to = from + size - 1
	}
	switch start := max(from, v.first); {
	case to < v.first:
		return nil, v.first, false
	case start > v.last:
		return nil, v.last + 1, true
	default:
		events = v.events[start-v.first : min(to, v.last)-v.first+1]
	}
	if i := slices.IndexFunc(events, v.shows); i >= 0 {
		return events[i:], events[len(events)-1].revision + 1, to >= v.last
	}
	// All of the page are too old: it goes on at the first that is not.
	for _, e := range v.events[events[0].revision-v.first:] {
		if v.shows(e) {
			return nil, e.revision, false
		}
	}
	return nil, v.last + 1, true
}

func (v view) shows(e *record) bool { return !v.kept.hides(e, v.now) }

// back gives the events of a view from a revision on, backwards; -1 is the end.
func (v view) back(revision int64) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		events := v.events
		if revision >= 0 {
			events = events[:min(max(0, revision-v.first+1), int64(len(events)))]
		}
		for _, e := range slices.Backward(events) {
			if v.shows(e) && !yield(e) {
				return
			}
		}
	}
}

// open gives the view of a stream that is to be read, having told the client
// where there is none.
func (r *reading) open(stream string) (view, error) {
	v := r.db.view(stream)
	switch {
	case v.ended:
		return v, errStreamDeleted(stream)
	case !v.exists:
		return v, r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{
			StreamNotFound: &streams.ReadResp_StreamNotFound{StreamIdentifier: wireStream(stream)},
		}})
	}
	return v, nil
}

func (r *reading) streamForwards(stream string, from int64, count uint64) error {
	v, err := r.open(stream)
	if err != nil || !v.exists {
		return err
	}
	for sent := uint64(0); ; {
		events, next, isEnd := v.page(from, int64(min(pageSize, count)))
		if sent == 0 && len(events) == 0 && next != from {
			if err := r.firstPosition(next); err != nil {
				return err
			}
		}
		for _, e := range events[:min(uint64(len(events)), count-sent)] {
			if err := r.event(e); err != nil {
				return err
			}
			sent++
		}
		if isEnd || sent == count {
			return r.lastPosition(v)
		}
		from = next
	}
}

func (r *reading) streamBackwards(stream string, from int64, count uint64) error {
	v, err := r.open(stream)
	if err != nil || !v.exists {
		return err
	}
	for e := range v.back(from) {
		if err := r.event(e); err != nil {
			return err
		}
		if count--; count == 0 {
			break
		}
	}
	return r.lastPosition(v)
}

// firstPosition says where a stream begins: what was asked for is not there.
func (r *reading) firstPosition(revision int64) error {
	if !r.compatible {
		return nil
	}
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_FirstStreamPosition{FirstStreamPosition: uint64(revision)}})
}

func (r *reading) lastPosition(v view) error {
	if !r.compatible {
		return nil
	}
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_LastStreamPosition{LastStreamPosition: uint64(v.last)}})
}

package esdbtest

import (
	"iter"
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
	backwards := o.GetReadDirection() == streams.ReadReq_Options_Backwards
	f, filtered, err := filterOf(o)
	if err != nil {
		return err
	}
	subscribe := false
	switch o.GetCountOption().(type) {
	case *streams.ReadReq_Options_Subscription:
		subscribe = true
	case *streams.ReadReq_Options_Count:
	default:
		return errInvalidArgument("the combination of options is invalid")
	}
	switch target := o.GetStreamOption().(type) {
	case *streams.ReadReq_Options_Stream:
		if filtered || subscribe && backwards {
			return errInvalidArgument("the combination of options is invalid")
		}
		return r.readStream(target.Stream, subscribe, backwards, o.GetCount())
	case *streams.ReadReq_Options_All:
		if subscribe && backwards {
			return errInvalidArgument("the combination of options is invalid")
		}
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
		return f, false, errInvalidArgument("the combination of options is invalid")
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

// from gives the events of a view from a revision on, forwards.
func (v view) from(revision int64) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		skipped := min(max(0, revision-v.first), int64(len(v.events)))
		for _, e := range v.events[skipped:] {
			if !v.kept.hides(e, v.now) && !yield(e) {
				return
			}
		}
	}
}

// back gives the events of a view from a revision on, backwards; -1 is the end.
func (v view) back(revision int64) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		events := v.events
		if revision >= 0 {
			events = events[:min(max(0, revision-v.first+1), int64(len(events)))]
		}
		for _, e := range slices.Backward(events) {
			if !v.kept.hides(e, v.now) && !yield(e) {
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
	if err := r.firstPosition(v, from, count); err != nil {
		return err
	}
	return r.sendStream(v, v.from(from), count)
}

func (r *reading) streamBackwards(stream string, from int64, count uint64) error {
	v, err := r.open(stream)
	if err != nil || !v.exists {
		return err
	}
	return r.sendStream(v, v.back(from), count)
}

// sendStream sends a number of events and then where the stream ends.
func (r *reading) sendStream(v view, events iter.Seq[*record], count uint64) error {
	for e := range events {
		if err := r.event(e); err != nil {
			return err
		}
		if count--; count == 0 {
			break
		}
	}
	return r.lastPosition(v)
}

// firstPosition says where a stream begins if the first page has nothing in it.
func (r *reading) firstPosition(v view, from int64, count uint64) error {
	if !r.compatible {
		return nil
	}
	first := v.last + 1
	for e := range v.from(from) {
		first = e.revision
		break
	}
	if inFirstPage := uint64(first-from) < min(pageSize, count); first == from || inFirstPage && first <= v.last {
		return nil
	}
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_FirstStreamPosition{FirstStreamPosition: uint64(first)}})
}

func (r *reading) lastPosition(v view) error {
	if !r.compatible {
		return nil
	}
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_LastStreamPosition{LastStreamPosition: uint64(v.last)}})
}
